#define _GNU_SOURCE
#include "Libcurl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define SET(handle, option, value) libcurl.curl_easy_setopt(handle, (int)(option), value)

unsigned patchbay_curl_version(void) { return libcurl.curl_version_info(PATCHBAY_CURLVERSION_FIRST)->version_num; }
const char *patchbay_curl_version_text(void) { return libcurl.curl_version(); }

void *patchbay_curl_easy_open(void) { return libcurl.curl_easy_init(); }
void patchbay_curl_easy_close(void *easy) { libcurl.curl_easy_cleanup(easy); }
void patchbay_curl_easy_reset(void *easy) { libcurl.curl_easy_reset(easy); }

int patchbay_curl_set_number(void *easy, enum patchbay_curl_option option, int64_t value) {
    if ((int)option >= PATCHBAY_CURLOPTTYPE_OFF_T) return SET(easy, option, value);
    return SET(easy, option, (long)value);
}

int patchbay_curl_set_string(void *easy, enum patchbay_curl_option option, const char *value) {
    return SET(easy, option, value);
}

int patchbay_curl_set_bytes(void *easy, enum patchbay_curl_option option, const void *bytes, size_t count,
                            unsigned flags) {
    struct libcurl_blob blob = {.data = (void *)bytes, .len = count, .flags = flags};
    return SET(easy, option, &blob);
}

int patchbay_curl_set_list(void *easy, enum patchbay_curl_option option, void **place, const void *lines, size_t bytes,
                           size_t count) {
    // One block: first the entries, because they need its alignment, then the text. libcurl only reads it.
    struct libcurl_list *list = *place = malloc(count * sizeof(struct libcurl_list) + bytes);
    if (!list) return -1;
    char *line = memcpy(list + count, lines, bytes);
    for (size_t i = 0; i < count; i++) {
        list[i] = (struct libcurl_list){line, i + 1 < count ? &list[i + 1] : NULL};
        line += strlen(line) + 1;
    }
    return SET(easy, option, list);
}

