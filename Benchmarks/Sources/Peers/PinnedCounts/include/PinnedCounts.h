#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Runs the work. Callgrind is told to count from here to the end of it, by the name of this function.
void patchbay_pinned(void (*work)(void *), void *context);

/// How often this thread has allocated memory so far; 0 for good where `patchbay_counts_allocations` is false.
uint64_t patchbay_allocations(void);

/// Whether allocations are counted: not under a sanitizer, which has an allocator of its own.
bool patchbay_counts_allocations(void);

/// From now on every job that is ready waits for `patchbay_run_jobs`, in place of going to another thread.
void patchbay_hold_jobs(void);

/// Runs the jobs that are ready, and those they make ready, until there are none. Gives how many.
uint64_t patchbay_run_jobs(void);
