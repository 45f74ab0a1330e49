#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#include "LibcurlLoader.h"

#include <pthread.h>
#include <stdlib.h>

struct cookies {
    CURLSH *share;
    pthread_mutex_t mutex;
};

static void lock(CURL *easy, curl_lock_data data, curl_lock_access access, void *context) {
    (void)easy, (void)data, (void)access;
    pthread_mutex_lock(&((struct cookies *)context)->mutex);
}

static void unlock(CURL *easy, curl_lock_data data, void *context) {
    (void)easy, (void)data;
    pthread_mutex_unlock(&((struct cookies *)context)->mutex);
}

void *patchbay_curl_cookies_open(void) {
    struct cookies *cookies = calloc(1, sizeof(struct cookies));
    if (!cookies) return NULL;
    // libcurl locks each kind of data separately, and can lock one kind while it holds the lock of another kind. All
    // kinds share one mutex here, which must be recursive: otherwise a thread would deadlock.
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    int has_mutex = pthread_mutex_init(&cookies->mutex, &kind) == 0;
    pthread_mutexattr_destroy(&kind);
    cookies->share = has_mutex ? curl_share_init() : NULL;
    if (cookies->share && curl_share_setopt(cookies->share, CURLSHOPT_USERDATA, cookies) == 0
        && curl_share_setopt(cookies->share, CURLSHOPT_LOCKFUNC, lock) == 0
        && curl_share_setopt(cookies->share, CURLSHOPT_UNLOCKFUNC, unlock) == 0
        && curl_share_setopt(cookies->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE) == 0)
        return cookies;
    if (cookies->share) curl_share_cleanup(cookies->share);
    if (has_mutex) pthread_mutex_destroy(&cookies->mutex);
    free(cookies);
    return NULL;
}

void patchbay_curl_cookies_close(void *pointer) {
    struct cookies *cookies = pointer;
    curl_share_cleanup(cookies->share);
    pthread_mutex_destroy(&cookies->mutex);
    free(cookies);
}

int patchbay_curl_cookies_use(void *cookies, void *easy) {
    int failed = (int)curl_easy_setopt(easy, CURLOPT_SHARE, ((struct cookies *)cookies)->share);
    // An empty file name turns the cookie engine on.
    return failed ? failed : (int)curl_easy_setopt(easy, CURLOPT_COOKIEFILE, "");
}

int patchbay_curl_cookies_tell(void *cookies, const char *line) {
    CURL *easy = curl_easy_init();
    if (!easy) return -1;
    int failed = (int)curl_easy_setopt(easy, CURLOPT_SHARE, ((struct cookies *)cookies)->share);
    if (!failed) failed = (int)curl_easy_setopt(easy, CURLOPT_COOKIELIST, line);
    curl_easy_cleanup(easy);
    return failed;
}

int patchbay_curl_cookies_each(void *cookies, void *context, void (*take)(void *context, const char *line)) {
    CURL *easy = curl_easy_init();
    if (!easy) return -1;
    struct curl_slist *lines = NULL;
    int failed = (int)curl_easy_setopt(easy, CURLOPT_SHARE, ((struct cookies *)cookies)->share);
    if (!failed) failed = (int)curl_easy_getinfo(easy, CURLINFO_COOKIELIST, &lines);
    curl_easy_cleanup(easy);
    for (struct curl_slist *line = lines; line; line = line->next) take(context, line->data);
    curl_slist_free_all(lines);
    return failed;
}
