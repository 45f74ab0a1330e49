#include "PinnedCounts.h"

#include <stddef.h>
#include <stdlib.h>

__attribute__((noinline)) void patchbay_pinned(void (*work)(void *), void *context) {
    work(context);
    // Keeps the call from becoming a jump, which would end this function before the work does.
    __asm__ volatile("" ::: "memory");
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PATCHBAY_SANITIZED
#endif
#endif

#if defined(__GLIBC__) && !defined(PATCHBAY_SANITIZED)

// These take the place of the C library's own, for the whole process.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

// Of each thread alone: the work runs on the thread that asks, and the thread of a log or of a cache allocates when it likes.
static _Thread_local uint64_t allocations;

void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    allocations++;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    allocations++;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : 12;
}

uint64_t patchbay_allocations(void) { return allocations; }
bool patchbay_counts_allocations(void) { return true; }

#else

uint64_t patchbay_allocations(void) { return 0; }
bool patchbay_counts_allocations(void) { return false; }

#endif

#define SWIFT_CALL __attribute__((swiftcall))

typedef struct {
    void *identity, *implementation;
} Executor;

typedef SWIFT_CALL void (*Enqueue)(void *job);
extern SWIFT_CALL void (*swift_task_enqueueGlobal_hook)(void *job, Enqueue original);
extern SWIFT_CALL void swift_job_run(void *job, Executor executor);

// One thread enqueues and runs; 256 jobs are many more than one request has at a time.
enum { MAXIMUM_JOBS = 256 };
static void *jobs[MAXIMUM_JOBS];
static unsigned first, count;

static SWIFT_CALL void hold(void *job, Enqueue original) {
    if (count == MAXIMUM_JOBS) {
        original(job);
        return;
    }
    jobs[(first + count++) % MAXIMUM_JOBS] = job;
}

void patchbay_hold_jobs(void) { swift_task_enqueueGlobal_hook = hold; }

uint64_t patchbay_run_jobs(void) {
    Executor anywhere = {NULL, NULL};
    uint64_t run = 0;
    while (count > 0) {
        void *job = jobs[first];
        first = (first + 1) % MAXIMUM_JOBS;
        count--;
        swift_job_run(job, anywhere);
        run++;
    }
    return run;
}
