// The functions of libcurl that are called, in libcurl's own type names. No include guard: LibcurlCheck.c includes it after
// the real header, where a difference is an error of the compiler.

CURLcode curl_global_init(long flags);
char *curl_version(void);
CURL *curl_easy_init(void);
void curl_easy_cleanup(CURL *easy);
CURLcode curl_easy_setopt(CURL *easy, CURLoption option, ...);
CURLcode curl_easy_getinfo(CURL *easy, CURLINFO info, ...);
CURLcode curl_easy_pause(CURL *easy, int bitmask);
CURLSH *curl_share_init(void);
CURLSHcode curl_share_setopt(CURLSH *share, CURLSHoption option, ...);
CURLSHcode curl_share_cleanup(CURLSH *share);
CURLM *curl_multi_init(void);
CURLMcode curl_multi_cleanup(CURLM *multi);
CURLMcode curl_multi_setopt(CURLM *multi, CURLMoption option, ...);
CURLMcode curl_multi_add_handle(CURLM *multi, CURL *easy);
CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *easy);
CURLMcode curl_multi_socket_action(CURLM *multi, curl_socket_t socket, int what, int *running);
CURLMsg *curl_multi_info_read(CURLM *multi, int *left);
