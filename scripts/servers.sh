# shellcheck shell=bash
# The real servers of the integration tests, each in a virtual environment of this checkout: httpbin under gunicorn, and FastAPI
# under uvicorn. Sourced by scripts/test, after setup.sh.
# shellcheck disable=SC2154  # root comes from setup.sh

servers=()
httpbin_modules="httpbin, gunicorn"
fastapi_modules="fastapi, uvicorn"

# start_httpbin FOLDER, start_fastapi FOLDER: starts the server on a free loopback port and exports its address as
# PATCHBAY_HTTPBIN, PATCHBAY_FASTAPI. Its log goes to the folder.
start_httpbin() {
    start_server "$1" httpbin PATCHBAY_HTTPBIN "$httpbin_modules" \
        gunicorn --bind 127.0.0.1:0 --worker-class gthread --threads 16 --no-control-socket --graceful-timeout 1 httpbin:app
}

start_fastapi() {
    start_server "$1" fastapi PATCHBAY_FASTAPI "$fastapi_modules" \
        uvicorn --host 127.0.0.1 --port 0 --timeout-graceful-shutdown 1 --app-dir "$root/scripts" fastapiserver:app
}

# When the server cannot be had, says so and leaves the variable unset: the tests that need it are then reported as skipped.
start_server() { # start_server FOLDER NAME VARIABLE MODULES PYTHON-MODULE ARGUMENT...
    local name="$2" log="$1/$2.log" venv="$root/.venv-$2" tries url
    if ! python_environment "$venv" "$root/scripts/$name-requirements.txt" "$4" >"$log" 2>&1; then
        tail -n 3 "$log" >&2
        note "$name could not be installed; the tests against it will be skipped"
        return 0
    fi
    # The kernel picks the port; both programs log the one they got.
    PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" -m "${@:5}" >"$log" 2>&1 </dev/null &
    local server=$!
    for ((tries = 0; tries < 150; tries++)); do
        url="$(sed -n 's/.*\(Listening at:\|running on\) \(http:[^ ]*\).*/\2/p' "$log")"
        if [ -n "$url" ] && server_answers "$venv" "$url/"; then
            servers+=("$server")
            export "$3=$url"
            return 0
        fi
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    cat "$log" >&2
    note "$name did not start; the tests against it will be skipped"
    stop_server "$server"
}

stop_servers() {
    local server
    for server in "${servers[@]}"; do stop_server "$server"; done
    servers=()
}

stop_server() { # stop_server PID
    kill "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
}

# Whether there is an answer, of any status.
server_answers() { # server_answers VENV URL
    "$1/bin/python" -c 'import sys, urllib.request as r
try: r.build_opener(r.ProxyHandler({})).open(sys.argv[1], timeout=2)
except r.HTTPError: pass' "$2" >/dev/null 2>&1
}
