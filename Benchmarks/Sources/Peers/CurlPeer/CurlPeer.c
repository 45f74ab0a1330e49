#include "CurlPeer.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { MAXIMUM_FLYING = 64 };

typedef struct {
    CURL *easy;
    char *bytes;
    size_t count, capacity;
} Fetch;

struct CurlPeer {
    CURLM *multi;
    int epoll;
    long timeout;
    Fetch fetches[MAXIMUM_FLYING];
};

static size_t keep(char *bytes, size_t size, size_t count, void *context) {
    Fetch *fetch = context;
    count *= size;
    if (fetch->count + count > fetch->capacity) {
        size_t capacity = fetch->capacity ? fetch->capacity : 4096;
        while (capacity < fetch->count + count) capacity *= 2;
        char *grown = realloc(fetch->bytes, capacity);
        if (!grown) return 0;
        fetch->bytes = grown;
        fetch->capacity = capacity;
    }
    memcpy(fetch->bytes + fetch->count, bytes, count);
    fetch->count += count;
    return count;
}

static int watch(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
    (void)easy;
    CurlPeer *peer = context;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(peer->epoll, EPOLL_CTL_DEL, socket, NULL);
        return 0;
    }
    struct epoll_event event = {.data.fd = socket};
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    if (epoll_ctl(peer->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event) && !known) {
        epoll_ctl(peer->epoll, EPOLL_CTL_MOD, socket, &event);
    }
    curl_multi_assign(peer->multi, socket, peer);
    return 0;
}

static int set_timer(CURLM *multi, long timeout, void *context) {
    (void)multi;
    ((CurlPeer *)context)->timeout = timeout;
    return 0;
}

CurlPeer *curl_peer_new(void) {
    CurlPeer *peer = calloc(1, sizeof(CurlPeer));
    peer->epoll = epoll_create1(EPOLL_CLOEXEC);
    peer->timeout = -1;
    peer->multi = curl_multi_init();
    curl_multi_setopt(peer->multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(peer->multi, CURLMOPT_SOCKETDATA, peer);
    curl_multi_setopt(peer->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(peer->multi, CURLMOPT_TIMERDATA, peer);
    curl_multi_setopt(peer->multi, CURLMOPT_MAXCONNECTS, (long)MAXIMUM_FLYING);
    for (int index = 0; index < MAXIMUM_FLYING; index++) {
        Fetch *fetch = &peer->fetches[index];
        fetch->easy = curl_easy_init();
        curl_easy_setopt(fetch->easy, CURLOPT_WRITEFUNCTION, keep);
        curl_easy_setopt(fetch->easy, CURLOPT_WRITEDATA, fetch);
        curl_easy_setopt(fetch->easy, CURLOPT_PRIVATE, fetch);
        curl_easy_setopt(fetch->easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(fetch->easy, CURLOPT_PROXY, "");
        curl_easy_setopt(fetch->easy, CURLOPT_BUFFERSIZE, 512L * 1024);
        curl_easy_setopt(fetch->easy, CURLOPT_FAILONERROR, 1L);
    }
    return peer;
}

void curl_peer_free(CurlPeer *peer) {
    for (int index = 0; index < MAXIMUM_FLYING; index++) {
        curl_easy_cleanup(peer->fetches[index].easy);
        free(peer->fetches[index].bytes);
    }
    curl_multi_cleanup(peer->multi);
    close(peer->epoll);
    free(peer);
}

/// Forgets the body; a large one gives its memory back, as it would to a caller who takes it.
static void clear(Fetch *fetch) {
    fetch->count = 0;
    if (fetch->capacity > 1 << 20) {
        free(fetch->bytes);
        fetch->bytes = NULL;
        fetch->capacity = 0;
    }
}

size_t curl_peer_one_by_one(CurlPeer *peer, const char *url, size_t times) {
    Fetch *fetch = &peer->fetches[0];
    size_t failures = 0;
    curl_easy_setopt(fetch->easy, CURLOPT_URL, url);
    for (size_t time = 0; time < times; time++) {
        if (curl_easy_perform(fetch->easy) != CURLE_OK || fetch->count == 0) failures++;
        clear(fetch);
    }
    return failures;
}

size_t curl_peer_together(CurlPeer *peer, const char *url, size_t times, size_t flying) {
    size_t started = 0, ended = 0, failures = 0;
    if (flying > MAXIMUM_FLYING) flying = MAXIMUM_FLYING;
    for (; started < flying && started < times; started++) {
        curl_easy_setopt(peer->fetches[started].easy, CURLOPT_URL, url);
        curl_multi_add_handle(peer->multi, peer->fetches[started].easy);
    }
    struct epoll_event events[MAXIMUM_FLYING];
    int running;
    while (ended < times) {
        int count = epoll_wait(peer->epoll, events, MAXIMUM_FLYING, peer->timeout < 0 ? 1000 : (int)peer->timeout);
        if (count <= 0) curl_multi_socket_action(peer->multi, CURL_SOCKET_TIMEOUT, 0, &running);
        for (int index = 0; index < count; index++) {
            int what = (events[index].events & EPOLLIN ? CURL_CSELECT_IN : 0) |
                       (events[index].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                       (events[index].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
            curl_multi_socket_action(peer->multi, events[index].data.fd, what, &running);
        }
        CURLMsg *message;
        int left;
        while ((message = curl_multi_info_read(peer->multi, &left))) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL *easy = message->easy_handle;
            Fetch *fetch;
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, &fetch);
            if (message->data.result != CURLE_OK || fetch->count == 0) failures++;
            clear(fetch);
            curl_multi_remove_handle(peer->multi, easy);
            ended++;
            if (started < times) {
                curl_multi_add_handle(peer->multi, easy);
                started++;
            }
        }
    }
    return failures;
}

static size_t write_out(char *bytes, size_t size, size_t count, void *context) {
    return fwrite(bytes, size, count, context);
}

size_t curl_peer_to_file(CurlPeer *peer, const char *url, const char *path, size_t times) {
    CURL *easy = peer->fetches[0].easy;
    size_t failures = 0;
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, write_out);
    for (size_t time = 0; time < times; time++) {
        FILE *file = fopen(path, "wb");
        if (!file) {
            failures++;
            continue;
        }
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, file);
        if (curl_easy_perform(easy) != CURLE_OK) failures++;
        if (fflush(file) || fsync(fileno(file))) failures++;
        fclose(file);
        unlink(path);
    }
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, keep);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &peer->fetches[0]);
    return failures;
}
