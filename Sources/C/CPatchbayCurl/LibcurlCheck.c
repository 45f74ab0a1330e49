// Compares every constant and declaration of this folder with libcurl's own header, if it is installed.

#if __has_include(<curl/curl.h>) && !defined(PATCHBAY_BARE)

// The setters and getters are used as functions, not as the type-checking macros of the header.
#define CURL_DISABLE_TYPECHECK
// Some names are deprecated, but their newer names are not available in every supported version.
#define CURL_DISABLE_DEPRECATION

#include "Libcurl.h"

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
LIBCURL_FUNCTIONS(LIBCURL_DECLARATION)

#define SAME(name, value) _Static_assert((long long)(name) == (long long)(value), #name " is not what libcurl says");

#if LIBCURL_VERSION_NUM < 0x074600
#define CURLSSLOPT_REVOKE_BEST_EFFORT 8
#endif
#if LIBCURL_VERSION_NUM < 0x075700
#define CURLOPT_QUICK_EXIT 322
#endif
#if LIBCURL_VERSION_NUM < 0x075000
#define CURLOPT_MAXLIFETIME_CONN 314
#endif
#if LIBCURL_VERSION_NUM < 0x074D00
#define CURLE_SSL_CLIENTCERT 98
#endif
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
LIBCURL_CONSTANTS(SAME)
SAME(CURLOPT_PROTOCOLS, PATCHBAY_LIBCURL_PROTOCOLS)
#if LIBCURL_VERSION_NUM >= 0x075500
SAME(CURLOPT_PROTOCOLS_STR, PATCHBAY_LIBCURL_PROTOCOLS_STR)
#endif
#if LIBCURL_VERSION_NUM >= 0x075000
SAME(CURLOPT_PREREQFUNCTION, PATCHBAY_LIBCURL_PREREQFUNCTION)
SAME(CURLOPT_PREREQDATA, PATCHBAY_LIBCURL_PREREQDATA)
#endif
#if LIBCURL_VERSION_NUM >= 0x075400
SAME(CURLINFO_CAINFO, PATCHBAY_LIBCURL_CAINFO)
#endif
SAME(PATCHBAY_CURL_TEXT, CURL_ERROR_SIZE)
SAME(PATCHBAY_CURL_BODY_ON_WIRE, CURLINFO_DATA_IN)

struct own_address {
    int family, socktype, protocol;
    unsigned int addrlen;
    struct sockaddr addr;
};
SAME(sizeof(struct own_address), sizeof(struct curl_sockaddr))
SAME(offsetof(struct own_address, family), offsetof(struct curl_sockaddr, family))
SAME(offsetof(struct own_address, socktype), offsetof(struct curl_sockaddr, socktype))
SAME(offsetof(struct own_address, protocol), offsetof(struct curl_sockaddr, protocol))

struct own_message {
    int msg;
    void *easy_handle;
    union {
        void *whatever;
        int result;
    } data;
};
SAME(sizeof(struct own_message), sizeof(CURLMsg))
SAME(offsetof(struct own_message, easy_handle), offsetof(CURLMsg, easy_handle))
SAME(offsetof(struct own_message, data), offsetof(CURLMsg, data))
struct own_list {
    char *data;
    void *next;
};
SAME(sizeof(struct own_list), sizeof(struct curl_slist))
SAME(offsetof(struct own_list, next), offsetof(struct curl_slist, next))
struct own_version {
    int age;
    const char *version;
    unsigned int version_num;
};
SAME(offsetof(struct own_version, version_num), offsetof(curl_version_info_data, version_num))
SAME(sizeof(CURLversion), sizeof(int))
SAME(sizeof(CURLcode), sizeof(int))
SAME(sizeof(CURLMcode), sizeof(int))
SAME(sizeof(CURLoption), sizeof(int))
SAME(sizeof(CURLMoption), sizeof(int))
SAME(sizeof(CURLINFO), sizeof(int))
SAME(sizeof(curl_off_t), sizeof(int64_t))
SAME(sizeof(curl_socket_t), sizeof(int))

#endif
