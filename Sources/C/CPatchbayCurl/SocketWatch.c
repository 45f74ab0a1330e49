#define CURL_DISABLE_TYPECHECK
#include "SocketWatch.h"
#include "LibcurlLoader.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/// The bits of the state of a descriptor.
enum {
    /// libcurl waits to read from the socket, and to write to it: CURL_POLL_IN and CURL_POLL_OUT.
    WANTED = CURL_POLL_IN | CURL_POLL_OUT,
    /// The queue watches the socket for this, the bits of WANTED shifted.
    WATCHED_SHIFT = 2,
    /// The socket was opened for a connection. Its closing is reported if a transfer had the connection (7.88.1 closes
    /// others, such as those of failed attempts, without a report).
    IS_CONNECTION = 1 << 4,
    /// The socket became readable while libcurl waited for nothing on it.
    HAS_UNASKED = 1 << 5,
};

struct state {
    /// The turn in which the socket of a connection was last ready to read.
    int64_t arrival;
    /// The number of the multi handle with the socket.
    uint32_t multi;
    unsigned char bits;
};

/// The sockets of idle connections stay watched for reading, and the queue is told nothing when a transfer begins or
/// ends. An event that libcurl does not wait for ends the watch, unless another thread has read the bytes in the meantime.
///
/// Where a transfer has no connection yet, the queue is told of every change: the number can be that of a socket that was
/// closed without a report, and now belong to another one, such as one of the resolver's pairs.
struct watch {
    /// The descriptor of epoll or kqueue.
    int queue;
    /// An eventfd that ends a wait; kqueue needs none.
    int alarm;
    /// The errno of the first socket that could not be watched or released; 0 for none.
    int failure;
    /// Whether a socket can have HAS_UNASKED.
    int has_unasked;
    /// The states of the descriptors, by number.
    struct state *states;
    int count;
};

/// One of the multi handles whose sockets are watched.
struct served {
    struct watch *watch;
    uint32_t number;
    int64_t deadline;
    /// Called with the context of a transfer, and libcurl's use of its socket.
    int (*on_use)(void *transfer, int socket, int reads, int writes);
};

enum { NANOSECONDS_PER_MILLISECOND = 1000000 };

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

#if defined(__linux__)

#include <sys/epoll.h>
#include <sys/eventfd.h>

static int queue_open(struct watch *watch) {
    watch->queue = epoll_create1(EPOLL_CLOEXEC);
    if (watch->queue < 0) return -1;
    watch->alarm = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (watch->alarm < 0) return -1;
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint32_t)watch->alarm};
    return epoll_ctl(watch->queue, EPOLL_CTL_ADD, watch->alarm, &event);
}

static int queue_set(struct watch *watch, uint32_t multi, int socket, int what, int is_watched) {
    struct epoll_event event = {.data.u64 = (uint64_t)multi << 32 | (uint32_t)socket};
    if (what == CURL_POLL_REMOVE) {
        if (epoll_ctl(watch->queue, EPOLL_CTL_DEL, socket, &event) == 0) return 0;
        // epoll drops a closed socket by itself. Its number then belongs to no file (EBADF), to a file that is not
        // watched (ENOENT), or to a file that cannot be watched (EPERM). These errors are harmless. After any other
        // error, the socket can still be watched although nothing reads it, and would wake the loop again and again.
        // Such an error is a failure of the watch.
        return errno == EBADF || errno == ENOENT || errno == EPERM ? 0 : -1;
    }
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    if (is_watched && epoll_ctl(watch->queue, EPOLL_CTL_MOD, socket, &event) == 0) return 0;
    if (epoll_ctl(watch->queue, EPOLL_CTL_ADD, socket, &event) == 0) return 0;
    return errno == EEXIST ? epoll_ctl(watch->queue, EPOLL_CTL_MOD, socket, &event) : -1;
}

