#pragma once

// The part of libcurl that CurlTransport uses, as functions that Swift can call: libcurl's own setters and getters are
// variadic. The numbers below belong to libcurl's stable ABI. LibcurlCheck.c compares each number with <curl/curl.h> if
// that header is installed; the build does not need it.

#include "ContentDecoder.h"
#include "ContentEncoder.h"
#include "SocketWatch.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PATCHBAY_CURL_OPTIONS(X)                                                                                       \
    X(CURLOPT_URL, 10002)                                                                                              \
    X(CURLOPT_CUSTOMREQUEST, 10036)                                                                                    \
    X(CURLOPT_NOBODY, 44)                                                                                              \
    X(CURLOPT_POST, 47)                                                                                                \
    X(CURLOPT_FOLLOWLOCATION, 52)                                                                                      \
    X(CURLOPT_SSLVERSION, 32)                                                                                          \
    X(CURLOPT_SSL_VERIFYPEER, 64)                                                                                      \
    X(CURLOPT_SSL_VERIFYHOST, 81)                                                                                      \
    X(CURLOPT_SSL_OPTIONS, 216)                                                                                        \
    X(CURLOPT_SSLCERT, 10025)                                                                                          \
    X(CURLOPT_KEYPASSWD, 10026)                                                                                        \
    X(CURLOPT_CAINFO, 10065)                                                                                           \
    X(CURLOPT_SSLKEY, 10087)                                                                                           \
    X(CURLOPT_CAPATH, 10097)                                                                                           \
    X(CURLOPT_PINNEDPUBLICKEY, 10230)                                                                                  \
    X(CURLOPT_HTTP_VERSION, 84)                                                                                        \
    X(CURLOPT_PROXY, 10004)                                                                                            \
    X(CURLOPT_PROXY_CAINFO, 10246)                                                                                     \
    X(CURLOPT_PROXY_CAPATH, 10247)                                                                                     \
    X(CURLOPT_PROXYUSERNAME, 10175)                                                                                    \
    X(CURLOPT_PROXYPASSWORD, 10176)                                                                                    \
    X(CURLOPT_NOPROXY, 10177)                                                                                          \
    X(CURLOPT_UNIX_SOCKET_PATH, 10231)                                                                                 \
    X(CURLOPT_IPRESOLVE, 113)                                                                                          \
    X(CURLOPT_CONNECTTIMEOUT_MS, 156)                                                                                  \
    X(CURLOPT_BUFFERSIZE, 98)                                                                                          \
    X(CURLOPT_NOSIGNAL, 99)                                                                                            \
    X(CURLOPT_POSTFIELDSIZE_LARGE, 30120)                                                                              \
    X(CURLOPT_COPYPOSTFIELDS, 10165)                                                                                   \
    X(CURLOPT_FRESH_CONNECT, 74)                                                                                       \
    X(CURLOPT_PATH_AS_IS, 234)                                                                                         \
    X(CURLOPT_IGNORE_CONTENT_LENGTH, 136)                                                                              \
    X(CURLOPT_FORBID_REUSE, 75)                                                                                        \
    X(CURLOPT_SUPPRESS_CONNECT_HEADERS, 265)                                                                           \
    X(CURLOPT_HTTP09_ALLOWED, 285)                                                                                     \
    X(CURLOPT_MAXAGE_CONN, 288)                                                                                        \
    X(CURLOPT_MAXLIFETIME_CONN, 314)                                                                                   \
    X(CURLOPT_QUICK_EXIT, 322)

#define PATCHBAY_CURL_MULTI_OPTIONS(X)                                                                                 \
    X(CURLMOPT_MAXCONNECTS, 6)                                                                                         \
    X(CURLMOPT_MAX_HOST_CONNECTIONS, 7)                                                                                \
    X(CURLMOPT_MAX_TOTAL_CONNECTIONS, 13)                                                                              \
    X(CURLMOPT_QUICK_EXIT, 21)

