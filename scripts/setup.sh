# shellcheck shell=bash
# What scripts/run, scripts/test and scripts/check share. Sourced, never run.
# shellcheck disable=SC2034  # the scripts that source this file use these names

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

note() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# stage NAME: what begins now. stage_table prints how many minutes each stage of this script took.
stages=()
stage() {
    stages+=("$SECONDS $1")
    note "$1"
}

stage_table() {
    printf '%s\n' "${stages[@]}" "$SECONDS end" | awk '
        NR > 1 { printf "%6.1f min  %s\n", ($1 - start) / 60, name }
        { start = $1; name = $0; sub(/^[0-9]+ /, "", name) }
        END { printf "%6.1f min  in all\n", start / 60 }'
}

require_swift() {
    command -v swift >/dev/null || {
        note "the Swift toolchain (6.2 or later) is missing: https://www.swift.org/install/"
        exit 1
    }
}

# limited SECONDS COMMAND...: runs the command and everything it starts under a time limit. It runs in the background so
# that an interrupt reaches this shell at once; whoever calls this ends $running on the way out.
running=
limited() {
    local status=0
    if command -v timeout >/dev/null; then
        timeout --kill-after=10 "$@" </dev/null &
    else
        note "there is no timeout command here: running without a time limit"
        "${@:2}" </dev/null &
    fi
    running=$!
    wait "$running" || status=$?
    running=
    [ "$status" != 124 ] || note "stopped after $1 seconds: ${*:2:4}"
    return "$status"
}

# The command that builds. The package manager hands the traits to the compiler in the order of their hashes: with a seed that
# changes, every other build would begin from nothing.
swift_build=(env SWIFT_DETERMINISTIC_HASHING=1 swift build)

# The command that builds Benchmarks: with other flags the next script would build it again.
benchmarks_build=(
    "${swift_build[@]}" --package-path Benchmarks --scratch-path .build/benchmarks -debug-info-format none -Xswiftc -use-ld=lld
    -Xswiftc -no-emit-module-separately-wmo
)

# build_program [FOLDER FLAG...]: builds patchbay for release with every trait and the flags, in .build or another folder of the
# checkout, and sets $program. What the build prints is shown if it fails.
build_program() {
    local log folder="$root/${1:-.build}"
    program="$folder/release/patchbay"
    [ -x "$program" ] || note "building patchbay; the first time takes a few minutes"
    log="$("${swift_build[@]}" --package-path "$root" --scratch-path "$folder" -c release --product patchbay --enable-all-traits \
        "${@:2}" 2>&1 </dev/null)" || {
        printf '%s\n' "$log" >&2
        note "the build failed"
        return 1
    }
}

# So many tests of a process run at once: if all did, those that keep the processors busy would use up the clocks of those that wait.
side_by_side=(--experimental-maximum-parallelization-width 16)

# install_missing PACKAGE=PROBE...: installs with apt-get each Debian package whose probe fails. Where that cannot be
# done it says what is missing and goes on, because most of what is here works without.
install_missing() {
    [ "$(uname -s)" = Linux ] || return 0
    local missing
    missing="$(missing_packages "$@")"
    [ -n "$missing" ] || return 0
    if command -v apt-get >/dev/null; then
        note "installing $missing"
        apt_install "$missing" || true
        missing="$(missing_packages "$@")"
        [ -n "$missing" ] || return 0
    fi
    note "missing, going on without: $missing (Debian names; install them with your package manager)"
}

# missing_packages PACKAGE=PROBE...: the packages whose probe, a shell command, fails, on one line.
missing_packages() {
    local wanted missing=()
    for wanted in "$@"; do
        bash -c "${wanted#*=}" >/dev/null 2>&1 </dev/null || missing+=("${wanted%%=*}")
    done
    printf '%s' "${missing[*]}"
}

# apt_install "PACKAGE ...": tries the package lists at hand first, and fetches new ones only when that fails.
apt_install() {
    local packages as_root=() install update options=(-qq -o DPkg::Lock::Timeout=60 -o Acquire::http::Timeout=20)
    read -r -a packages <<<"$1"
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || return 1
        as_root=(sudo)
        # Without a terminal nobody can answer a password prompt.
        [ -t 0 ] || as_root+=(-n)
    fi
    update=(env DEBIAN_FRONTEND=noninteractive timeout 120 apt-get update "${options[@]}")
    install=(env DEBIAN_FRONTEND=noninteractive timeout 300 apt-get install -y --no-install-recommends "${options[@]}")
    "${as_root[@]}" "${install[@]}" "${packages[@]}" >/dev/null 2>&1 && return
    "${as_root[@]}" "${update[@]}" >/dev/null 2>&1 || true
    "${as_root[@]}" "${install[@]}" "${packages[@]}" >&2
}

# python_environment FOLDER REQUIREMENTS MODULES: a virtual environment with the pinned requirements, made once for each version
# of their file; installed.txt in it says that it is whole.
python_environment() {
    local folder="$1" requirements="$2" modules="$3"
    cmp -s "$requirements" "$folder/installed.txt" && "$folder/bin/python" -c "import $modules" && return
    rm -rf "$folder"
    python3 -m venv "$folder" || return
    limited 300 "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements" || return
    cp "$requirements" "$folder/installed.txt"
}

# What the built program loads, and what the traits are built with.
runtime_packages=(
    "libcurl4=ldconfig -p | grep -F libcurl.so.4"
    "libxml2=ldconfig -p | grep -F libxml2.so.2"
    "libgdk-pixbuf-2.0-dev=test -e /usr/include/gdk-pixbuf-2.0/gdk-pixbuf/gdk-pixbuf.h"
    "libsimdjson-dev=test -e /usr/include/simdjson.h"
)

# What the tests need on top: the headers that our declarations of libcurl and libxml2 are compared with, certificates and a
# server that shows them, a server of HTTP/2 and Unix sockets, two proxies, a terminal for what the command line shows, a place for
# httpbin, FastAPI and jsonschema, jq for Documentation/BuildServers.md, and the shells and man, which are asked about completions
# and the manual page.
test_packages=(
    "libcurl4-openssl-dev=echo '#include <curl/curl.h>' | clang -fsyntax-only -x c -"
    "libxml2-dev=test -e /usr/include/libxml2/libxml/parser.h"
    "openssl=command -v openssl"
    "nginx-light=command -v nginx || test -x /usr/sbin/nginx"
    "tinyproxy-bin=command -v tinyproxy"
    "microsocks=command -v microsocks"
    "tmux=command -v tmux"
    "python3-venv=python3 -c 'import ensurepip, venv'"
    "jq=command -v jq"
    "zsh=command -v zsh"
    "fish=command -v fish"
    "man-db=command -v man"
)

# For the page of `patchbay routes --html`, which the gate asks.
browser_packages=("chromium=command -v chromium")

# What scripts/bench and scripts/pins need on top: the peers, the origin and what counts instructions.
bench_packages=(
    "libcurl4-openssl-dev=echo '#include <curl/curl.h>' | clang -fsyntax-only -x c -"
    "libsimdjson-dev=test -e /usr/include/simdjson.h"
    "nginx-light=command -v nginx || test -x /usr/sbin/nginx"
    "valgrind=command -v valgrind"
    "strace=command -v strace"
    "binutils=command -v strip"
)