static int queue_wait(struct watch *watch, int64_t nanoseconds, struct patchbay_ready *ready, int capacity) {
    enum { MOST = 64 };
    struct epoll_event events[MOST];
    int64_t milliseconds = (nanoseconds + NANOSECONDS_PER_MILLISECOND - 1) / NANOSECONDS_PER_MILLISECOND;
    int count = epoll_wait(watch->queue, events, capacity < MOST ? capacity : MOST, (int)milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -1;
    int sockets = 0;
    for (int i = 0; i < count; i++) {
        int socket = (int)(uint32_t)events[i].data.u64;
        if (socket == watch->alarm) {
            uint64_t rung;
            if (read(watch->alarm, &rung, sizeof(rung)) < 0 && errno != EAGAIN) return -1;
            continue;
        }
        int what = events[i].events & EPOLLIN ? CURL_CSELECT_IN : 0;
        if (events[i].events & EPOLLOUT) what |= CURL_CSELECT_OUT;
        if (events[i].events & (EPOLLERR | EPOLLHUP)) what = 0;
        ready[sockets++] = (struct patchbay_ready){socket, what, (uint32_t)(events[i].data.u64 >> 32)};
    }
    return sockets;
}

static void queue_wake(struct watch *watch) {
    uint64_t one = 1;
    // The write fails only if the eventfd's counter is full, and then it wakes the loop anyway.
    ssize_t written = write(watch->alarm, &one, sizeof(one));
    (void)written;
}

#else

#include <sys/event.h>

static int queue_change(struct watch *watch, uint32_t multi, int socket, short filter, unsigned short flags,
                        unsigned int notes) {
    struct kevent change;
    EV_SET(&change, socket, filter, flags, notes, 0, (void *)(uintptr_t)multi);
    return kevent(watch->queue, &change, 1, NULL, 0, NULL);
}

static int queue_open(struct watch *watch) {
    watch->queue = kqueue();
    return queue_change(watch, 0, 0, EVFILT_USER, EV_ADD | EV_CLEAR, 0);
}

static int queue_set(struct watch *watch, uint32_t multi, int socket, int what, int is_watched) {
    (void)is_watched;
    int failed = 0;
    // Deleting an event that is not watched fails, which is harmless.
    if (what & CURL_POLL_IN) failed |= queue_change(watch, multi, socket, EVFILT_READ, EV_ADD, 0);
    else queue_change(watch, multi, socket, EVFILT_READ, EV_DELETE, 0);
    if (what & CURL_POLL_OUT) failed |= queue_change(watch, multi, socket, EVFILT_WRITE, EV_ADD, 0);
    else queue_change(watch, multi, socket, EVFILT_WRITE, EV_DELETE, 0);
    return failed;
}

static int queue_wait(struct watch *watch, int64_t nanoseconds, struct patchbay_ready *ready, int capacity) {
    enum { MOST = 64 };
    struct kevent events[MOST];
    struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    int count = kevent(watch->queue, NULL, 0, events, capacity < MOST ? capacity : MOST, &time);
    if (count < 0) return errno == EINTR ? 0 : -1;
    int sockets = 0;
    for (int i = 0; i < count; i++) {
        if (events[i].filter == EVFILT_USER) continue;
        int what = events[i].filter == EVFILT_READ ? CURL_CSELECT_IN : CURL_CSELECT_OUT;
        if (events[i].flags & (EV_ERROR | EV_EOF)) what = 0;
        ready[sockets++] = (struct patchbay_ready){(int)events[i].ident, what, (uint32_t)(uintptr_t)events[i].udata};
    }
    return sockets;
}

static void queue_wake(struct watch *watch) { queue_change(watch, 0, 0, EVFILT_USER, 0, NOTE_TRIGGER); }

#endif

/// Makes the queue watch the socket for the bits of WANTED, or not at all.
static void set(struct watch *watch, uint32_t multi, int socket, int wanted, int is_watched) {
    int failed = queue_set(watch, multi, socket, wanted ? wanted : CURL_POLL_REMOVE, is_watched);
    if (failed && !watch->failure) watch->failure = errno ? errno : EIO;
}

static int is_connection(struct watch *watch, int socket) {
    return socket >= 0 && socket < watch->count && (watch->states[socket].bits & IS_CONNECTION);
}

static int watched(struct watch *watch, int socket) { return watch->states[socket].bits >> WATCHED_SHIFT & WANTED; }

/// Makes the queue watch the socket of a connection for the bits of WANTED, or not at all.
static void set_connection(struct watch *watch, int socket, int what) {
    struct state *state = &watch->states[socket];
    set(watch, state->multi, socket, what, watched(watch, socket));
    state->bits = (unsigned char)(IS_CONNECTION | what << WATCHED_SHIFT | (state->bits & WANTED));
}

void patchbay_watch_note_open(void *context, int socket) {
    struct watch *watch = context;
    if (socket < 0) return;
    if (socket >= watch->count) {
        int count = socket < 64 ? 128 : socket > INT_MAX / 2 ? INT_MAX : 2 * socket;
        struct state *states = calloc((size_t)count, sizeof(struct state));
        // Without memory, the socket is watched as libcurl's other sockets are.
        if (!states) return;
        if (watch->count) memcpy(states, watch->states, (size_t)watch->count * sizeof(struct state));
        free(watch->states);
        watch->states = states;
        watch->count = count;
    }
    watch->states[socket] = (struct state){.bits = IS_CONNECTION};
}

void patchbay_watch_note_close(void *context, int socket) {
    struct watch *watch = context;
    if (!is_connection(watch, socket)) return;
    // The queue forgets a closed socket by itself, but not while a child process has a copy of it.
    if (watched(watch, socket)) set_connection(watch, socket, 0);
    watch->states[socket] = (struct state){0};
}

/// Whether the socket has bytes, an end or a failure to read.
static int is_readable(int socket) {
    char byte;
    return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

int patchbay_watch_wants(void *context, struct patchbay_ready *ready, int64_t turn) {
    struct watch *watch = context;
    if (!is_connection(watch, ready->socket)) return 1;
    struct state *state = &watch->states[ready->socket];
    // The event is that of a closed socket with the same number.
    if (state->multi != ready->multi) return 0;
    int wanted = state->bits & WANTED;
    // Without an event, the connection has failed or ended.
    int is_over = !ready->what;
    if (is_over || ready->what & CURL_POLL_IN) state->arrival = turn;
    int is_unwanted = is_over ? !wanted : ready->what & ~wanted & CURL_POLL_IN;
    if (is_unwanted && is_readable(ready->socket)) {
        set_connection(watch, ready->socket, wanted);
        if (!wanted) {
            state->bits |= HAS_UNASKED;
            watch->has_unasked = 1;
        }
    }
    ready->what &= wanted;
    return wanted && (is_over || ready->what);
}

/// Whether the socket connects a local port to a remote address and port. A connection is known by these: libcurl 7.88.1
/// does not tell the socket of a transfer before the transfer has ended.
static int is_between(int socket, int local_port, const char *remote, int remote_port) {
    struct sockaddr_storage local, peer;
    socklen_t local_size = sizeof(local), peer_size = sizeof(peer);
    if (getsockname(socket, (struct sockaddr *)&local, &local_size)) return 0;
    if (getpeername(socket, (struct sockaddr *)&peer, &peer_size) || peer.ss_family != local.ss_family) return 0;
    char address[INET6_ADDRSTRLEN];
    if (local.ss_family == AF_INET) {
        struct sockaddr_in *own = (struct sockaddr_in *)&local, *other = (struct sockaddr_in *)&peer;
        return ntohs(own->sin_port) == local_port && ntohs(other->sin_port) == remote_port &&
               inet_ntop(AF_INET, &other->sin_addr, address, sizeof(address)) && !strcmp(address, remote);
    }
    if (local.ss_family != AF_INET6) return 0;
    struct sockaddr_in6 *own = (struct sockaddr_in6 *)&local, *other = (struct sockaddr_in6 *)&peer;
    return ntohs(own->sin6_port) == local_port && ntohs(other->sin6_port) == remote_port &&
           inet_ntop(AF_INET6, &other->sin6_addr, address, sizeof(address)) && !strcmp(address, remote);
}

int patchbay_watch_has_unasked(void *context, int local_port, const char *remote, int remote_port) {
    struct watch *watch = context;
    // Hardly ever has a socket been left with bytes.
    if (!watch->has_unasked) return 0;
    watch->has_unasked = 0;
    int is_found = 0;
    for (int socket = 0; socket < watch->count; socket++) {
        if (!(watch->states[socket].bits & HAS_UNASKED)) continue;
        // A socket that is no longer readable had the bytes of a paused transfer, which has read them since. A
        // connection that is found is closed, so it is not found again.
        int is_asked = !is_readable(socket);
        int is_this = !is_asked && is_between(socket, local_port, remote, remote_port);
        if (is_asked || is_this) watch->states[socket].bits &= (unsigned char)~HAS_UNASKED;
        else watch->has_unasked = 1;
        if (is_this) is_found = 1;
    }
    return is_found;
}

int64_t patchbay_watch_last_arrival(void *context, int local_port, const char *remote, int remote_port) {
    struct watch *watch = context;
    for (int socket = 0; socket < watch->count; socket++) {
        if (is_connection(watch, socket) && is_between(socket, local_port, remote, remote_port))
            return watch->states[socket].arrival;
    }
    return -1;
}

static int on_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
    (void)known;
    struct served *served = context;
    struct watch *watch = served->watch;
    void *transfer = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
    // libcurl's internal handles, which close connections, have no context.
    int is_connected = transfer && served->on_use(transfer, socket, what & CURL_POLL_IN, what & CURL_POLL_OUT);
    int wanted = what == CURL_POLL_REMOVE ? 0 : what & WANTED;
    if (!is_connection(watch, socket)) {
        set(watch, served->number, socket, wanted, 0);
    } else {
        struct state *state = &watch->states[socket];
        state->multi = served->number;
        state->bits = (unsigned char)((state->bits & ~WANTED) | wanted);
        // Reading stays watched. It is also watched once the transfer has left the connection: if a response arrives at
        // once, libcurl 8 reads it without asking for reading.
        int kept = wanted ? wanted | (watched(watch, socket) & CURL_POLL_IN) : CURL_POLL_IN;
        if (!is_connected) set_connection(watch, socket, wanted);
        else if (kept != watched(watch, socket)) set_connection(watch, socket, kept);
    }
    // Never -1, even if the socket is not watched: libcurl 7.88.1 would leave its lists of sockets inconsistent, and
    // its next action would read freed transfers. libcurl continues as if the watch had worked. No transfer waits
    // forever for such a socket, because the loop checks for the failure at the end of the same turn, and closes.
    return 0;
}

static int on_timer(CURLM *multi, long milliseconds, void *context) {
    (void)multi;
    struct served *served = context;
    served->deadline = milliseconds < 0 ? INT64_MAX : now() + (int64_t)milliseconds * NANOSECONDS_PER_MILLISECOND;
    return 0;
}

void *patchbay_watch_open(int *failure) {
    struct watch *watch = malloc(sizeof(struct watch));
    if (!watch) {
        *failure = ENOMEM;
        return NULL;
    }
    *watch = (struct watch){.queue = -1, .alarm = -1};
    if (queue_open(watch) == 0) return watch;
    *failure = errno;
    patchbay_watch_close(watch);
    return NULL;
}

void patchbay_watch_close(void *context) {
    struct watch *watch = context;
    if (watch->alarm >= 0) close(watch->alarm);
    if (watch->queue >= 0) close(watch->queue);
    free(watch->states);
    free(watch);
}

void *patchbay_watch_serve(void *watch, void *multi, uint32_t number,
                           int (*on_use)(void *transfer, int socket, int reads, int writes)) {
    struct served *served = malloc(sizeof(struct served));
    if (!served) return NULL;
    *served = (struct served){watch, number, INT64_MAX, on_use};
    int failed = (int)curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    failed |= (int)curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, served);
    failed |= (int)curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    failed |= (int)curl_multi_setopt(multi, CURLMOPT_TIMERDATA, served);
    if (!failed) return served;
    free(served);
    return NULL;
}

