#define _GNU_SOURCE
#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#include "LibcurlLoader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum patchbay_curl_readiness patchbay_curl_start(void) { return patchbay_libcurl_prepare(); }

int patchbay_curl_has_openssl(void) {
    static const char *const names[] = {" OpenSSL/", " LibreSSL/", " BoringSSL", " quictls/", " AWS-LC/"};
    const char *version = curl_version();
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strstr(version, names[i])) return 1;
    }
    return 0;
}

unsigned patchbay_curl_version(void) { return curl_version_info(CURLVERSION_FIRST)->version_num; }

void *patchbay_curl_easy_open(void) { return curl_easy_init(); }
void patchbay_curl_easy_close(void *easy) { curl_easy_cleanup(easy); }
void patchbay_curl_easy_reset(void *easy) { curl_easy_reset(easy); }

int patchbay_curl_set_number(void *easy, enum patchbay_curl_option option, int64_t value) {
    if ((int)option >= CURLOPTTYPE_OFF_T) return (int)curl_easy_setopt(easy, (CURLoption)option, (curl_off_t)value);
    return (int)curl_easy_setopt(easy, (CURLoption)option, (long)value);
}

int patchbay_curl_set_string(void *easy, enum patchbay_curl_option option, const char *value) {
    return (int)curl_easy_setopt(easy, (CURLoption)option, value);
}

int patchbay_curl_set_authorities(void *easy, const void *bytes, size_t count) {
    struct curl_blob blob = {.data = (void *)bytes, .len = count, .flags = CURL_BLOB_NOCOPY};
    return (int)curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob);
}

int patchbay_curl_set_certificate(void *easy, const void *certificate, size_t count, const void *key,
                                  size_t key_count) {
    struct curl_blob blob = {.data = (void *)certificate, .len = count, .flags = CURL_BLOB_COPY};
    int code = (int)curl_easy_setopt(easy, CURLOPT_SSLCERT_BLOB, &blob);
    if (code != 0) return code;
    blob = (struct curl_blob){.data = (void *)key, .len = key_count, .flags = CURL_BLOB_COPY};
    return (int)curl_easy_setopt(easy, CURLOPT_SSLKEY_BLOB, &blob);
}

const char *patchbay_curl_system_authorities(void *easy) {
    char *path = NULL;
    return curl_easy_getinfo(easy, (CURLINFO)PATCHBAY_LIBCURL_CAINFO, &path) == 0 ? path : NULL;
}

/// A list of lines, each with a NUL after it; NULL if there is no memory. libcurl only reads it, and `free` frees it.
static struct curl_slist *list_of(const void *lines, size_t bytes, size_t count) {
    // One block: first the entries, because they need its alignment, then the text.
    struct curl_slist *list = malloc(count * sizeof(struct curl_slist) + bytes);
    if (!list) return NULL;
    char *line = memcpy(list + count, lines, bytes);
    for (size_t i = 0; i < count; i++) {
        list[i] = (struct curl_slist){line, i + 1 < count ? &list[i + 1] : NULL};
        line += strlen(line) + 1;
    }
    return list;
}

int patchbay_curl_set_fields(void *easy, struct patchbay_curl_facts *facts, const void *lines, size_t bytes,
                             size_t count) {
    facts->fields = list_of(lines, bytes, count);
    return facts->fields ? (int)curl_easy_setopt(easy, CURLOPT_HTTPHEADER, (struct curl_slist *)facts->fields) : -1;
}

int patchbay_curl_set_connect_to(void *easy, struct patchbay_curl_facts *facts, const char *line) {
    facts->address = list_of(line, strlen(line) + 1, 1);
    return facts->address ? (int)curl_easy_setopt(easy, CURLOPT_CONNECT_TO, (struct curl_slist *)facts->address) : -1;
}

