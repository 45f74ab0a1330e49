#pragma once

// The part of libcurl that CurlTransport uses, as functions that Swift can call: libcurl's own setters and getters are
// variadic.

#include "Codings.h"
#include "LibcurlNumbers.h"
#include "Sockets.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

enum patchbay_curl_readiness {
    PATCHBAY_CURL_READY,
    /// The library or one of its functions was not found, or could not be loaded. Apple's systems other than macOS have
    /// no libcurl for programs.
    PATCHBAY_CURL_MISSING,
    /// The library was loaded, but its initialization failed.
    PATCHBAY_CURL_UNREADY,
};
/// Loads libcurl, and with it zlib, brotli and zstd, and initializes it, unless an earlier call has done so. After a
/// failure, the next call tries again.
enum patchbay_curl_readiness patchbay_curl_start(void);
/// A function of a library that libcurl needs, such as zlib or OpenSSL; NULL if there is none, or before libcurl is
/// loaded.
void *_Nullable patchbay_curl_find(const char *name);
/// The version of libcurl, as in 0x075801 for 7.88.1.
unsigned patchbay_curl_version(void);
/// The versions of libcurl and of its libraries, as text.
const char *patchbay_curl_version_text(void);

/// Facts about a transfer that libcurl reports while it runs, and lists that libcurl reads.
struct patchbay_curl_facts {
    /// The watch of the multi handle, and its function for the sockets of connections.
    void *_Nullable watch;
    void (*_Nullable note_open)(void *watch, int socket);
    /// The lists of `patchbay_curl_set_list`.
    void *_Nullable fields, *_Nullable address;
    /// Whether libcurl sends the request again only after the host has refused it, or wants it over HTTP/1.1.
    unsigned char repeats_only_refusals;
    /// Whether libcurl has waited to read from the connection.
    unsigned char has_waited_to_read;
    /// The number of sockets opened for connections of the transfer, one for each address that it tried; 255 at most.
    unsigned char sockets;
    /// The port to which the last of them was to connect, and the errno of the system if it had no socket; 0 otherwise.
    unsigned short port;
    int socket_error;
    /// libcurl's text about the failure; empty without one.
    char text[PATCHBAY_CURL_ERROR_SIZE];
};

/// The callbacks of libcurl during a transfer, or some of them. The context is the first argument of `seek`,
/// `on_progress` and `judge`, and the last argument of all other callbacks.
struct patchbay_curl_handlers {
    /// Receives a whole line of a head or of the trailers. Returns the number of bytes taken; fewer end the transfer.
    size_t (*_Nullable on_line)(char *bytes, size_t one, size_t count, void *context);
    /// Receives the next bytes of the body. Returns the number of bytes taken, or PATCHBAY_CURL_WRITEFUNC_PAUSE.
    size_t (*_Nullable on_body)(char *bytes, size_t one, size_t count, void *context);
    /// Fills the buffer with the next bytes of the request body, and returns their number.
    size_t (*_Nullable fill)(char *buffer, size_t one, size_t count, void *context);
    /// Moves the reading position of the request body.
    int (*_Nullable seek)(void *context, int64_t offset, int origin);
    /// Adds the trailer fields after the end of a chunked request body to the list, which libcurl frees. A return value
    /// other than 0 ends the transfer.
    int (*_Nullable on_trailers)(void *_Nullable *_Nonnull list, void *context);
    /// Called with the numbers of bytes that were transferred after each reading from the connection and writing to it;
    /// a return value other than 0 ends the transfer.
    int (*_Nullable on_progress)(void *context, int64_t to_receive, int64_t received, int64_t to_send, int64_t sent);
    /// Called with the bytes on the wire and with messages, each with its kind. PATCHBAY_CURLINFO_DATA_IN marks bytes of
    /// a response body with the framing of its chunks. Must return 0.
    int (*_Nullable on_wire)(void *easy, unsigned kind, char *bytes, size_t count, void *context);
    /// Called when the transfer has a connection, before a request is sent, with the remote and the local address and
    /// port. A return value other than 0 ends the transfer. libcurl then repeats only refused requests; without this
    /// callback, it repeats requests that the host can have processed.
    int (*_Nullable judge)(void *context, char *remote, char *local, int remote_port, int local_port);
};

