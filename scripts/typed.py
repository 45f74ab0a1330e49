"""Types into a shell in a pseudoterminal, and prints the screen without its colours.

Why: only a shell that is typed into says what it completes. The tests of completions run this; `expect` is on few machines.

    typed.py COMMAND ARGUMENT...

Standard input has two lines for each step: the keys, in which \\t is the tab key and \\r the return key, and the words
that the screen shows after them, in any order. Each step waits for the prompt `ready>`. A step that does not show its
words in 20 seconds ends this with 1.
"""

import os
import pty
import re
import select
import sys
import time

CONTROL = re.compile(rb"\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07]*\x07|[()].|[=>])")


def main():
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(sys.argv[1], sys.argv[1:])
    screen, position = b"", 0

    def wait(words):
        """Reads what the shell shows until all words stand behind those of the last step."""
        nonlocal screen, position
        end = time.monotonic() + 20
        while True:
            text = CONTROL.sub(b"", screen)
            ends = [text.find(word, position) + len(word) for word in words if text.find(word, position) >= 0]
            if len(ends) == len(words):
                position = max(ends)
                return True
            left = max(0, end - time.monotonic())
            try:
                piece = os.read(terminal, 65536) if select.select([terminal], [], [], left)[0] else b""
            except OSError:
                piece = b""
            if not piece:
                return False
            screen += piece

    steps = sys.stdin.read().splitlines()
    isComplete = all(
        wait([b"ready>"])
        and os.write(terminal, keys.encode().decode("unicode_escape").encode())
        and wait([word.encode() for word in words.split()])
        for keys, words in zip(steps[::2], steps[1::2])
    )
    print(CONTROL.sub(b"", screen).decode(errors="replace"))
    os.close(terminal)
    os.waitpid(child, 0)
    return 0 if isComplete else 1


sys.exit(main())