int patchbay_curl_set_handlers(void *easy, struct patchbay_curl_handlers handlers, void *context, int sends) {
    int failed = (int)curl_easy_setopt(easy, CURLOPT_PRIVATE, context);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, handlers.on_line);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, handlers.on_body);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    if (!sends) return failed;
    failed |= (int)curl_easy_setopt(easy, CURLOPT_READFUNCTION, handlers.fill);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_READDATA, context);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, handlers.seek);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
    return failed | patchbay_curl_set_on_progress(easy, handlers.on_progress, context);
}

int patchbay_curl_set_on_progress(void *easy, int (*on_progress)(void *, int64_t, int64_t, int64_t, int64_t),
                                  void *context) {
    int failed = (int)curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_XFERINFODATA, context);
    return failed | (int)curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
}

void patchbay_curl_judge_connections(void *easy, struct patchbay_curl_facts *facts, patchbay_curl_judge judge,
                                     void *context) {
    int failed = (int)curl_easy_setopt(easy, (CURLoption)PATCHBAY_LIBCURL_PREREQFUNCTION, judge);
    failed |= (int)curl_easy_setopt(easy, (CURLoption)PATCHBAY_LIBCURL_PREREQDATA, context);
    // libcurl sends any request again after a kept connection was lost, over up to five more connections, even if the
    // host has processed the request. With this option, which is for RTSP, it leaves that to the caller. The option has
    // no other effect on HTTP (7.88.1: Curl_retry_request).
    if (!failed) failed = (int)curl_easy_setopt(easy, CURLOPT_RTSP_REQUEST, (long)CURL_RTSPREQ_RECEIVE);
    facts->repeats_only_refusals = !failed;
}

int patchbay_curl_set_raw_handler(
    void *easy, int (*on_raw)(void *easy, unsigned kind, char *bytes, size_t count, void *context), void *context) {
    int failed = (int)curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, on_raw);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_DEBUGDATA, context);
    return failed | (int)curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
}

int patchbay_curl_set_trailers(void *easy, int (*on_trailers)(void **list, void *context), void *context) {
    int failed = (int)curl_easy_setopt(easy, CURLOPT_TRAILERFUNCTION, on_trailers);
    return failed | (int)curl_easy_setopt(easy, CURLOPT_TRAILERDATA, context);
}

int patchbay_curl_list_append(void **list, const char *line) {
    struct curl_slist *longer = curl_slist_append(*list, line);
    if (!longer) return -1;
    *list = longer;
    return 0;
}

int patchbay_curl_set_http_only(void *easy) {
    // CURLOPT_PROTOCOLS takes bits: http is 1 and https is 2. It is deprecated, but a call costs a tenth of a call with
    // CURLOPT_PROTOCOLS_STR, which libcurl 7.85 added and which takes names.
    if (curl_easy_setopt(easy, (CURLoption)PATCHBAY_LIBCURL_PROTOCOLS, 3L) == 0) return 0;
    return (int)curl_easy_setopt(easy, (CURLoption)PATCHBAY_LIBCURL_PROTOCOLS_STR, "http,https");
}

/// Makes the system end a connection whose peer acknowledges nothing for two minutes. While nothing is sent, the system
/// asks the peer after one minute, and then every 15 seconds. A socket without one of these options works too.
static void limit_silence(int file, const struct curl_sockaddr *address) {
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

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
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
    patchbay_watch_note_open(facts->watch, file);
    return file;
}

static int close_socket(void *watch, curl_socket_t socket) {
    patchbay_watch_note_close(watch, socket);
    return close(socket);
}

int patchbay_curl_collect_facts(void *easy, struct patchbay_curl_facts *facts) {
    int failed = (int)curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, facts->text);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, facts);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
    return failed | (int)curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, facts->watch);
}

const char *patchbay_curl_failure_text(const struct patchbay_curl_facts *facts) { return facts->text; }

