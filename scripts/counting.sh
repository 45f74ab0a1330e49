# shellcheck shell=bash
# What scripts/cost, scripts/calls and scripts/pins share: a program of Benchmarks under callgrind. Sourced after setup.sh; $work is
# a folder that goes when the script does.
# shellcheck disable=SC2154  # root, swift_build and work come from elsewhere

# Builds the program into $work, without debug information: valgrind 3.19 cannot read this compiler's.
build_counted() { # build_counted release|debug PROGRAM
    note "building"
    limited 1200 "${benchmarks_build[@]}" -c "$1" --product "$2" >"$work/build.log" 2>&1 || { cat "$work/build.log" && return 1; }
    strip -g -o "$work/$2" ".build/benchmarks/$1/$2"
}

# Hash seeds, addresses and a backtracer would make the counts differ from run to run.
counted() { # counted FILE OPTION... PROGRAM ARGUMENT...
    SWIFT_DETERMINISTIC_HASHING=1 SWIFT_BACKTRACE=enable=no limited 600 \
        setarch -R valgrind -q --tool=callgrind --demangle=no --callgrind-out-file="$1" "${@:2}" 2>"$work/valgrind.log" ||
        { cat "$work/valgrind.log" >&2 && return 1; }
}

# Counts small requests to an nginx of this machine. One process makes them, another answers.
count_requests() { # count_requests FILE CALLERS typed|curl TIMES FLYING
    counted "$1" --separate-callers="$2" "$work/patchbay-cost" "$3" "$origin" "$4" "$5" >/dev/null
}

# Starts the origin with the answer to the small requests.
serve_small_answer() {
    mkdir -p "$work/files"
    "$work/patchbay-cost" answer >"$work/files/small.json"
    start_nginx "$work"
}
