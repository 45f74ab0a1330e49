#define _GNU_SOURCE
#include "CTestFaults.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define PATCHBAY_SANITIZED 1
#endif
#endif

#include <stdlib.h>

#if defined(__linux__) && defined(__GLIBC__) && !defined(PATCHBAY_SANITIZED)

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

enum { NO_FAULT = -1 };
static atomic_int armed = NO_FAULT;
static atomic_int calls, failed, first, most, reason;

void patchbay_faults_begin(enum patchbay_fault call, int number, int count, int error) {
    atomic_store(&armed, NO_FAULT);
    atomic_store(&calls, 0);
    atomic_store(&failed, 0);
    atomic_store(&first, number);
    atomic_store(&most, count);
    atomic_store(&reason, error);
    atomic_store(&armed, (int)call);
}

int patchbay_faults_end(void) {
    atomic_store(&armed, NO_FAULT);
    return atomic_load(&failed);
}

int patchbay_faults_so_far(void) { return atomic_load(&failed); }

int patchbay_faults_seen(void) { return atomic_load(&calls); }

int patchbay_faults_are_there(void) { return 1; }

/// Counts a call; whether it is to fail.
static int fails(enum patchbay_fault call) {
    if (atomic_load(&armed) != (int)call) return 0;
    int number = atomic_fetch_add(&calls, 1) + 1;
    int begin = atomic_load(&first);
    if (number < begin || number - begin >= atomic_load(&most)) return 0;
    atomic_fetch_add(&failed, 1);
    errno = atomic_load(&reason);
    return 1;
}

/// Whether the code at an address is of the program itself, as the door is, and not of a library.
static int is_program(void *address) {
    extern char __executable_start, etext;
    return (uintptr_t)address >= (uintptr_t)&__executable_start && (uintptr_t)address < (uintptr_t)&etext;
}

static int is_libcurl(void *address) {
    Dl_info info;
    return dladdr(address, &info) && info.dli_fname && strstr(info.dli_fname, "libcurl");
}

#define CALLER __builtin_return_address(0)
#define IS_ARMED(call) (atomic_load_explicit(&armed, memory_order_relaxed) == (int)(call))
// The C library's own, behind the definitions below, which come before it for libcurl too.
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int epoll_ctl(int queue, int operation, int file, struct epoll_event *event) {
    if (IS_ARMED(PATCHBAY_FAULT_EPOLL_CTL) && is_program(CALLER) && fails(PATCHBAY_FAULT_EPOLL_CTL)) return -1;
    return NEXT(epoll_ctl)(queue, operation, file, event);
}

int epoll_create1(int flags) {
    if (IS_ARMED(PATCHBAY_FAULT_EPOLL_CREATE) && is_program(CALLER) && fails(PATCHBAY_FAULT_EPOLL_CREATE)) return -1;
    return NEXT(epoll_create1)(flags);
}

int eventfd(unsigned int count, int flags) {
    if (IS_ARMED(PATCHBAY_FAULT_EVENTFD) && is_program(CALLER) && fails(PATCHBAY_FAULT_EVENTFD)) return -1;
    return NEXT(eventfd)(count, flags);
}

int socket(int domain, int type, int protocol) {
    // The door's too, which asks whether there are sockets to be had.
    if (IS_ARMED(PATCHBAY_FAULT_SOCKET) && (is_libcurl(CALLER) || is_program(CALLER)) && fails(PATCHBAY_FAULT_SOCKET))
        return -1;
    return NEXT(socket)(domain, type, protocol);
}

int fcntl(int file, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (IS_ARMED(PATCHBAY_FAULT_FCNTL) && is_libcurl(CALLER) && fails(PATCHBAY_FAULT_FCNTL)) return -1;
    return NEXT(fcntl)(file, command, argument);
}

// Not by NEXT: looking a function up allocates.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);

void *malloc(size_t size) {
    if (IS_ARMED(PATCHBAY_FAULT_DOOR_MEMORY) && is_program(CALLER) && fails(PATCHBAY_FAULT_DOOR_MEMORY)) return NULL;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    if (IS_ARMED(PATCHBAY_FAULT_DOOR_MEMORY) && is_program(CALLER) && fails(PATCHBAY_FAULT_DOOR_MEMORY)) return NULL;
    return __libc_calloc(count, size);
}

// Past the definitions above, which would take these for the door's.
static void *libcurl_malloc(size_t size) { return fails(PATCHBAY_FAULT_LIBCURL_MEMORY) ? NULL : __libc_malloc(size); }
static void *libcurl_calloc(size_t count, size_t size) {
    return fails(PATCHBAY_FAULT_LIBCURL_MEMORY) ? NULL : __libc_calloc(count, size);
}
static void *libcurl_realloc(void *block, size_t size) {
    return fails(PATCHBAY_FAULT_LIBCURL_MEMORY) ? NULL : realloc(block, size);
}
static char *libcurl_strdup(const char *text) { return fails(PATCHBAY_FAULT_LIBCURL_MEMORY) ? NULL : strdup(text); }

int patchbay_faults_start_libcurl(void) {
    void *library = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_GLOBAL);
    int (*start)(long, void *(*)(size_t), void (*)(void *), void *(*)(void *, size_t), char *(*)(const char *),
                 void *(*)(size_t, size_t))
        = library ? dlsym(library, "curl_global_init_mem") : NULL;
    // 3 is CURL_GLOBAL_DEFAULT.
    return start ? start(3, libcurl_malloc, free, libcurl_realloc, libcurl_strdup, libcurl_calloc) : -1;
}

#else

int patchbay_faults_are_there(void) { return 0; }
void patchbay_faults_begin(enum patchbay_fault call, int number, int count, int error) {
    (void)call, (void)number, (void)count, (void)error;
}
int patchbay_faults_end(void) { return 0; }
int patchbay_faults_seen(void) { return 0; }
int patchbay_faults_so_far(void) { return 0; }
int patchbay_faults_start_libcurl(void) { return -1; }

#endif
