#define _GNU_SOURCE
#include "Libcurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#if defined(__APPLE__)
#include <TargetConditionals.h>
#endif

struct patchbay_libcurl patchbay_libcurl;
static enum patchbay_curl_readiness readiness = PATCHBAY_CURL_MISSING;
#if defined(__linux__)
static _Atomic(void *) loaded;
#endif

// Of Apple's systems, only macOS has a libcurl for programs: elsewhere none of its functions may reach the linker. The
// C library of the static Linux SDK loads no libraries.
#if (defined(__APPLE__) && !TARGET_OS_OSX) || (defined(__linux__) && !defined(__GLIBC__))
static int load(void) { return 0; }
#else
static int load(void) {
    int is_whole = 1;
#if defined(__linux__)
    void *library = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
    atomic_store(&loaded, library);
    // A cast of the address: POSIX has dlsym return functions as void *.
#define LIBCURL_LOOK_UP(result, name, parameters)                                                                      \
    *(void **)&patchbay_libcurl.name = library ? dlsym(library, #name) : NULL;                                         \
    is_whole = is_whole && patchbay_libcurl.name;
#else
    LIBCURL_FUNCTIONS(LIBCURL_DECLARATION)
#define LIBCURL_LOOK_UP(result, name, parameters) patchbay_libcurl.name = name;
#endif
    LIBCURL_FUNCTIONS(LIBCURL_LOOK_UP)
    return is_whole;
}
#endif

enum patchbay_curl_readiness patchbay_curl_start(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    // A failure from a lack of files or memory can be temporary, so every call tries again.
    if (readiness == PATCHBAY_CURL_MISSING && load()) readiness = PATCHBAY_CURL_UNREADY;
    if (readiness == PATCHBAY_CURL_UNREADY && patchbay_libcurl.curl_global_init(PATCHBAY_CURL_GLOBAL_DEFAULT) == 0)
        readiness = PATCHBAY_CURL_READY;
    enum patchbay_curl_readiness result = readiness;
    pthread_mutex_unlock(&lock);
    return result;
}

void *patchbay_curl_find(const char *name) {
#if defined(__linux__)
    // dlsym searches libcurl and the libraries that libcurl needs, and no other library of the process: a program can
    // have another OpenSSL or zlib, whose functions must not get the objects of this one.
    void *library = atomic_load(&loaded);
    return library ? dlsym(library, name) : NULL;
#else
    return dlsym(RTLD_DEFAULT, name);
#endif
}