void patchbay_curl_forget_facts(struct patchbay_curl_facts *facts) {
    free(facts->fields);
    free(facts->address);
    *facts = (struct patchbay_curl_facts){.watch = facts->watch};
}

int64_t patchbay_curl_number(void *easy, enum patchbay_curl_info info) {
    if ((int)info >= CURLINFO_OFF_T) {
        curl_off_t value = -1;
        return curl_easy_getinfo(easy, (CURLINFO)info, &value) == 0 ? (int64_t)value : -1;
    }
    long value = -1;
    return curl_easy_getinfo(easy, (CURLINFO)info, &value) == 0 ? (int64_t)value : -1;
}

const char *patchbay_curl_remote_address(void *easy) {
    char *address = NULL;
    return curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &address) == 0 ? address : NULL;
}

#if defined(__linux__)
/// OpenSSL's session of the connection; NULL without one.
static const void *openssl_session(void *easy) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != 0 || !session ||
        session->backend != CURLSSLBACKEND_OPENSSL)
        return NULL;
    return session->internals;
}

/// A function of the OpenSSL that libcurl has loaded. Both threads of a race store the same address.
static void *openssl_function(_Atomic(void *) *function, const char *name) {
    void *found = atomic_load(function);
    if (!found) atomic_store(function, found = patchbay_libcurl_find(name));
    return found;
}
#endif

const char *patchbay_curl_tls_version(void *easy) {
#if defined(__linux__)
    static _Atomic(void *) function;
    const void *session = openssl_session(easy);
    void *found = session ? openssl_function(&function, "SSL_get_version") : NULL;
    return found ? ((const char *(*)(const void *))found)(session) : NULL;
#else
    (void)easy;
    return NULL;
#endif
}

int patchbay_curl_has_tls_ended(void *easy) {
#if defined(__linux__)
    static _Atomic(void *) function;
    const void *session = openssl_session(easy);
    void *found = session ? openssl_function(&function, "SSL_get_shutdown") : NULL;
    // SSL_RECEIVED_SHUTDOWN of <openssl/ssl.h> is 2.
    return found ? (((int (*)(const void *))found)(session) & 2) != 0 : -1;
#else
    (void)easy;
    return -1;
#endif
}

int patchbay_curl_is_peer_gone(int socket) {
    char byte;
    ssize_t count = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

int patchbay_curl_is_reset(int socket) {
    struct pollfd file = {.fd = socket};
    return poll(&file, 1, 0) == 1 && (file.revents & (POLLERR | POLLHUP)) != 0;
}

int patchbay_curl_resume(void *easy) { return (int)curl_easy_pause(easy, CURLPAUSE_CONT); }

void *patchbay_curl_multi_open(void) { return curl_multi_init(); }
void patchbay_curl_multi_close(void *multi) { curl_multi_cleanup(multi); }

int patchbay_curl_multi_set(void *multi, enum patchbay_curl_multi_option option, int64_t value) {
    return (int)curl_multi_setopt(multi, (CURLMoption)option, (long)value);
}

int patchbay_curl_multi_add(void *multi, void *easy) { return (int)curl_multi_add_handle(multi, easy); }
int patchbay_curl_multi_remove(void *multi, void *easy) { return (int)curl_multi_remove_handle(multi, easy); }

int patchbay_curl_multi_act(void *multi, int socket, int what) {
    int running = 0;
    return (int)curl_multi_socket_action(multi, socket, what, &running);
}

int patchbay_curl_multi_act_when_due(void *multi) { return patchbay_curl_multi_act(multi, CURL_SOCKET_TIMEOUT, 0); }

void *patchbay_curl_multi_next(void *multi, int *code) {
    int left = 0;
    CURLMsg *message = curl_multi_info_read(multi, &left);
    while (message && message->msg != CURLMSG_DONE) message = curl_multi_info_read(multi, &left);
    if (!message) return NULL;
    *code = (int)message->data.result;
    void *context = NULL;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &context);
    return context;
}
