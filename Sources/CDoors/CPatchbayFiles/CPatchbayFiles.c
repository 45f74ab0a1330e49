#define _GNU_SOURCE
#include "CPatchbayFiles.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

int patchbay_rename_to_free_name(int folder, const char *from, const char *to) {
#if defined(__linux__) && defined(SYS_renameat2)
    // A look whether the name is free, and then a rename, would replace a file that came in between; RENAME_NOREPLACE, the 1, has
    // the kernel do both at once. By its number, because glibc has a function for it since 2.28 only, and musl since 1.2.6.
    return (int)syscall(SYS_renameat2, folder, from, folder, to, 1u);
#elif defined(__APPLE__)
    return renameatx_np(folder, from, folder, to, RENAME_EXCL);
#else
    errno = ENOSYS;
    return -1;
#endif
}
