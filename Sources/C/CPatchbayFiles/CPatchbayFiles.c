#define _GNU_SOURCE
#include "CPatchbayFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#if defined(__linux__)
#include <stdint.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
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

#if defined(__linux__) && defined(SYS_preadv2)
// Called by number and with the numbers of the kernel: the C libraries have these functions late, or not at all.
int patchbay_open_in_memory(int folder, const char *name) {
    const long openat2 = 437;
    struct {
        uint64_t flags, mode, resolve;
    } how = {O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0, 0x20 /* RESOLVE_CACHED */};
    return (int)syscall(openat2, folder, name, &how, sizeof how);
}

long patchbay_read_in_memory(int file, void *bytes, unsigned long count, unsigned long offset) {
    struct iovec piece = {bytes, count};
    const int nowait = 0x8 /* RWF_NOWAIT */;
    return syscall(SYS_preadv2, file, &piece, 1ul, offset, (unsigned long)((uint64_t)offset >> 32), nowait);
}

bool patchbay_is_on_local_disk(int file) {
    struct statfs status;
    if (fstatfs(file, &status) != 0) return false;
    switch ((uint32_t)status.f_type) {
    case 0xEF53:     // ext2 to ext4
    case 0x58465342: // XFS
    case 0x9123683E: // Btrfs
    case 0xF2F52010: // F2FS
    case 0x01021994: // tmpfs
    case 0x794C7630: // overlayfs
        return true;
    default: return false;
    }
}
#else
int patchbay_open_in_memory(int folder, const char *name) {
    (void)folder, (void)name;
    errno = ENOSYS;
    return -1;
}

long patchbay_read_in_memory(int file, void *bytes, unsigned long count, unsigned long offset) {
    (void)file, (void)bytes, (void)count, (void)offset;
    errno = ENOSYS;
    return -1;
}

bool patchbay_is_on_local_disk(int file) {
    (void)file;
    return false;
}
#endif

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
