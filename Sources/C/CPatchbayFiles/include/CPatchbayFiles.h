#pragma once

// System calls on files that Swift cannot reach: their names are missing in some C libraries, or their arguments vary.

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

/// Renames `from` to `to` in the same folder, unless `to` exists (`EEXIST`). Returns 0, or -1 and an `errno`:
/// `EINVAL` or `ENOSYS` if the file system or the system does not support this.
int patchbay_rename_to_free_name(int folder, const char *from, const char *to);

/// Writes a file to disk, on Apple platforms past the memory of the drive too. Returns 0, or -1 and an `errno`.
int patchbay_write_to_disk(int file);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
