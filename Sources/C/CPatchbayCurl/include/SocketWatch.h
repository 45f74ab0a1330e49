#pragma once

// Waits for the sockets of multi handles, at a cost that does not depend on their number: with epoll on Linux, and
// with kqueue elsewhere.
//
// curl_multi_poll, with curl_multi_perform and curl_multi_wakeup, would need none of this. But curl_multi_poll checks
// every transfer in every turn, and only one thread can use the multi handle, so no other thread could send its own
// request. The cost of poll relative to epoll, for small requests to a server on loopback (libcurl 7.88.1, two cores):
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

/// A ready socket, and the events in libcurl's bits; with 0, libcurl checks the socket itself.
struct patchbay_ready {
    int socket;
    int what;
    /// The number of the multi handle with this socket.
    uint32_t multi;
};

/// Makes a watch; NULL if the system has no descriptor or memory available. In this case `failure` gets the errno.
void *_Nullable patchbay_watch_open(int *failure);
/// Closes the watch. Call this after the multi handles were closed.
void patchbay_watch_close(void *watch);
/// Makes a multi handle report the sockets and the deadline of its waits. Returns NULL on failure.
///
/// While the multi handle acts, it calls `on_use` with the context of a transfer, its socket, and whether it waits to
/// read from the socket and to write to it. `on_use` returns 1 if the transfer has a connection.
void *_Nullable patchbay_watch_serve(void *watch, void *multi, uint32_t number,
                                     int (*on_use)(void *transfer, int socket, int reads, int writes));
/// Frees the result of `patchbay_watch_serve`. Call this after the multi handle was closed.
void patchbay_watch_end_service(void *served);
/// Notes that libcurl has opened the socket for a connection. Called while the multi handle acts.
void patchbay_watch_note_open(void *watch, int socket);
/// Notes that libcurl is about to close the socket of a connection. Called while the multi handle acts or is closed. The
/// socket of a failed attempt to connect can be closed without this call.
void patchbay_watch_note_close(void *watch, int socket);
/// Whether libcurl waits for an event of the socket. If not, the multi handle must not act on the socket. Removes all
/// other events from `ready`. Call it right before the action, when no other thread uses the multi handle.
///
/// `turn` is the number of the loop's turn, which `patchbay_watch_last_arrival` returns.
int patchbay_watch_wants(void *watch, struct patchbay_ready *ready, int64_t turn);
/// Whether the connection from a local port to a remote address and port has bytes to read that arrived while no transfer
/// waited for them. Call it before a transfer sends its request on the connection.
int patchbay_watch_has_unasked(void *watch, int local_port, const char *remote, int remote_port);
/// The turn in which the connection from a local port to a remote address and port was last ready to read; -1 without
/// such a connection.
int64_t patchbay_watch_last_arrival(void *watch, int local_port, const char *remote, int remote_port);
/// The errno of the first socket that could not be watched; 0 for none. The multi handles do not know of the failure:
/// close them, with every transfer, before they act again.
int patchbay_watch_failure(void *watch);
/// The time at which the multi handle must act even without a ready socket, in nanoseconds of the monotonic clock;
/// INT64_MAX for never.
int64_t patchbay_watch_deadline(void *served);
/// Whether the deadline has passed. Returns 1 only one time for each deadline. After that result, the multi handle must
/// act.
int patchbay_watch_falls_due(void *served);
/// Waits for sockets, a wake-up or the deadline. Returns the number of ready sockets, or -1 if it cannot wait.
int patchbay_watch_wait(void *watch, int64_t deadline, struct patchbay_ready *ready, int capacity);
/// Ends the current wait, or the next wait if no thread waits. Any thread can call this function.
void patchbay_watch_wake(void *watch);
/// Opens an empty file as standard input if standard input is closed. Call it before a watch is opened, and after a
/// failed name look-up.
///
/// libcurl before 8.13 closes descriptor 0, whatever it refers to, if it has no memory for the lock of a look-up. If
/// descriptor 0 were the watch, its loop would end and close descriptor 0 a second time, when it can already be the
/// watch of the next loop. If standard input is open, the watch never gets descriptor 0.
void patchbay_keep_standard_input(void);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