#define PATCHBAY_CURL_INFOS(X)                                                                                         \
    X(CURLINFO_SIZE_UPLOAD_T, 0x600007)                                                                                \
    X(CURLINFO_REQUEST_SIZE, 0x20000C)                                                                                 \
    X(CURLINFO_PROXY_ERROR, 0x20003B)                                                                                  \
    X(CURLINFO_HTTP_CONNECTCODE, 0x200016)                                                                             \
    X(CURLINFO_OS_ERRNO, 0x200019)                                                                                     \
    X(CURLINFO_PRIMARY_PORT, 0x200028)                                                                                 \
    X(CURLINFO_SSL_VERIFYRESULT, 0x20000D)                                                                             \
    X(CURLINFO_PROXY_SSL_VERIFYRESULT, 0x20002F)                                                                       \
    X(CURLINFO_NUM_CONNECTS, 0x20001A)                                                                                 \
    X(CURLINFO_HTTP_VERSION, 0x20002E)                                                                                 \
    X(CURLINFO_NAMELOOKUP_TIME_T, 0x600033)                                                                            \
    X(CURLINFO_CONNECT_TIME_T, 0x600034)                                                                               \
    X(CURLINFO_PRETRANSFER_TIME_T, 0x600035)                                                                           \
    X(CURLINFO_STARTTRANSFER_TIME_T, 0x600036)                                                                         \
    X(CURLINFO_APPCONNECT_TIME_T, 0x600038)

#define PATCHBAY_CURL_CODES(X)                                                                                         \
    X(CURLE_OK, 0)                                                                                                     \
    X(CURLE_UNSUPPORTED_PROTOCOL, 1)                                                                                   \
    X(CURLE_URL_MALFORMAT, 3)                                                                                          \
    X(CURLE_COULDNT_RESOLVE_PROXY, 5)                                                                                  \
    X(CURLE_COULDNT_RESOLVE_HOST, 6)                                                                                   \
    X(CURLE_COULDNT_CONNECT, 7)                                                                                        \
    X(CURLE_WEIRD_SERVER_REPLY, 8)                                                                                     \
    X(CURLE_HTTP2, 16)                                                                                                 \
    X(CURLE_PARTIAL_FILE, 18)                                                                                          \
    X(CURLE_OUT_OF_MEMORY, 27)                                                                                         \
    X(CURLE_OPERATION_TIMEDOUT, 28)                                                                                    \
    X(CURLE_SSL_CONNECT_ERROR, 35)                                                                                     \
    X(CURLE_ABORTED_BY_CALLBACK, 42)                                                                                   \
    X(CURLE_BAD_FUNCTION_ARGUMENT, 43)                                                                                 \
    X(CURLE_GOT_NOTHING, 52)                                                                                           \
    X(CURLE_SSL_ENGINE_NOTFOUND, 53)                                                                                   \
    X(CURLE_SSL_ENGINE_SETFAILED, 54)                                                                                  \
    X(CURLE_SEND_ERROR, 55)                                                                                            \
    X(CURLE_RECV_ERROR, 56)                                                                                            \
    X(CURLE_SSL_CERTPROBLEM, 58)                                                                                       \
    X(CURLE_SSL_CIPHER, 59)                                                                                            \
    X(CURLE_PEER_FAILED_VERIFICATION, 60)                                                                              \
    X(CURLE_BAD_CONTENT_ENCODING, 61)                                                                                  \
    X(CURLE_FILESIZE_EXCEEDED, 63)                                                                                     \
    X(CURLE_SEND_FAIL_REWIND, 65)                                                                                      \
    X(CURLE_SSL_ENGINE_INITFAILED, 66)                                                                                 \
    X(CURLE_SSL_CACERT_BADFILE, 77)                                                                                    \
    X(CURLE_SSL_CRL_BADFILE, 82)                                                                                       \
    X(CURLE_SSL_ISSUER_ERROR, 83)                                                                                      \
    X(CURLE_SSL_PINNEDPUBKEYNOTMATCH, 90)                                                                              \
    X(CURLE_SSL_INVALIDCERTSTATUS, 91)                                                                                 \
    X(CURLE_HTTP2_STREAM, 92)                                                                                          \
    X(CURLE_PROXY, 97)                                                                                                 \
    X(CURLE_SSL_CLIENTCERT, 98)                                                                                        \
    X(CURLE_TOO_LARGE, 100)

