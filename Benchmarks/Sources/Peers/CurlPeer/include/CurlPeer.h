#pragma once

#include <stddef.h>
#include <stdint.h>

/// libcurl as a C programmer would drive it who wants it fast: handles and connections that are kept, nothing decoded.
typedef struct CurlPeer CurlPeer;

CurlPeer *curl_peer_new(void);
void curl_peer_free(CurlPeer *peer);

/// Fetches a URL `times` times, one after another, with one easy handle. Gives the number of failures.
size_t curl_peer_one_by_one(CurlPeer *peer, const char *url, size_t times);

/// Fetches a URL `times` times with `flying` easy handles in one multi handle, woken by epoll. Gives the number of failures.
size_t curl_peer_together(CurlPeer *peer, const char *url, size_t times, size_t flying);

/// Fetches a URL to a file, which is synchronised as a download of Patchbay is. Gives the number of failures.
size_t curl_peer_to_file(CurlPeer *peer, const char *url, const char *path, size_t times);
