#define _GNU_SOURCE
#include "CPatchbayFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

int patchbay_rename_to_free_name(int folder, const char *from, const char *to) {
#if defined(__linux__) && defined(SYS_renameat2)
    // A check for the free name followed by a rename could replace a file created in between. With RENAME_NOREPLACE,
    // the 1, the kernel does both at once. It is called by number, because glibc has the function only since 2.28,
    // and musl since 1.2.6.
    return (int)syscall(SYS_renameat2, folder, from, folder, to, 1u);
#elif defined(__APPLE__)
    return renameatx_np(folder, from, folder, to, RENAME_EXCL);
#else
    errno = ENOSYS;
    return -1;
#endif
}

int patchbay_write_to_disk(int file) {
#if defined(__APPLE__)
    if (fcntl(file, F_FULLFSYNC) == 0) return 0;
    // Some file systems, such as network volumes, lack this command. No other failure is followed by fsync, which could
    // succeed without having written the bytes.
    if (errno != ENOTSUP && errno != ENOTTY && errno != EINVAL) return -1;
#endif
    return fsync(file);
}

static _Thread_local patchbay_interruption current;

patchbay_interruption patchbay_exchange_interruption(patchbay_interruption next) {
    patchbay_interruption last = current;
    current = next;
    return last;
}

// Takes the place of `is_over` once that was true: it is not asked again, and the answer is known to have been given.
static bool always(const void *owner) {
    (void)owner;
    return true;
}

bool patchbay_is_interrupted(void) {
    if (!current.is_over || !current.owner || !current.is_over(current.owner)) return false;
    current.is_over = always;
    return true;
}

bool patchbay_has_noticed_interruption(void) { return current.is_over == always; }

bool patchbay_end_interruption(patchbay_interruption last) {
    bool is_noticed = current.is_over == always;
    current = last;
    return is_noticed;
}