#define PATCHBAY_CURL_VALUES(X)                                                                                        \
    X(CURL_HTTP_VERSION_1_0, 1)                                                                                        \
    X(CURL_HTTP_VERSION_1_1, 2)                                                                                        \
    X(CURL_HTTP_VERSION_2_0, 3)                                                                                        \
    X(CURL_HTTP_VERSION_2TLS, 4)                                                                                       \
    X(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE, 5)                                                                          \
    X(CURL_HTTP_VERSION_3, 30)                                                                                         \
    X(CURL_SSLVERSION_TLSv1_2, 6)                                                                                      \
    X(CURL_SSLVERSION_TLSv1_3, 7)                                                                                      \
    X(CURL_SSLVERSION_MAX_TLSv1_2, 0x60000)                                                                            \
    X(CURL_SSLVERSION_MAX_TLSv1_3, 0x70000)                                                                            \
    X(CURLSSLOPT_REVOKE_BEST_EFFORT, 8)                                                                                \
    X(CURLPX_NO_AUTH, 12)                                                                                              \
    X(CURLPX_REPLY_CONNECTION_REFUSED, 19)                                                                             \
    X(CURLPX_REPLY_HOST_UNREACHABLE, 21)                                                                               \
    X(CURLPX_REPLY_NETWORK_UNREACHABLE, 22)                                                                            \
    X(CURLPX_REPLY_NOT_ALLOWED, 23)                                                                                    \
    X(CURLPX_RESOLVE_HOST, 27)                                                                                         \
    X(CURLPX_USER_REJECTED, 33)                                                                                        \
    X(CURL_IPRESOLVE_V4, 1)                                                                                            \
    X(CURL_IPRESOLVE_V6, 2)                                                                                            \
    X(CURL_WRITEFUNC_PAUSE, 0x10000001)                                                                                \
    X(CURL_SEEKFUNC_OK, 0)                                                                                             \
    X(CURL_SEEKFUNC_FAIL, 1)                                                                                           \
    X(CURL_READFUNC_ABORT, 0x10000000)                                                                                 \
    X(CURL_READFUNC_PAUSE, 0x10000001)

#define PATCHBAY_CURL_CASE(name, value) PATCHBAY_##name = value,
enum patchbay_curl_option { PATCHBAY_CURL_OPTIONS(PATCHBAY_CURL_CASE) };
enum patchbay_curl_multi_option { PATCHBAY_CURL_MULTI_OPTIONS(PATCHBAY_CURL_CASE) };
enum patchbay_curl_info { PATCHBAY_CURL_INFOS(PATCHBAY_CURL_CASE) };
enum patchbay_curl_code { PATCHBAY_CURL_CODES(PATCHBAY_CURL_CASE) };
// Without a tag, so that Swift imports plain integers.
enum { PATCHBAY_CURL_VALUES(PATCHBAY_CURL_CASE) };
#undef PATCHBAY_CURL_CASE

#pragma clang assume_nonnull begin

/// The callbacks of libcurl during a transfer. The context of the handlers is the first argument of `seek` and
/// `on_progress`, and the last argument of all other callbacks.
struct patchbay_curl_handlers {
    /// Receives a whole line of a head or of the trailers. Returns the number of bytes taken; fewer end the transfer.
    size_t (*on_line)(char *bytes, size_t one, size_t count, void *context);
    /// Receives the next bytes of the body. Returns the number of bytes taken, or PATCHBAY_CURL_WRITEFUNC_PAUSE.
    size_t (*on_body)(char *bytes, size_t one, size_t count, void *context);
    /// Fills the buffer with the next bytes of the request body, and returns their number.
    size_t (*fill)(char *buffer, size_t one, size_t count, void *context);
    /// Moves the reading position of the request body.
    int (*seek)(void *context, int64_t offset, int origin);
    /// Receives the numbers of bytes that were transferred; a return value other than 0 ends the transfer.
    int (*on_progress)(void *context, int64_t to_receive, int64_t received, int64_t to_send, int64_t sent);
};

