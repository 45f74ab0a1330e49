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

typedef int look_up(const char *, const char *, const struct addrinfo *, struct addrinfo **);

// The addresses of one look-up after those of another.
static int both(look_up *next, const char *first, const char *second, const char *service, const struct addrinfo *hints,
                struct addrinfo **result) {
    // libcurl 8 can ask for one family at a time.
    if (next(first, service, hints, result)) return next(second, service, hints, result);
    struct addrinfo **end = result;
    while (*end) end = &(*end)->ai_next;
    if (next(second, service, hints, end)) *end = NULL;
    return 0;
}

// The program's own definition comes before the C library's, for libcurl too.
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    if (node && strcmp(node, "hang.test") == 0) {
        atomic_fetch_add(&hanging, 1);
        for (;;) pause();
    }
    if (node && strcmp(node, "missing.test") == 0) return EAI_NONAME;
    if (node && strncmp(node, "loopback", 8) == 0) node = "127.0.0.1";
    look_up *next = (look_up *)dlsym(RTLD_NEXT, "getaddrinfo");
    if (!next) return EAI_FAIL;
    if (node && strcmp(node, "two-families.test") == 0) return both(next, "::1", "127.0.0.1", service, hints, result);
    if (node && strcmp(node, "two-addresses.test") == 0) return both(next, "127.0.0.2", "127.0.0.1", service, hints, result);
    return next(node, service, hints, result);
}

int patchbay_test_resolver_is_there(void) { return 1; }
int patchbay_test_resolver_hanging(void) { return atomic_load(&hanging); }

#else

int patchbay_test_resolver_is_there(void) { return 0; }
int patchbay_test_resolver_hanging(void) { return 0; }

#endif
