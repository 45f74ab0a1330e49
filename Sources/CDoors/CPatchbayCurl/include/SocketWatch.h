#pragma once

// Waits for the sockets of a multi handle, on any number of them at the same price: epoll on Linux, kqueue elsewhere.
//
// curl_multi_poll, with curl_multi_perform and curl_multi_wakeup, would need none of this. It looks at every transfer in every turn,
// and one thread alone may use the multi handle, so that a request cannot go out on the thread that makes it. Measured with small
// requests to a server on loopback (libcurl 7.88.1, two cores), poll against epoll:
//
//                                        time    processor, kernel included    instructions outside the kernel
//   one at a time                        x 1.3   x 1.3                         x 0.98
//   16 in flight                         x 0.9   x 0.9                         x 0.98
//   64 in flight                         x 0.9   x 0.9                         x 0.97
//   1,000 waiting, and 1 at a time       x 9     x 15                          not counted
//   1,000 waiting, and 16 in flight      x 2.9   x 2.6                         x 1.7
//   1,000 waiting, and 64 in flight      x 1.9   x 1.9                         not counted

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

/// A socket that is ready, and for what, in libcurl's bits; 0 leaves it to libcurl to look.
struct patchbay_ready {
    int socket;
    int what;
};

/// NULL where the system has no file or memory to spare; the errno that says which is then in `failure`.
void *_Nullable patchbay_watch_open(int *failure);
/// After the multi handle that it serves.
void patchbay_watch_close(void *watch);
/// Has the multi handle say which sockets it waits for and until when. Returns 0 when it does.
///
/// `on_use` is called, while the multi handle acts, with the context of a transfer and its socket, and with whether the multi handle
/// waits there for bytes to read, and for room to write.
int patchbay_watch_serve(void *watch, void *multi, void (*on_use)(void *transfer, int socket, int reads, int writes));
/// The errno of the first socket that could not be watched as the multi handle wanted; 0 while all are. The multi handle does not
/// know: it has to be given up, with every transfer, before it acts again.
int patchbay_watch_failure(void *watch);
/// When libcurl wants to be called though no socket is ready, in nanoseconds of the monotonic clock; INT64_MAX for never.
int64_t patchbay_watch_deadline(void *watch);
/// Whether that is now; it is told once, and libcurl has to be called then.
int patchbay_watch_falls_due(void *watch);
/// Waits for sockets, a wake-up or the deadline. Returns how many sockets are ready, or -1 where it cannot wait.
int patchbay_watch_wait(void *watch, int64_t deadline, struct patchbay_ready *ready, int capacity);
/// Ends the wait, now or when it comes; for any thread.
void patchbay_watch_wake(void *watch);
/// Opens an empty file as standard input where that is closed, before a watch is opened and after a look-up that failed.
///
/// libcurl before 8.13 closes file 0, whoever's it is, where it has no memory for the lock of a look-up. If that were the watch's, its
/// loop would end and close the number again, which may be the watch of the next loop by then. With a standard input there, the
/// watch never gets the number 0.
void patchbay_keep_standard_input(void);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