enum patchbay_curl_readiness {
    PATCHBAY_CURL_READY,
    /// The library or one of its functions was not found, or could not be loaded. Apple's systems other than macOS have
    /// no libcurl for programs.
    PATCHBAY_CURL_MISSING,
    /// The library was loaded, but its initialization failed.
    PATCHBAY_CURL_UNREADY,
};
/// Prepares libcurl for this process. After a failure, the next call tries again.
enum patchbay_curl_readiness patchbay_curl_start(void);
/// Whether the TLS library of libcurl is OpenSSL or a fork of OpenSSL, whose result codes CURLINFO_SSL_VERIFYRESULT
/// returns.
int patchbay_curl_has_openssl(void);
/// The version of libcurl, as in 0x075801 for 7.88.1.
unsigned patchbay_curl_version(void);

void *_Nullable patchbay_curl_easy_open(void);
void patchbay_curl_easy_close(void *easy);
/// Resets every option for another transfer.
void patchbay_curl_easy_reset(void *easy);
int patchbay_curl_set_number(void *easy, enum patchbay_curl_option option, int64_t value);
int patchbay_curl_set_string(void *easy, enum patchbay_curl_option option, const char *_Nullable value);
/// Sets the certificate authorities to trust, in PEM; since libcurl 7.77.0. The caller owns the bytes, which must
/// outlive the transfer.
int patchbay_curl_set_authorities(void *easy, const void *bytes, size_t count);
/// Sets the client certificate and its key, in PEM; since libcurl 7.71.0. libcurl copies the bytes.
int patchbay_curl_set_certificate(void *easy, const void *certificate, size_t count, const void *key, size_t key_count);
/// The path of the file with the system's authorities; NULL if libcurl does not report the path (before 7.84.0) or has
/// no such file.
const char *_Nullable patchbay_curl_system_authorities(void *easy);
/// With `sends`, libcurl calls `fill` for the request body, and reports progress.
int patchbay_curl_set_handlers(void *easy, struct patchbay_curl_handlers handlers, void *context, int sends);
/// Calls `on_progress` from now on, also after each reading from the connection. Can be called in a callback.
int patchbay_curl_set_on_progress(void *easy,
                                  int (*on_progress)(void *context, int64_t to_receive, int64_t received,
                                                     int64_t to_send, int64_t sent),
                                  void *context);
/// Calls `on_raw` with the bytes on the wire and with messages, each with its kind. PATCHBAY_CURL_BODY_ON_WIRE
/// (CURLINFO_DATA_IN) marks bytes of a response body with the framing of its chunks. The callback must return 0.
int patchbay_curl_set_raw_handler(
    void *easy, int (*on_raw)(void *easy, unsigned kind, char *bytes, size_t count, void *context), void *context);
enum { PATCHBAY_CURL_BODY_ON_WIRE = 3 };
/// Calls `on_trailers` for the trailer fields after the end of a chunked request body. The callback adds them to the
/// list, which libcurl frees. A return value other than 0 ends the transfer.
int patchbay_curl_set_trailers(void *easy, int (*on_trailers)(void *_Nullable *_Nonnull list, void *_Nonnull context),
                               void *context);
