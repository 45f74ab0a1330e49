#!/usr/bin/env python3
"""Lists the reports of ThreadSanitizer in the files that are named, for scripts/thread-sanitizer. Fails where one is ours."""

import collections
import re
import sys

# What is called by everybody, and says nothing of who did.
RUNTIME = re.compile(r"libswiftCore|libswift_Concurrency|libc\.so|libstdc\+\+|libswiftSynchronization|compiler-rt|sanitizer")


def stacks(report):
    """The stacks of the accesses; those of where threads and memory come from are left out."""
    stack = None
    for line in report.split("\n"):
        if re.match(r"  \S.* of size \d+|  Mutex .* acquired|  (Previous )?(atomic )?(write|read)", line, re.IGNORECASE):
            stack = []
            yield stack
        elif re.match(r"  \S", line):
            stack = None
        elif stack is not None and (frame := re.match(r"    #\d+ (.*)", line)):
            stack.append(frame.group(1))


def place(stack):
    """The innermost frame that is not of a runtime."""
    frame = next((frame for frame in stack if not RUNTIME.search(frame)), stack[0] if stack else "?")
    return re.sub(r" \(\S+\+0x[0-9a-f]+\)( \(BuildId: \w+\))?|^\S*/(?=Sources/)", "", frame)


def is_ours(place):
    return bool(re.search(r"/Sources/\w+/|Patchbay\w+\.", place)) and "/Tests/" not in place


def main(paths):
    found = collections.Counter()
    for path in paths:
        try:
            text = open(path, errors="replace").read()
        except FileNotFoundError:
            continue
        for report in re.split(r"={18}", text):
            kind = re.search(r"WARNING: ThreadSanitizer: ([^(]*)", report)
            if kind:
                places = tuple(sorted({place(stack) for stack in stacks(report) if stack}))
                found[kind.group(1).strip(), places] += 1
    ours = 0
    for (kind, places), count in found.most_common():
        own = [place for place in places if is_ours(place)]
        ours += bool(own)
        print(f"{count} × {kind}{', OURS' if own else ''}")
        for one in places:
            print(f"    {one}")
    print(f"{sum(found.values())} reports, {ours} places of ours")
    sys.exit(1 if ours else 0)


main(sys.argv[1:])