void *_Nullable patchbay_curl_easy_open(void);
void patchbay_curl_easy_close(void *easy);
/// Resets every option for another transfer.
void patchbay_curl_easy_reset(void *easy);
/// The setters return 0 if libcurl took the value, and had memory for it.
int patchbay_curl_set_number(void *easy, enum patchbay_curl_option option, int64_t value);
int patchbay_curl_set_string(void *easy, enum patchbay_curl_option option, const char *_Nullable value);
/// Sets bytes in PEM; since libcurl 7.77.0. With `flags` of PATCHBAY_CURL_BLOB_NOCOPY they must outlive the transfer.
int patchbay_curl_set_bytes(void *easy, enum patchbay_curl_option option, const void *bytes, size_t count,
                            unsigned flags);
/// Sets lines, each with a NUL after it. `list` gets a list that libcurl reads.
int patchbay_curl_set_list(void *easy, enum patchbay_curl_option option, void *_Nullable *_Nonnull list,
                           const void *lines, size_t bytes, size_t count);
/// Sets callbacks. Can be called in a callback.
int patchbay_curl_set_handlers(void *easy, struct patchbay_curl_handlers handlers, void *context);
/// Adds a line to the list that `on_trailers` gets; -1 if there is no memory.
int patchbay_curl_list_append(void *_Nullable *_Nonnull list, const char *line);
/// Collects the facts, which must outlive the transfer; the watch must outlive the connections. `close_socket` gets the
/// watch. Keeps the sockets of connections out of child processes: libcurl 7.88.1 opens them inheritable, and then a
/// server sees the end of a connection only after the last such process has ended.
int patchbay_curl_collect_facts(void *easy, struct patchbay_curl_facts *facts,
                                int (*close_socket)(void *watch, int socket));
/// Forgets the facts of the transfer before, but not the watch. Call it after the handle was reset or closed.
void patchbay_curl_forget_facts(struct patchbay_curl_facts *facts);
/// libcurl's text about the failure; empty without one.
const char *patchbay_curl_failure_text(const struct patchbay_curl_facts *facts);
/// The number for a CURLINFO, or -1 if libcurl does not know it.
int64_t patchbay_curl_number(void *easy, enum patchbay_curl_info info);
/// The text for a CURLINFO, or NULL; valid until the next transfer of the handle.
const char *_Nullable patchbay_curl_text(void *easy, enum patchbay_curl_info info);
/// The context of the transfer's handlers; NULL for libcurl's internal handles, which close connections.
void *_Nullable patchbay_curl_context(void *easy);
/// OpenSSL's session of the connection, while the transfer has its connection; NULL without TLS, and with a TLS library
/// other than OpenSSL.
const void *_Nullable patchbay_curl_openssl_session(void *easy);
/// Resumes a paused transfer.
int patchbay_curl_resume(void *easy);
/// Makes libcurl act on a transfer that is not paused, at once, whatever it waits for.
int patchbay_curl_check(void *easy);

void *_Nullable patchbay_curl_multi_open(void);
/// Makes a multi handle report each use of a socket, as PATCHBAY_CURL_CSELECT_… bits, and the milliseconds until it must
/// act, or -1.
int patchbay_curl_multi_report(void *multi,
                               int (*on_socket)(void *easy, int socket, int what, void *context, void *_Nullable known),
                               int (*on_timer)(void *multi, long milliseconds, void *context), void *context);
void patchbay_curl_multi_close(void *multi);
int patchbay_curl_multi_set(void *multi, enum patchbay_curl_multi_option option, int64_t value);
int patchbay_curl_multi_add(void *multi, void *easy);
int patchbay_curl_multi_remove(void *multi, void *easy);
/// Processes a ready socket. With PATCHBAY_CURL_SOCKET_TIMEOUT, starts the added transfers, and ends expired waits.
int patchbay_curl_multi_act(void *multi, int socket, int what);
/// The context of the next finished transfer, or NULL.
void *_Nullable patchbay_curl_multi_next(void *multi, int *code);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