/// Adds a line to the list that `on_trailers` gets; -1 if there is no memory.
int patchbay_curl_list_append(void *_Nullable *_Nonnull list, const char *line);
/// Restricts the handle to http and https.
int patchbay_curl_set_http_only(void *easy);
/// The size of the buffer for libcurl's text (CURL_ERROR_SIZE).
enum { PATCHBAY_CURL_TEXT = 256 };
/// Facts about a transfer that libcurl reports while it runs, and lists that libcurl reads.
struct patchbay_curl_facts {
    /// The watch of the multi handle, which is told about the sockets of connections.
    void *_Nullable watch;
    /// The lists of `patchbay_curl_set_fields` and `patchbay_curl_set_connect_to`.
    void *_Nullable fields, *_Nullable address;
    /// Whether libcurl sends the request again only after the host has refused it, or wants it over HTTP/1.1.
    unsigned char repeats_only_refusals;
    /// The number of sockets opened for connections of the transfer; 255 at most.
    unsigned char sockets;
    /// The port to which the last of them was to connect, and the errno of the system if it had no socket; 0 otherwise.
    unsigned short port;
    int socket_error;
    /// libcurl's text about the failure; empty without one.
    char text[PATCHBAY_CURL_TEXT];
};
/// Collects the facts, which must outlive the transfer; the watch must outlive the connections. Keeps the sockets of
/// connections out of child processes: libcurl 7.88.1 opens them inheritable, and then a server sees the end of a
/// connection only after the last such process has ended.
int patchbay_curl_collect_facts(void *easy, struct patchbay_curl_facts *facts);
const char *patchbay_curl_failure_text(const struct patchbay_curl_facts *facts);
/// Forgets the facts of the transfer before, but not the watch. Call it after the handle was reset or closed.
void patchbay_curl_forget_facts(struct patchbay_curl_facts *facts);
/// Sets the header fields: `count` lines, each with a NUL after it. Returns -1 if there is no memory.
int patchbay_curl_set_fields(void *easy, struct patchbay_curl_facts *facts, const void *lines, size_t bytes,
                             size_t count);
/// Sets a line "HOST:PORT:ADDRESS:PORT" (CURLOPT_CONNECT_TO). Returns -1 if there is no memory.
int patchbay_curl_set_connect_to(void *easy, struct patchbay_curl_facts *facts, const char *line);
/// Called when the transfer has a connection, with the remote and the local address and port. A return value other than
/// 0 ends the transfer.
typedef int (*patchbay_curl_judge)(void *context, char *remote, char *local, int remote_port, int local_port);
/// Calls `judge` before a request is sent, and makes libcurl repeat only refused requests. Without these options,
/// libcurl repeats requests that the host can have processed.
void patchbay_curl_judge_connections(void *easy, struct patchbay_curl_facts *facts, patchbay_curl_judge judge,
                                     void *context);
/// The number for a CURLINFO, or -1 if libcurl does not know it.
int64_t patchbay_curl_number(void *easy, enum patchbay_curl_info info);
/// The IP address of the peer, empty if there was no connection, or NULL; valid until the next transfer of the handle.
const char *_Nullable patchbay_curl_remote_address(void *easy);
/// The version of TLS, as in "TLSv1.3"; NULL without TLS, and with a TLS library other than OpenSSL. Only while the
/// transfer has its connection.
const char *_Nullable patchbay_curl_tls_version(void *easy);
/// Whether the peer has ended TLS (close_notify); -1 without TLS, and with a TLS library other than OpenSSL. Only while the
/// transfer has its connection.
int patchbay_curl_has_tls_ended(void *easy);
/// Whether the peer has closed the connection, and all its bytes have been read.
///
/// libcurl does not know the socket of a transfer before its end (CURLINFO_ACTIVESOCKET, 7.88.1).
int patchbay_curl_is_peer_gone(int socket);
/// Whether the connection was reset, even if earlier bytes are still unread.
int patchbay_curl_is_reset(int socket);
/// Resumes a paused transfer.
int patchbay_curl_resume(void *easy);

void *_Nullable patchbay_curl_multi_open(void);
void patchbay_curl_multi_close(void *multi);
int patchbay_curl_multi_set(void *multi, enum patchbay_curl_multi_option option, int64_t value);
int patchbay_curl_multi_add(void *multi, void *easy);
int patchbay_curl_multi_remove(void *multi, void *easy);
/// Processes a ready socket.
int patchbay_curl_multi_act(void *multi, int socket, int what);
/// Processes due work: starts the added transfers, and ends expired waits.
int patchbay_curl_multi_act_when_due(void *multi);
/// The context of the next finished transfer, or NULL.
void *_Nullable patchbay_curl_multi_next(void *multi, int *code);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
