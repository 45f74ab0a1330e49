#include "Sockets.h"
#include "LibcurlNumbers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ = PATCHBAY_CURL_CSELECT_IN, WRITE = PATCHBAY_CURL_CSELECT_OUT, MOST = 64 };

#if defined(__linux__)

#include <sys/epoll.h>
#include <sys/eventfd.h>

int patchbay_queue_open(struct patchbay_queue *queue) {
    queue->alarm = -1;
    queue->queue = epoll_create1(EPOLL_CLOEXEC);
    if (queue->queue >= 0) queue->alarm = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint32_t)queue->alarm};
    if (queue->alarm >= 0 && epoll_ctl(queue->queue, EPOLL_CTL_ADD, queue->alarm, &event) == 0) return 0;
    int error = errno;
    patchbay_queue_close(*queue);
    return error;
}

int patchbay_queue_set(struct patchbay_queue queue, uint32_t multi, int socket, int what, int is_watched) {
    struct epoll_event event = {.data.u64 = (uint64_t)multi << 32 | (uint32_t)socket};
    if (!what) {
        if (epoll_ctl(queue.queue, EPOLL_CTL_DEL, socket, &event) == 0) return 0;
        // epoll drops a closed socket by itself. Its number then belongs to no file (EBADF), to a file that is not
        // watched (ENOENT), or to a file that cannot be watched (EPERM). These errors are harmless. After any other
        // error, the socket can still be watched although nothing reads it, and would wake the loop again and again.
        // Such an error is a failure of the watch.
        return errno == EBADF || errno == ENOENT || errno == EPERM ? 0 : errno;
    }
    if (what & READ) event.events |= EPOLLIN;
    if (what & WRITE) event.events |= EPOLLOUT;
    if (is_watched && epoll_ctl(queue.queue, EPOLL_CTL_MOD, socket, &event) == 0) return 0;
    if (epoll_ctl(queue.queue, EPOLL_CTL_ADD, socket, &event) == 0) return 0;
    return errno == EEXIST && epoll_ctl(queue.queue, EPOLL_CTL_MOD, socket, &event) == 0 ? 0 : errno;
}

int patchbay_queue_wait(struct patchbay_queue queue, int64_t nanoseconds, struct patchbay_ready *ready, int capacity) {
    struct epoll_event events[MOST];
    int64_t milliseconds = (nanoseconds + 999999) / 1000000;
    int count = epoll_wait(queue.queue, events, capacity < MOST ? capacity : MOST, (int)milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -1;
    int sockets = 0;
    for (int i = 0; i < count; i++) {
        int socket = (int)(uint32_t)events[i].data.u64;
        if (socket == queue.alarm) {
            uint64_t rung;
            if (read(queue.alarm, &rung, sizeof(rung)) < 0 && errno != EAGAIN) return -1;
            continue;
        }
        int what = events[i].events & EPOLLIN ? READ : 0;
        if (events[i].events & EPOLLOUT) what |= WRITE;
        if (events[i].events & (EPOLLERR | EPOLLHUP)) what = 0;
        ready[sockets++] = (struct patchbay_ready){socket, what, (uint32_t)(events[i].data.u64 >> 32)};
    }
    return sockets;
}

void patchbay_queue_wake(struct patchbay_queue queue) {
    uint64_t one = 1;
    // The write fails only if the eventfd's counter is full, and then it wakes the loop anyway.
    ssize_t written = write(queue.alarm, &one, sizeof(one));
    (void)written;
}

#else

#include <sys/event.h>
#include <time.h>

static int change(struct patchbay_queue queue, uint32_t multi, int socket, short filter, unsigned short flags,
                  unsigned int notes) {
    struct kevent change;
    EV_SET(&change, socket, filter, flags, notes, 0, (void *)(uintptr_t)multi);
    return kevent(queue.queue, &change, 1, NULL, 0, NULL) == 0 ? 0 : errno;
}

int patchbay_queue_open(struct patchbay_queue *queue) {
    *queue = (struct patchbay_queue){.queue = kqueue(), .alarm = -1};
    int error = change(*queue, 0, 0, EVFILT_USER, EV_ADD | EV_CLEAR, 0);
    if (error) patchbay_queue_close(*queue);
    return error;
}

int patchbay_queue_set(struct patchbay_queue queue, uint32_t multi, int socket, int what, int is_watched) {
    (void)is_watched;
    int error = 0;
    // Deleting an event that is not watched fails, which is harmless.
    if (what & READ) error = change(queue, multi, socket, EVFILT_READ, EV_ADD, 0);
    else change(queue, multi, socket, EVFILT_READ, EV_DELETE, 0);
    if (what & WRITE) error = error ? error : change(queue, multi, socket, EVFILT_WRITE, EV_ADD, 0);
    else change(queue, multi, socket, EVFILT_WRITE, EV_DELETE, 0);
    return error;
}

int patchbay_queue_wait(struct patchbay_queue queue, int64_t nanoseconds, struct patchbay_ready *ready, int capacity) {
    struct kevent events[MOST];
    struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    int count = kevent(queue.queue, NULL, 0, events, capacity < MOST ? capacity : MOST, &time);
    if (count < 0) return errno == EINTR ? 0 : -1;
    int sockets = 0;
    for (int i = 0; i < count; i++) {
        if (events[i].filter == EVFILT_USER) continue;
        int what = events[i].filter == EVFILT_READ ? READ : WRITE;
        if (events[i].flags & (EV_ERROR | EV_EOF)) what = 0;
        ready[sockets++] = (struct patchbay_ready){(int)events[i].ident, what, (uint32_t)(uintptr_t)events[i].udata};
    }
    return sockets;
}

void patchbay_queue_wake(struct patchbay_queue queue) { change(queue, 0, 0, EVFILT_USER, 0, NOTE_TRIGGER); }

#endif

void patchbay_queue_close(struct patchbay_queue queue) {
    if (queue.alarm >= 0) close(queue.alarm);
    if (queue.queue >= 0) close(queue.queue);
}

int patchbay_socket_is_between(int socket, int local_port, const char *remote, int remote_port) {
    struct sockaddr_storage local, peer;
    socklen_t local_size = sizeof(local), peer_size = sizeof(peer);
    if (getsockname(socket, (struct sockaddr *)&local, &local_size)) return 0;
    if (getpeername(socket, (struct sockaddr *)&peer, &peer_size) || peer.ss_family != local.ss_family) return 0;
    if (local.ss_family != AF_INET && local.ss_family != AF_INET6) return 0;
    // The port has the same place in both families.
    struct sockaddr_in *own = (struct sockaddr_in *)&local, *other = (struct sockaddr_in *)&peer;
    if (ntohs(own->sin_port) != local_port || ntohs(other->sin_port) != remote_port) return 0;
    const void *host = peer.ss_family == AF_INET ? (const void *)&other->sin_addr
                                                 : (const void *)&((struct sockaddr_in6 *)&peer)->sin6_addr;
    char address[INET6_ADDRSTRLEN];
    return inet_ntop(peer.ss_family, host, address, sizeof(address)) && !strcmp(address, remote);
}

int patchbay_socket_peek(int socket) {
    char byte;
    ssize_t count = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return -1;
    return count > 0;
}

int patchbay_socket_is_reset(int socket) {
    struct pollfd file = {.fd = socket};
    return poll(&file, 1, 0) == 1 && (file.revents & (POLLERR | POLLHUP)) != 0;
}
