#include "Libxml2Loader.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct patchbay_libxml2 patchbay_libxml2;
static char library_name[64] = "libxml2.so.2";
static atomic_bool is_ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// libxml2 is linked if the C library has no dynamic loading, as in the static Linux SDK, or if the build defines
// PATCHBAY_LINKED_LIBXML2.
#if defined(__GLIBC__) && !defined(PATCHBAY_LINKED_LIBXML2)

#include <dlfcn.h>

static bool look_up(void) {
    // Loads by the soname, not by the symlink of the -dev package. RTLD_LOCAL, so that no other library uses these
    // symbols.
    void *library = dlopen(library_name, RTLD_LAZY | RTLD_LOCAL);
    if (!library) return false;
    bool is_whole = true;
    // A cast of the address: POSIX has dlsym return functions as void *.
#define LIBXML2_LOOK_UP(result, name, parameters)                                                                      \
    *(void **)&patchbay_libxml2.name = dlsym(library, #name);                                                          \
    is_whole = is_whole && patchbay_libxml2.name;
    LIBXML2_FUNCTIONS(LIBXML2_LOOK_UP)
    if (!is_whole) dlclose(library);
    return is_whole;
}

#else

#if defined(__linux__) && !defined(__GLIBC__)
// For lld, which links the programs of the static SDK.
#pragma comment(lib, "xml2")
#endif

LIBXML2_FUNCTIONS(LIBXML2_DECLARATION)

static bool look_up(void) {
#define LIBXML2_TAKE(result, name, parameters) patchbay_libxml2.name = name;
    LIBXML2_FUNCTIONS(LIBXML2_TAKE)
    return true;
}

#endif

bool patchbay_xml_load(void) {
    // Acquires the writes of the thread that loaded the library.
    if (atomic_load_explicit(&is_ready, memory_order_acquire)) return true;
    pthread_mutex_lock(&lock);
    // A failure from a lack of files or memory can be temporary, so try again.
    bool result = atomic_load_explicit(&is_ready, memory_order_relaxed) || look_up();
    if (result && !atomic_load_explicit(&is_ready, memory_order_relaxed)) {
        patchbay_libxml2.xmlInitParser();
        atomic_store_explicit(&is_ready, true, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

void patchbay_xml_use_library(const char *name) {
    pthread_mutex_lock(&lock);
    // A copy, because the caller's string is only valid during the call.
    snprintf(library_name, sizeof library_name, "%s", name);
    pthread_mutex_unlock(&lock);
}
