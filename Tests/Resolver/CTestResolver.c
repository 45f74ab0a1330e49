#define _GNU_SOURCE
#include "CTestResolver.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define PATCHBAY_SANITIZED 1
#endif
#endif

#if defined(__linux__) && !defined(PATCHBAY_SANITIZED)

#include <dlfcn.h>
#include <netdb.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static atomic_int hanging;

// The program's own definition comes before the C library's, for libcurl too.
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    if (node && strcmp(node, "hang.test") == 0) {
        atomic_fetch_add(&hanging, 1);
        for (;;) pause();
    }
    if (node && strcmp(node, "missing.test") == 0) return EAI_NONAME;
    if (node && strncmp(node, "loopback", 8) == 0) node = "127.0.0.1";
    int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
    return next ? next(node, service, hints, result) : EAI_FAIL;
}

int patchbay_test_resolver_is_there(void) { return 1; }
int patchbay_test_resolver_hanging(void) { return atomic_load(&hanging); }

#else

int patchbay_test_resolver_is_there(void) { return 0; }
int patchbay_test_resolver_hanging(void) { return 0; }

#endif
