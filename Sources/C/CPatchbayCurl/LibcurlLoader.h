#pragma once

// libcurl needs some thirty libraries, which take longer to load than all other libraries of a program. On Linux it is
// loaded at its first use, so that a program that sends nothing does not wait for them.

#include "Libcurl.h"

/// Loads libcurl, and with it zlib, brotli and zstd, and initializes it, unless an earlier call has done so. After a
/// failure, the next call tries again.
enum patchbay_curl_readiness patchbay_libcurl_prepare(void);
/// Like patchbay_libcurl_prepare, but returns 0 if libcurl is not ready.
static inline int patchbay_libcurl_load(void) { return patchbay_libcurl_prepare() == PATCHBAY_CURL_READY; }
/// A function of a library that libcurl needs, such as zlib or OpenSSL; NULL if there is none, or before libcurl is
/// loaded.
void *patchbay_libcurl_find(const char *name);

#define LIBCURL_POINTER(result, name, parameters) result(*name) parameters;
/// The functions of libcurl, valid after it is loaded.
extern struct patchbay_libcurl { LIBCURL_FUNCTIONS(LIBCURL_POINTER) } patchbay_libcurl;
#undef LIBCURL_POINTER

// Calls keep their usual form. A function that is missing from the list would need the linker, and on Linux libcurl
// is not linked.
#if !defined(PATCHBAY_LIBCURL_LOADER)
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
#define curl_global_init patchbay_libcurl.curl_global_init
#define curl_version patchbay_libcurl.curl_version
#define curl_version_info patchbay_libcurl.curl_version_info
#define curl_easy_init patchbay_libcurl.curl_easy_init
#define curl_easy_reset patchbay_libcurl.curl_easy_reset
#define curl_easy_cleanup patchbay_libcurl.curl_easy_cleanup
#define curl_easy_setopt patchbay_libcurl.curl_easy_setopt
#define curl_easy_getinfo patchbay_libcurl.curl_easy_getinfo
#define curl_easy_pause patchbay_libcurl.curl_easy_pause
#define curl_slist_append patchbay_libcurl.curl_slist_append
#define curl_multi_init patchbay_libcurl.curl_multi_init
#define curl_multi_cleanup patchbay_libcurl.curl_multi_cleanup
#define curl_multi_setopt patchbay_libcurl.curl_multi_setopt
#define curl_multi_add_handle patchbay_libcurl.curl_multi_add_handle
#define curl_multi_remove_handle patchbay_libcurl.curl_multi_remove_handle
#define curl_multi_socket_action patchbay_libcurl.curl_multi_socket_action
#define curl_multi_info_read patchbay_libcurl.curl_multi_info_read
#endif
