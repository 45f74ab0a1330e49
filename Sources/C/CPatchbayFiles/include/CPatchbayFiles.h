#pragma once

// System calls on files that Swift cannot reach: their names are missing in some C libraries, or their arguments vary. And
// a variable for each thread, which Swift does not have.

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

/// Renames `from` to `to` in the same folder, unless `to` exists (`EEXIST`). Returns 0, or -1 and an `errno`:
/// `EINVAL` or `ENOSYS` if the file system or the system does not support this.
int patchbay_rename_to_free_name(int folder, const char *from, const char *to);

/// Writes a file to disk, on Apple platforms past the memory of the drive too. Returns 0, or -1 and an `errno`.
int patchbay_write_to_disk(int file);

/// Opens a file of a folder for reading, if that needs no disk. A symbolic link is not followed. Otherwise returns -1 and
/// an `errno`: `EAGAIN` if the disk would be asked, `ENOSYS` if the system can't tell.
int patchbay_open_in_memory(int folder, const char *name);

/// Reads bytes at an offset, as many as the kernel has in memory. Returns -1 and an `errno` like the function above.
long patchbay_read_in_memory(int file, void *bytes, unsigned long count, unsigned long offset);

/// Whether a file is on a file system of this machine, known by its type. Every other one can wait for a server or for
/// another process, also in the two functions above.
bool patchbay_is_on_local_disk(int file);

/// What a thread makes a value for, and how it asks whether this is over. Two words, which fit in registers.
typedef struct {
    /// NULL if the thread works for nothing that can be over. Once the answer was yes, a function that always says yes.
    bool (*_Nullable is_over)(const void *owner);
    const void *_Nullable owner;
} patchbay_interruption;

/// Replaces what the current thread works for, and returns what it was.
patchbay_interruption patchbay_exchange_interruption(patchbay_interruption next);

/// Asks whether what the current thread works for is over.
bool patchbay_is_interrupted(void);

/// Whether `patchbay_is_interrupted` has returned true for what the current thread works for.
bool patchbay_has_noticed_interruption(void);

/// Puts back what the current thread worked for before. Returns `patchbay_has_noticed_interruption` of the work that ends.
bool patchbay_end_interruption(patchbay_interruption last);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
