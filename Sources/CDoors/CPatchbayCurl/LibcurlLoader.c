#define _GNU_SOURCE
#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#define PATCHBAY_LIBCURL_LOADER
#include "LibcurlLoader.h"

#include <dlfcn.h>
#include <pthread.h>

struct patchbay_libcurl patchbay_libcurl;
static int is_there;

static void load(void) {
    is_there = 1;
#if defined(__linux__)
    // Global, because the content codings are looked up among the libraries that libcurl brings.
    void *library = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_GLOBAL);
    // A cast of the address: POSIX has dlsym return functions as void *.
#define LIBCURL_LOOK_UP(result, name, parameters)                                                                      \
    *(void **)&patchbay_libcurl.name = library ? dlsym(library, #name) : NULL;                                         \
    is_there = is_there && patchbay_libcurl.name;
#else
#define LIBCURL_LOOK_UP(result, name, parameters) patchbay_libcurl.name = name;
#endif
    LIBCURL_FUNCTIONS(LIBCURL_LOOK_UP)
}

int patchbay_libcurl_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    return pthread_once(&once, load) == 0 && is_there;
}
