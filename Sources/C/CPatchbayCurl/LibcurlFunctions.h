#pragma once

// The called functions of libcurl, with libcurl's own type names: result, name, parameters. LibcurlCheck.c declares
// them again after the real header, so that a difference is a compiler error.
#define LIBCURL_FUNCTIONS(X)                                                                                            \
    X(CURLcode, curl_global_init, (long flags))                                                                         \
    X(char *, curl_version, (void))                                                                                     \
    X(curl_version_info_data *, curl_version_info, (CURLversion age))                                                   \
    X(CURL *, curl_easy_init, (void))                                                                                   \
    X(void, curl_easy_reset, (CURL *easy))                                                                              \
    X(void, curl_easy_cleanup, (CURL *easy))                                                                            \
    X(CURLcode, curl_easy_setopt, (CURL *easy, CURLoption option, ...))                                                 \
    X(CURLcode, curl_easy_getinfo, (CURL *easy, CURLINFO info, ...))                                                    \
    X(CURLcode, curl_easy_pause, (CURL *easy, int bitmask))                                                             \
    X(struct curl_slist *, curl_slist_append, (struct curl_slist *list, const char *line))                              \
    X(CURLM *, curl_multi_init, (void))                                                                                 \
    X(CURLMcode, curl_multi_cleanup, (CURLM *multi))                                                                    \
    X(CURLMcode, curl_multi_setopt, (CURLM *multi, CURLMoption option, ...))                                            \
    X(CURLMcode, curl_multi_add_handle, (CURLM *multi, CURL *easy))                                                     \
    X(CURLMcode, curl_multi_remove_handle, (CURLM *multi, CURL *easy))                                                  \
    X(CURLMcode, curl_multi_socket_action, (CURLM *multi, curl_socket_t socket, int what, int *running))                \
    X(CURLMsg *, curl_multi_info_read, (CURLM *multi, int *left))

#define LIBCURL_DECLARATION(result, name, parameters) result name parameters;
