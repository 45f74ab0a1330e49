#pragma once

// The system's queue for ready sockets: epoll on Linux, and kqueue elsewhere. `SocketWatch` in Swift decides what is
// watched.

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

struct patchbay_queue {
    /// The descriptor of epoll or kqueue.
    int queue;
    /// An eventfd that ends a wait; kqueue needs none.
    int alarm;
};

/// Opens a queue. Returns 0, or the errno.
int patchbay_queue_open(struct patchbay_queue *queue);
void patchbay_queue_close(struct patchbay_queue queue);
/// Watches a socket for events in libcurl's bits; with 0, ends the watch. Returns 0, or the errno.
int patchbay_queue_set(struct patchbay_queue queue, uint32_t multi, int socket, int what, int is_watched);
/// Waits for sockets or a wake-up. Returns the number of ready sockets, or -1 if it cannot wait.
int patchbay_queue_wait(struct patchbay_queue queue, int64_t nanoseconds, struct patchbay_ready *ready, int capacity);
/// Ends the current wait, or the next wait if no thread waits. Any thread can call this function.
void patchbay_queue_wake(struct patchbay_queue queue);

/// Whether the socket connects a local port to a remote address and port. A connection is known by these: libcurl
/// 7.88.1 does not tell the socket of a transfer before the transfer has ended.
int patchbay_socket_is_between(int socket, int local_port, const char *remote, int remote_port);
/// The number of bytes that can be read, at most 1: 0 if the peer has ended or reset the connection; -1 if nothing has
/// arrived.
int patchbay_socket_peek(int socket);
/// Whether the connection was reset, even if earlier bytes are still unread.
int patchbay_socket_is_reset(int socket);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
