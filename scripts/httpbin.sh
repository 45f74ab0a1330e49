# shellcheck shell=bash
# The real server of the integration tests: httpbin under gunicorn, in a virtual environment of this checkout.
# Sourced by scripts/test, after setup.sh.
# shellcheck disable=SC2154  # root comes from setup.sh

httpbin_venv="$root/.venv-httpbin"
httpbin_pid=

# Starts httpbin on a free loopback port and exports its address as PATCHBAY_HTTPBIN. When it cannot be had, says so and
# leaves PATCHBAY_HTTPBIN unset: the tests that need it are then reported as skipped.
start_httpbin() { # start_httpbin LOG
    local log="$1"
    if ! python_environment "$httpbin_venv" "$root/scripts/httpbin-requirements.txt" "httpbin, gunicorn" >"$log" 2>&1; then
        tail -n 3 "$log" >&2
        note "httpbin could not be installed; the tests against it will be skipped"
        return 0
    fi
    # The kernel picks the port; gunicorn logs the one it got.
    "$httpbin_venv/bin/python" -m gunicorn --bind 127.0.0.1:0 --worker-class gthread --threads 16 \
        --no-control-socket --graceful-timeout 1 httpbin:app >"$log" 2>&1 </dev/null &
    httpbin_pid=$!
    local tries url
    for ((tries = 0; tries < 150; tries++)); do
        url="$(sed -n 's/.*Listening at: \(http:[^ ]*\).*/\1/p' "$log")"
        if [ -n "$url" ] && httpbin_answers "$url/get"; then
            export PATCHBAY_HTTPBIN="$url"
            return 0
        fi
        kill -0 "$httpbin_pid" 2>/dev/null || break
        sleep 0.1
    done
    cat "$log" >&2
    note "httpbin did not start; the tests against it will be skipped"
    stop_httpbin
}

stop_httpbin() {
    [ -n "$httpbin_pid" ] || return 0
    kill "$httpbin_pid" 2>/dev/null || true
    wait "$httpbin_pid" 2>/dev/null || true
    httpbin_pid=
}

httpbin_answers() { # httpbin_answers URL
    "$httpbin_venv/bin/python" -c 'import sys, urllib.request as r
r.build_opener(r.ProxyHandler({})).open(sys.argv[1], timeout=2)' "$1" >/dev/null 2>&1
}
