#pragma once

// The numbers of libcurl's stable ABI. LibcurlCheck.c compares each with <curl/curl.h> if that header is installed; the
// build does not need it.

#define PATCHBAY_CURL_OPTIONS(X)                                                                                       \
    X(CURLOPT_URL, 10002)                                                                                              \
    X(CURLOPT_CUSTOMREQUEST, 10036)                                                                                    \
    X(CURLOPT_NOBODY, 44)                                                                                              \
    X(CURLOPT_POST, 47)                                                                                                \
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
    X(CURLOPT_QUICK_EXIT, 322)                                                                                         \
    X(CURLOPT_WRITEDATA, 10001)                                                                                        \
    X(CURLOPT_READDATA, 10009)                                                                                         \
    X(CURLOPT_ERRORBUFFER, 10010)                                                                                      \
    X(CURLOPT_WRITEFUNCTION, 20011)                                                                                    \
    X(CURLOPT_READFUNCTION, 20012)                                                                                     \
    X(CURLOPT_HTTPHEADER, 10023)                                                                                       \
    X(CURLOPT_CONNECT_TO, 10243)                                                                                       \
    X(CURLOPT_RTSP_REQUEST, 189)                                                                                       \
    X(CURLOPT_HEADERDATA, 10029)                                                                                       \
    X(CURLOPT_NOPROGRESS, 43)                                                                                          \
    X(CURLOPT_XFERINFODATA, 10057)                                                                                     \
    X(CURLOPT_HEADERFUNCTION, 20079)                                                                                   \
    X(CURLOPT_VERBOSE, 41)                                                                                             \
    X(CURLOPT_DEBUGFUNCTION, 20094)                                                                                    \
    X(CURLOPT_DEBUGDATA, 10095)                                                                                        \
    X(CURLOPT_OPENSOCKETFUNCTION, 20163)                                                                               \
    X(CURLOPT_CAINFO_BLOB, 40309)                                                                                      \
    X(CURLOPT_SSLCERT_BLOB, 40291)                                                                                     \
    X(CURLOPT_SSLKEY_BLOB, 40292)                                                                                      \
    X(CURLOPT_OPENSOCKETDATA, 10164)                                                                                   \
    X(CURLOPT_CLOSESOCKETDATA, 10209)                                                                                  \
    X(CURLOPT_CLOSESOCKETFUNCTION, 20208)                                                                              \
    X(CURLOPT_SEEKFUNCTION, 20167)                                                                                     \
    X(CURLOPT_SEEKDATA, 10168)                                                                                         \
    X(CURLOPT_TRAILERDATA, 10284)                                                                                      \
    X(CURLOPT_TRAILERFUNCTION, 20283)                                                                                  \
    X(CURLOPT_XFERINFOFUNCTION, 20219)                                                                                 \
    X(CURLOPT_PRIVATE, 10103)                                                                                          \
    X(CURLOPT_PREREQFUNCTION, 20312)                                                                                   \
    X(CURLOPT_PREREQDATA, 10313)                                                                                       \
    X(CURLOPT_PROTOCOLS, 181)                                                                                          \
    X(CURLOPT_PROTOCOLS_STR, 10318)

#define PATCHBAY_CURL_MULTI_OPTIONS(X)                                                                                 \
    X(CURLMOPT_MAXCONNECTS, 6)                                                                                         \
    X(CURLMOPT_MAX_HOST_CONNECTIONS, 7)                                                                                \
    X(CURLMOPT_MAX_TOTAL_CONNECTIONS, 13)                                                                              \
    X(CURLMOPT_QUICK_EXIT, 21)                                                                                         \
    X(CURLMOPT_SOCKETFUNCTION, 20001)                                                                                  \
    X(CURLMOPT_SOCKETDATA, 10002)                                                                                      \
    X(CURLMOPT_TIMERFUNCTION, 20004)                                                                                   \
    X(CURLMOPT_TIMERDATA, 10005)

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
    X(CURLINFO_APPCONNECT_TIME_T, 0x600038)                                                                            \
    X(CURLINFO_PRIVATE, 0x100015)                                                                                      \
    X(CURLINFO_PRIMARY_IP, 0x100020)                                                                                   \
    X(CURLINFO_TLS_SSL_PTR, 0x40002D)                                                                                  \
    X(CURLINFO_CAINFO, 0x10003D)

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
    X(CURLE_SEND_ERROR, 55)                                                                                            \
    X(CURLE_RECV_ERROR, 56)                                                                                            \
    X(CURLE_SSL_CERTPROBLEM, 58)                                                                                       \
    X(CURLE_SSL_CIPHER, 59)                                                                                            \
    X(CURLE_PEER_FAILED_VERIFICATION, 60)                                                                              \
    X(CURLE_BAD_CONTENT_ENCODING, 61)                                                                                  \
    X(CURLE_SEND_FAIL_REWIND, 65)                                                                                      \
    X(CURLE_SSL_CACERT_BADFILE, 77)                                                                                    \
    X(CURLE_SSL_PINNEDPUBKEYNOTMATCH, 90)                                                                              \
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
    X(CURL_READFUNC_PAUSE, 0x10000001)                                                                                 \
    X(CURL_RTSPREQ_RECEIVE, 11)                                                                                        \
    X(CURL_BLOB_NOCOPY, 0)                                                                                             \
    X(CURL_BLOB_COPY, 1)                                                                                               \
    X(CURLSSLBACKEND_OPENSSL, 1)                                                                                       \
    X(CURL_GLOBAL_DEFAULT, 3)                                                                                          \
    X(CURLPAUSE_RECV, 1)                                                                                               \
    X(CURLPAUSE_CONT, 0)                                                                                               \
    X(CURL_CSELECT_IN, 1)                                                                                              \
    X(CURL_CSELECT_OUT, 2)                                                                                             \
    X(CURL_SOCKET_TIMEOUT, -1)                                                                                         \
    X(CURLMSG_DONE, 1)                                                                                                 \
    X(CURLOPTTYPE_OFF_T, 30000)                                                                                        \
    X(CURLINFO_OFF_T, 0x600000)                                                                                        \
    X(CURLVERSION_FIRST, 0)                                                                                            \
    X(CURL_ERROR_SIZE, 256)                                                                                            \
    X(CURLINFO_DATA_IN, 3)

#define PATCHBAY_CURL_CASE(name, value) PATCHBAY_##name = value,
enum patchbay_curl_option { PATCHBAY_CURL_OPTIONS(PATCHBAY_CURL_CASE) };
enum patchbay_curl_multi_option { PATCHBAY_CURL_MULTI_OPTIONS(PATCHBAY_CURL_CASE) };
enum patchbay_curl_info { PATCHBAY_CURL_INFOS(PATCHBAY_CURL_CASE) };
enum patchbay_curl_code { PATCHBAY_CURL_CODES(PATCHBAY_CURL_CASE) };
// Without a tag, so that Swift imports plain integers.
enum { PATCHBAY_CURL_VALUES(PATCHBAY_CURL_CASE) };
#undef PATCHBAY_CURL_CASE
