#pragma once

// The part of libcurl's ABI that the C code uses. The build needs no header of libcurl; LibcurlCheck.c compares all of
// this with <curl/curl.h>, if that is installed.
//
// libcurl needs some thirty libraries, which take longer to load than all other libraries of a program. On Linux it is
// loaded at its first use, so that a program that sends nothing does not wait for them.

#include "CPatchbayCurl.h"

#include <sys/socket.h>

// libcurl's enumerations.
typedef int libcurl_code, libcurl_multi_code, libcurl_option, libcurl_multi_option, libcurl_info, libcurl_version;

struct libcurl_list {
    char *data;
    struct libcurl_list *next;
};
struct libcurl_address {
    int family;
    int socktype;
    int protocol;
    unsigned int addrlen;
    struct sockaddr addr;
};
struct libcurl_blob {
    void *data;
    size_t len;
    unsigned int flags;
};
struct libcurl_tls {
    int backend;
    void *internals;
};
typedef struct {
    int msg;
    void *easy_handle;
    union {
        void *whatever;
        int result;
    } data;
} libcurl_message;
/// The first members; later versions add others after them.
typedef struct {
    int age;
    const char *version;
    unsigned int version_num;
} libcurl_versions;

// The called functions: result, name, parameters.
#define LIBCURL_FUNCTIONS(X)                                                                                           \
    X(libcurl_code, curl_global_init, (long flags))                                                                    \
    X(char *, curl_version, (void))                                                                                    \
    X(libcurl_versions *, curl_version_info, (libcurl_version age))                                                    \
    X(void *, curl_easy_init, (void))                                                                                  \
    X(void, curl_easy_reset, (void *easy))                                                                             \
    X(void, curl_easy_cleanup, (void *easy))                                                                           \
    X(libcurl_code, curl_easy_setopt, (void *easy, libcurl_option option, ...))                                        \
    X(libcurl_code, curl_easy_getinfo, (void *easy, libcurl_info info, ...))                                           \
    X(libcurl_code, curl_easy_pause, (void *easy, int bitmask))                                                        \
    X(struct libcurl_list *, curl_slist_append, (struct libcurl_list *list, const char *line))                         \
    X(void *, curl_multi_init, (void))                                                                                 \
    X(libcurl_multi_code, curl_multi_cleanup, (void *multi))                                                           \
    X(libcurl_multi_code, curl_multi_setopt, (void *multi, libcurl_multi_option option, ...))                          \
    X(libcurl_multi_code, curl_multi_add_handle, (void *multi, void *easy))                                            \
    X(libcurl_multi_code, curl_multi_remove_handle, (void *multi, void *easy))                                         \
    X(libcurl_multi_code, curl_multi_socket_action, (void *multi, int socket, int what, int *running))                 \
    X(libcurl_message *, curl_multi_info_read, (void *multi, int *left))

#define LIBCURL_DECLARATION(result, name, parameters) result name parameters;
#define LIBCURL_POINTER(result, name, parameters) result(*name) parameters;
/// The functions of libcurl, valid after `patchbay_curl_start`. On Linux libcurl is not linked.
extern struct patchbay_libcurl { LIBCURL_FUNCTIONS(LIBCURL_POINTER) } patchbay_libcurl;
#define libcurl patchbay_libcurl