void patchbay_watch_end_service(void *served) { free(served); }

int patchbay_watch_failure(void *watch) { return ((struct watch *)watch)->failure; }

int64_t patchbay_watch_deadline(void *served) { return ((struct served *)served)->deadline; }

int patchbay_watch_falls_due(void *context) {
    struct served *served = context;
    if (served->deadline == INT64_MAX || served->deadline > now()) return 0;
    // libcurl reports the next deadline, if there is one.
    served->deadline = INT64_MAX;
    return 1;
}

int patchbay_watch_wait(void *watch, int64_t deadline, struct patchbay_ready *ready, int capacity) {
    // At most a minute, so that the numbers stay small; the waiting loop then checks and waits again.
    const int64_t longest = (int64_t)60000 * NANOSECONDS_PER_MILLISECOND;
    int64_t time = now();
    int64_t left = deadline <= time ? 0 : deadline - time;
    return queue_wait(watch, left > longest ? longest : left, ready, capacity);
}

void patchbay_watch_wake(void *watch) { queue_wake(watch); }

void patchbay_keep_standard_input(void) {
    if (fcntl(STDIN_FILENO, F_GETFD) >= 0) return;
    int file = open("/dev/null", O_RDONLY);
    // Another thread can have opened a file with this number meanwhile.
    if (file > STDIN_FILENO) close(file);
}
