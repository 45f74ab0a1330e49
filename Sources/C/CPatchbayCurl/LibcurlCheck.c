// Compares every constant and declaration of this folder with libcurl's own header, if it is installed and not older
// than 7.88.1: older headers lack some of the names.

#if __has_include(<curl/curl.h>) && !defined(PATCHBAY_BARE)

// The setters and getters are used as functions, not as the type-checking macros of the header.
#define CURL_DISABLE_TYPECHECK
// Some names are deprecated, but their newer names are not available in every supported version.
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#if LIBCURL_VERSION_NUM >= 0x075801

#include "Libcurl.h"

#define SAME(name, value) _Static_assert((long long)(name) == (long long)(value), #name " is not what libcurl says");

#if LIBCURL_VERSION_NUM < 0x081400
#define CURLMOPT_QUICK_EXIT 21
#endif
#if LIBCURL_VERSION_NUM < 0x080600
#define CURLE_TOO_LARGE 100
#endif

PATCHBAY_CURL_OPTIONS(SAME)
PATCHBAY_CURL_MULTI_OPTIONS(SAME)
PATCHBAY_CURL_INFOS(SAME)
PATCHBAY_CURL_CODES(SAME)
PATCHBAY_CURL_VALUES(SAME)
SAME(CURL_POLL_IN, PATCHBAY_CURL_CSELECT_IN)
SAME(CURL_POLL_OUT, PATCHBAY_CURL_CSELECT_OUT)

#define SAME_MEMBER(own, name, type) SAME(offsetof(own, name), offsetof(type, name))
SAME(sizeof(struct libcurl_list), sizeof(struct curl_slist))
SAME_MEMBER(struct libcurl_list, next, struct curl_slist)
SAME(sizeof(struct libcurl_address), sizeof(struct curl_sockaddr))
SAME_MEMBER(struct libcurl_address, family, struct curl_sockaddr)
SAME_MEMBER(struct libcurl_address, socktype, struct curl_sockaddr)
SAME_MEMBER(struct libcurl_address, protocol, struct curl_sockaddr)
SAME_MEMBER(struct libcurl_address, addr, struct curl_sockaddr)
SAME(sizeof(struct libcurl_blob), sizeof(struct curl_blob))
SAME_MEMBER(struct libcurl_blob, len, struct curl_blob)
SAME_MEMBER(struct libcurl_blob, flags, struct curl_blob)
SAME(sizeof(struct libcurl_tls), sizeof(struct curl_tlssessioninfo))
SAME_MEMBER(struct libcurl_tls, internals, struct curl_tlssessioninfo)
SAME(sizeof(libcurl_message), sizeof(CURLMsg))
SAME_MEMBER(libcurl_message, easy_handle, CURLMsg)
SAME_MEMBER(libcurl_message, data, CURLMsg)
SAME_MEMBER(libcurl_versions, version_num, curl_version_info_data)
SAME(sizeof(libcurl_code), sizeof(CURLcode))
SAME(sizeof(libcurl_multi_code), sizeof(CURLMcode))
SAME(sizeof(libcurl_option), sizeof(CURLoption))
SAME(sizeof(libcurl_multi_option), sizeof(CURLMoption))
SAME(sizeof(libcurl_info), sizeof(CURLINFO))
SAME(sizeof(libcurl_version), sizeof(CURLversion))
SAME(sizeof(int64_t), sizeof(curl_off_t))
SAME(sizeof(int), sizeof(curl_socket_t))

// Each function once more, now with libcurl's own types: a difference is a compiler error.
#define libcurl_code CURLcode
#define libcurl_multi_code CURLMcode
#define libcurl_option CURLoption
#define libcurl_multi_option CURLMoption
#define libcurl_info CURLINFO
#define libcurl_version CURLversion
#define libcurl_list curl_slist
#define libcurl_message CURLMsg
#define libcurl_versions curl_version_info_data
LIBCURL_FUNCTIONS(LIBCURL_DECLARATION)

#endif
#endif