/// Sets a callback and its context.
#define HANDLE(easy, name, callback, context)                                                                          \
    (SET(easy, PATCHBAY_CURLOPT_##name##FUNCTION, callback) | SET(easy, PATCHBAY_CURLOPT_##name##DATA, context))

int patchbay_curl_set_handlers(void *easy, struct patchbay_curl_handlers handlers, void *context) {
    int failed = 0;
    if (handlers.on_line) {
        failed |= SET(easy, PATCHBAY_CURLOPT_PRIVATE, context);
        failed |= HANDLE(easy, HEADER, handlers.on_line, context);
    }
    if (handlers.on_body) failed |= HANDLE(easy, WRITE, handlers.on_body, context);
    if (handlers.fill) failed |= HANDLE(easy, READ, handlers.fill, context);
    if (handlers.seek) failed |= HANDLE(easy, SEEK, handlers.seek, context);
    if (handlers.on_trailers) failed |= HANDLE(easy, TRAILER, handlers.on_trailers, context);
    if (handlers.on_progress) {
        failed |= HANDLE(easy, XFERINFO, handlers.on_progress, context);
        failed |= SET(easy, PATCHBAY_CURLOPT_NOPROGRESS, 0L);
    }
    if (handlers.on_wire) {
        failed |= HANDLE(easy, DEBUG, handlers.on_wire, context);
        failed |= SET(easy, PATCHBAY_CURLOPT_VERBOSE, 1L);
    }
    if (!handlers.judge) return failed;
    failed |= HANDLE(easy, PREREQ, handlers.judge, context);
    // libcurl sends any request again after a kept connection was lost, over up to five more connections, even if the
    // host has processed the request. With this option, which is for RTSP, it leaves that to the caller. The option has
    // no other effect on HTTP (7.88.1: Curl_retry_request).
    return failed || SET(easy, PATCHBAY_CURLOPT_RTSP_REQUEST, (long)PATCHBAY_CURL_RTSPREQ_RECEIVE);
}

int patchbay_curl_list_append(void **list, const char *line) {
    struct libcurl_list *longer = libcurl.curl_slist_append(*list, line);
    if (!longer) return -1;
    *list = longer;
    return 0;
}

/// Makes the system end a connection whose peer acknowledges nothing for two minutes. While nothing is sent, the system
/// asks the peer after one minute, and then every 15 seconds. A socket without one of these options works too.
static void limit_silence(int file, const struct libcurl_address *address) {
    int type = address->socktype;
#ifdef SOCK_NONBLOCK
    // libcurl 8.17 and later asks for a type with these flags.
    type &= ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
#endif
    if (file < 0 || type != SOCK_STREAM) return;
    if (address->family != AF_INET && address->family != AF_INET6) return;
    enum { ON = 1, IDLE = 60, INTERVAL = 15, ASKED = 4, LIMIT = IDLE + INTERVAL * ASKED };
    const struct {
        int level, name, value;
    } options[] = {
        {SOL_SOCKET, SO_KEEPALIVE, ON},
        {IPPROTO_TCP, TCP_KEEPINTVL, INTERVAL},
        {IPPROTO_TCP, TCP_KEEPCNT, ASKED},
#ifdef __APPLE__
        {IPPROTO_TCP, TCP_KEEPALIVE, IDLE},
        {IPPROTO_TCP, TCP_RXT_CONNDROPTIME, LIMIT},
#elif defined(TCP_USER_TIMEOUT)
        {IPPROTO_TCP, TCP_KEEPIDLE, IDLE},
        {IPPROTO_TCP, TCP_USER_TIMEOUT, LIMIT * 1000},
#endif
    };
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        setsockopt(file, options[i].level, options[i].name, &options[i].value, sizeof(int));
}

static int open_socket(void *context, int purpose, struct libcurl_address *address) {
    struct patchbay_curl_facts *facts = context;
    if (facts->sockets < UCHAR_MAX) ++facts->sockets;
    // The port has the same place in both families.
    int is_internet = address->family == AF_INET || address->family == AF_INET6;
    facts->port = is_internet ? ntohs(((struct sockaddr_in *)(void *)&address->addr)->sin_port) : 0;
    (void)purpose;
#ifdef SOCK_CLOEXEC
    int file = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
    int file = socket(address->family, address->socktype, address->protocol);
    if (file >= 0) fcntl(file, F_SETFD, FD_CLOEXEC);
#endif
    facts->socket_error = file < 0 ? errno : 0;
    limit_silence(file, address);
    if (file >= 0) facts->note_open(facts->watch, file);
    return file;
}

int patchbay_curl_collect_facts(void *easy, struct patchbay_curl_facts *facts,
                                int (*close_socket)(void *watch, int socket)) {
    int failed = SET(easy, PATCHBAY_CURLOPT_ERRORBUFFER, facts->text);
    failed |= HANDLE(easy, OPENSOCKET, open_socket, facts);
    return failed | HANDLE(easy, CLOSESOCKET, close_socket, facts->watch);
}

const char *patchbay_curl_failure_text(const struct patchbay_curl_facts *facts) { return facts->text; }

void patchbay_curl_forget_facts(struct patchbay_curl_facts *facts) {
    free(facts->fields);
    free(facts->address);
    *facts = (struct patchbay_curl_facts){.watch = facts->watch, .note_open = facts->note_open};
}

int64_t patchbay_curl_number(void *easy, enum patchbay_curl_info info) {
    if ((int)info >= PATCHBAY_CURLINFO_OFF_T) {
        int64_t value = -1;
        return libcurl.curl_easy_getinfo(easy, info, &value) == 0 ? value : -1;
    }
    long value = -1;
    return libcurl.curl_easy_getinfo(easy, info, &value) == 0 ? value : -1;
}

const char *patchbay_curl_text(void *easy, enum patchbay_curl_info info) {
    char *text = NULL;
    return libcurl.curl_easy_getinfo(easy, info, &text) == 0 ? text : NULL;
}

void *patchbay_curl_context(void *easy) {
    void *context = NULL;
    libcurl.curl_easy_getinfo(easy, PATCHBAY_CURLINFO_PRIVATE, &context);
    return context;
}

const void *patchbay_curl_openssl_session(void *easy) {
    struct libcurl_tls *session = NULL;
    if (libcurl.curl_easy_getinfo(easy, PATCHBAY_CURLINFO_TLS_SSL_PTR, &session) != 0 || !session) return NULL;
    return session->backend == PATCHBAY_CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}

int patchbay_curl_resume(void *easy) { return libcurl.curl_easy_pause(easy, PATCHBAY_CURLPAUSE_CONT); }

int patchbay_curl_check(void *easy) {
    // Only a transfer that was paused is acted on when it continues.
    libcurl.curl_easy_pause(easy, PATCHBAY_CURLPAUSE_RECV);
    return patchbay_curl_resume(easy);
}

void *patchbay_curl_multi_open(void) { return libcurl.curl_multi_init(); }
void patchbay_curl_multi_close(void *multi) { libcurl.curl_multi_cleanup(multi); }

int patchbay_curl_multi_report(void *multi, int (*on_socket)(void *, int, int, void *, void *),
                               int (*on_timer)(void *, long, void *), void *context) {
    int failed = libcurl.curl_multi_setopt(multi, PATCHBAY_CURLMOPT_SOCKETFUNCTION, on_socket);
    failed |= libcurl.curl_multi_setopt(multi, PATCHBAY_CURLMOPT_SOCKETDATA, context);
    failed |= libcurl.curl_multi_setopt(multi, PATCHBAY_CURLMOPT_TIMERFUNCTION, on_timer);
    return failed | libcurl.curl_multi_setopt(multi, PATCHBAY_CURLMOPT_TIMERDATA, context);
}

int patchbay_curl_multi_set(void *multi, enum patchbay_curl_multi_option option, int64_t value) {
    return libcurl.curl_multi_setopt(multi, option, (long)value);
}

int patchbay_curl_multi_add(void *multi, void *easy) { return libcurl.curl_multi_add_handle(multi, easy); }
int patchbay_curl_multi_remove(void *multi, void *easy) { return libcurl.curl_multi_remove_handle(multi, easy); }

int patchbay_curl_multi_act(void *multi, int socket, int what) {
    int running = 0;
    return libcurl.curl_multi_socket_action(multi, socket, what, &running);
}

void *patchbay_curl_multi_next(void *multi, int *code) {
    int left = 0;
    libcurl_message *message = libcurl.curl_multi_info_read(multi, &left);
    while (message && message->msg != PATCHBAY_CURLMSG_DONE) message = libcurl.curl_multi_info_read(multi, &left);
    if (!message) return NULL;
    *code = message->data.result;
    return patchbay_curl_context(message->easy_handle);
}
