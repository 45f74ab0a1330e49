#pragma once

// libcurl for the C code: the real header if it is installed, otherwise these declarations of its ABI. PATCHBAY_BARE
// simulates a machine without the header, so that scripts/test can build both.

#include "CPatchbayCurl.h"
#include "LibcurlFunctions.h"

#include <sys/socket.h>

// Constants that only the C code of this folder needs, besides those of CPatchbayCurl.h.
#define LIBCURL_CONSTANTS(X)                                                                                           \
    X(CURLOPT_WRITEDATA, 10001)                                                                                        \
    X(CURLOPT_READDATA, 10009)                                                                                         \
    X(CURLOPT_ERRORBUFFER, 10010)                                                                                      \
    X(CURLOPT_WRITEFUNCTION, 20011)                                                                                    \
    X(CURLOPT_READFUNCTION, 20012)                                                                                     \
    X(CURLOPT_HTTPHEADER, 10023)                                                                                       \
    X(CURLOPT_CONNECT_TO, 10243)                                                                                       \
    X(CURLOPT_RTSP_REQUEST, 189)                                                                                       \
    X(CURL_RTSPREQ_RECEIVE, 11)                                                                                        \
    X(CURLOPT_HEADERDATA, 10029)                                                                                       \
    X(CURLOPT_NOPROGRESS, 43)                                                                                          \
    X(CURLOPT_XFERINFODATA, 10057)                                                                                     \
    X(CURLOPT_HEADERFUNCTION, 20079)                                                                                   \
    X(CURLOPT_VERBOSE, 41)                                                                                             \
    X(CURLOPT_DEBUGFUNCTION, 20094)                                                                                    \
    X(CURLOPT_DEBUGDATA, 10095)                                                                                        \
    X(CURLOPT_OPENSOCKETFUNCTION, 20163)                                                                               \
    X(CURLOPT_CAINFO_BLOB, 40309)                                                                                      \
    X(CURLOPT_SSLCERT_BLOB, 40291)                                                                                     \
    X(CURLOPT_SSLKEY_BLOB, 40292)                                                                                      \
    X(CURL_BLOB_NOCOPY, 0)                                                                                             \
    X(CURL_BLOB_COPY, 1)                                                                                               \
    X(CURLOPT_OPENSOCKETDATA, 10164)                                                                                   \
    X(CURLOPT_CLOSESOCKETDATA, 10209)                                                                                  \
    X(CURLOPT_CLOSESOCKETFUNCTION, 20208)                                                                              \
    X(CURLOPT_SEEKFUNCTION, 20167)                                                                                     \
    X(CURLOPT_SEEKDATA, 10168)                                                                                         \
    X(CURLOPT_TRAILERDATA, 10284)                                                                                      \
    X(CURLOPT_TRAILERFUNCTION, 20283)                                                                                  \
    X(CURLOPT_XFERINFOFUNCTION, 20219)                                                                                 \
    X(CURLOPT_PRIVATE, 10103)                                                                                          \
    X(CURLINFO_PRIVATE, 0x100015)                                                                                      \
    X(CURLINFO_PRIMARY_IP, 0x100020)                                                                                   \
    X(CURLINFO_TLS_SSL_PTR, 0x40002D)                                                                                  \
    X(CURLSSLBACKEND_OPENSSL, 1)                                                                                       \
    X(CURL_GLOBAL_DEFAULT, 3)                                                                                          \
    X(CURLPAUSE_CONT, 0)                                                                                               \
    X(CURLMOPT_SOCKETFUNCTION, 20001)                                                                                  \
    X(CURLMOPT_SOCKETDATA, 10002)                                                                                      \
    X(CURLMOPT_TIMERFUNCTION, 20004)                                                                                   \
    X(CURLMOPT_TIMERDATA, 10005)                                                                                       \
    X(CURL_POLL_IN, 1)                                                                                                 \
    X(CURL_POLL_OUT, 2)                                                                                                \
    X(CURL_POLL_REMOVE, 4)                                                                                             \
    X(CURL_CSELECT_IN, 1)                                                                                              \
    X(CURL_CSELECT_OUT, 2)                                                                                             \
    X(CURL_SOCKET_TIMEOUT, -1)                                                                                         \
    X(CURLMSG_DONE, 1)                                                                                                 \
    X(CURLOPTTYPE_OFF_T, 30000)                                                                                        \
    X(CURLINFO_OFF_T, 0x600000)                                                                                        \
    X(CURLVERSION_FIRST, 0)                                                                                            \
    X(CURL_ERROR_SIZE, 256)

// Options that an installed header can lack because it is older or newer.
enum {
    PATCHBAY_LIBCURL_PROTOCOLS = 181,
    PATCHBAY_LIBCURL_PROTOCOLS_STR = 10318,
    PATCHBAY_LIBCURL_PREREQFUNCTION = 20312,
    PATCHBAY_LIBCURL_PREREQDATA = 10313,
    PATCHBAY_LIBCURL_CAINFO = 0x10003D
};

#if __has_include(<curl/curl.h>) && !defined(PATCHBAY_BARE)
#include <curl/curl.h>
#else

typedef void CURL;
typedef void CURLM;
typedef int CURLcode;
typedef int CURLMcode;
typedef int CURLoption;
typedef int CURLMoption;
typedef int CURLINFO;
typedef int CURLMSG;
typedef int64_t curl_off_t;
typedef int curl_socket_t;
typedef int CURLversion;
typedef int curlsocktype;
typedef int curl_sslbackend;

struct curl_slist {
    char *data;
    struct curl_slist *next;
};
struct curl_sockaddr {
    int family;
    int socktype;
    int protocol;
    unsigned int addrlen;
    struct sockaddr addr;
};
struct curl_blob {
    void *data;
    size_t len;
    unsigned int flags;
};
struct curl_tlssessioninfo {
    curl_sslbackend backend;
    void *internals;
};
struct CURLMsg {
    CURLMSG msg;
    CURL *easy_handle;
    union {
        void *whatever;
        CURLcode result;
    } data;
};
typedef struct CURLMsg CURLMsg;
/// The first members; later versions add others after them.
typedef struct {
    CURLversion age;
    const char *version;
    unsigned int version_num;
} curl_version_info_data;

#define LIBCURL_CONSTANT(name, value) name = value,
enum { LIBCURL_CONSTANTS(LIBCURL_CONSTANT) };
#undef LIBCURL_CONSTANT

LIBCURL_FUNCTIONS(LIBCURL_DECLARATION)

#endif
