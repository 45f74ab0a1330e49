#!/usr/bin/env python3
"""Reads what callgrind and strace counted, for scripts/cost, scripts/calls and scripts/pins.

    callgrind.py cost REQUESTS FIRST SECOND PEER-FIRST PEER-SECOND   the tables of scripts/cost, as Markdown
    callgrind.py calls REQUESTS FIRST SECOND SOURCES                 the table of scripts/calls, as Markdown; FIRST made one request
    callgrind.py calls-a-request REQUESTS FIRST SECOND SWITCHES SWITCHES   the table of system calls of scripts/cost
    callgrind.py own PROGRAM FILE                                    the instructions of PROGRAM alone, but for its own module

FIRST and SECOND are two runs of one program, the second with REQUESTS more requests than the first. What comes before the first
request and after the last is in both, and so not in the difference.
"""

import collections
import os
import pathlib
import re
import subprocess
import sys

# Where an instruction counts. The caller chain is walked from the function that ran it outwards; the first function with a row
# here decides, so that what is inlined counts where it was inlined to, and what the Swift runtime, libc or Foundation does counts
# for whoever of ours had it done. A row is a stage and a pattern of `Module.Type.member`, or of the name of a C function; of
# several that match, the first counts. What a stage is made of is therefore named by type, in the order of the way.
HELPERS = r"Patchbay\w+\.(HeaderFields|FieldByte|Guarded|OneShot)\b"
STAGES = [
    # Used on every part of the way: whoever calls it decides.
    (None, HELPERS),
    ("request made", r"PatchbayManager\.(SessionRequest|OutgoingRequest|Request(Base|Target|Check|Content)|QueryItems|URLReference"
                     r"|Refusal|UserAgent|AcceptLanguage)\b"
                     r"|PatchbayRegistry\.(SerializerRegistry\.accept|Accept|Form(Writer|Pair|Escape)\b)"),
    ("transport, request side", r"PatchbayCurl\.(CurlTransport|WireRequest|WireURL|FieldLines)\b"
                                r"|PatchbayManager\.TransportRequest\b"),
    ("easy handle", r"PatchbayCurl\.(EasyHandle|EventLoop\.(begin|finish)"
                    r"|Transfer\.(init|prepare|set|take|copy|close|result|timings)\w*)\b"
                    r"|patchbay_curl_(?!multi_|context)"),
    ("libcurl", r"patchbay_curl_multi_"),
    ("head read", r"PatchbayCurl\.(ResponseHead\w*|KnownFields|Transfer\.receiveLine)\b|PatchbayCodings\."),
    ("head received", r"PatchbayManager\.\w+\.receive\(status:fields:\)|PatchbayRegistry\.ResponseHead\b"),
    ("body", r"PatchbayCurl\.(ContentDecoder|Transfer\.receiveBody)\b|PatchbayManager\.\w+\.(receive|append|keep|take)\(_:\)"
             r"|PatchbayManager\.(BodyPipe|FileBody|StreamBody)\b|Patchbay\w+\.(BodyBuffer|ResponseBody)\b"),
    ("event loop", r"PatchbayCurl\.|patchbay_(queue|socket)_"),
    ("value", r"PatchbayRegistry\.(BoundSerializer|SerializationResult|Decision\.(serialize|makeValue|value|run|counted|producing|failure)\w*)\b"
              r"|PatchbayManager\.Call\.serialize\w*"
              r"|Patchbay(Plugins|JSON)\.|patchbay_simdjson"),
    ("decision", r"PatchbayRegistry\."),
    ("call", r"PatchbayManager\."),
    ("the caller", r"patchbay_cost\.|Requests\.|Patchbay\."),
]
STAGE_ORDER = ["the caller", "request made", "call", "transport, request side", "easy handle", "event loop", "libcurl",
               "head read", "head received", "decision", "body", "value", "executor"]

# What kind of work an instruction is, by the function that ran it and the object it is in.
ALLOCATION = re.compile(r"(_int_)?(malloc|free|calloc|realloc|memalign)(_consolidate|_usable_size)?$|unlink_chunk|sysmalloc|tcache"
                        r"|swift_(slowAlloc|slowDealloc|alloc|dealloc)|_swift_(alloc|slow)|posix_memalign|aligned_alloc|cfree")
REFERENCES = re.compile(r"_?swift_(bridgeObject|nonatomic_|unknownObject|weak|unowned)?_?(try)?(retain|release|isUnique)"
                        r"|_swift_(retain|release)|.*RefCounts|swift_(weak|unowned|setDeallocating|isUniquely)", re.IGNORECASE)
KINDS = ["Patchbay", "references", "allocation", "Swift runtime", "concurrency", "Foundation", "libcurl", "libc and others"]


class Profile:
    """A file of callgrind's, whose functions are chains of a function and its callers, the innermost first.

    Their numbers are given in the order in which the chains came about.
    """

    line = re.compile(r"(c?)(fn|ob)=\((\d+)\)(?: (.*))?$")

    def __init__(self, path):
        self.own, self.calls = collections.Counter(), collections.Counter()
        self.objects, self.chains = {}, {}
        names = {"fn": {}, "ob": {}}
        function = callee = place = callee_place = None
        is_call = False
        with open(path) as lines:
            for line in lines:
                if line[0] in "0123456789+-*":
                    if not is_call:
                        self.own[function] += int(line.split()[-1])
                    is_call = False
                elif line.startswith("calls="):
                    self.calls[callee] += int(line[6:].split()[0])
                    is_call = True
                elif found := self.line.match(line):
                    is_callee, what, number, name = found.groups()
                    number = int(number)
                    if name is not None:
                        names[what][number] = name
                    if what == "ob" and is_callee:
                        callee_place = names["ob"][number]
                    elif what == "ob":
                        place = names["ob"][number]
                    elif is_callee:
                        callee = number
                        self.objects.setdefault(callee, callee_place or place)
                        callee_place = None
                    else:
                        function = number
                        self.objects[function] = place
        # Numbers in a chain say how often a function is already under way.
        for number, name in names["fn"].items():
            self.chains[number] = tuple(part for part in name.split("'") if not part.isdigit())

    def object(self, number):
        return os.path.basename(self.objects.get(number) or "")


class Names:
    """What mangled names stand for: `Module.Type.member(labels:)`, or nothing for what the compiler has made by itself."""

    noise = re.compile(r"merged |@objc |@nonobjc |static |class |dispatch thunk of |partial apply forwarder for |implicit |curry thunk of "
                       r"|\(\d+\) (await|suspend) resume partial function for |partial apply for |override |async function pointer to "
                       r"|default argument \d+ of |variable initialization expression of |\(extension in \w+\):")
    made = re.compile(r"outlined |type metadata |metadata |lazy |one-time |base witness |associated |reabstraction |protocol witness "
                      r"|(assign|initialize|destroy|get|store|instantiation|value witness)\w* |generic pr|nominal|module descriptor")

    def __init__(self, names):
        names = sorted({name for name in names if name.startswith("$s")})
        said = subprocess.run(["swift-demangle", "--compact"], input="\n".join(names), capture_output=True, text=True, check=True)
        self.known = {mangled: self.plain(text) for mangled, text in zip(names, said.stdout.split("\n"))}

    def __getitem__(self, mangled):
        if mangled.startswith("$s"):
            return self.known.get(mangled)
        return mangled if mangled.startswith("patchbay_") else None

    @classmethod
    def plain(cls, text):
        while True:
            before = text
            text = cls.noise.sub("", text, count=1) if cls.noise.match(text) else text
            if found := re.match(r"(function signature|generic|generic not re-abstracted|prespecialized) .*?specialization <", text):
                end = cls.closing(text, found.end() - 1)
                text = text[end + 1:].removeprefix(" of ")
            if text.startswith("protocol witness for "):
                # What a witness is for may be inlined in it.
                member, _, conformance = text.removeprefix("protocol witness for ").rpartition(" in conformance ")
                kind = cls.bare(conformance.split(" : ")[0])
                return f"{kind}.{cls.bare(member, labels=True).split('.', 2)[-1]}" if kind.count(".") else None
            if re.match(r"(closure|\w+) #\d+ ", text):
                text = cls.enclosing(text)
            if text == before:
                break
        if cls.made.match(text) or not re.match(r"\w+\.", text) or "value witness" in text or "deinit" in text:
            return None
        return cls.bare(text, labels=True)

    @staticmethod
    def closing(text, start):
        """Where what opens at `start` closes."""
        depth = 0
        for index in range(start, len(text)):
            if text[index] in "<([":
                depth += 1
            elif text[index] in ")]" or text[index] == ">" and text[index - 1] != "-":
                depth -= 1
                if depth == 0:
                    return index
        return len(text)

    @classmethod
    def enclosing(cls, text):
        """The function that a closure or a local function is in."""
        index = 0
        while index < len(text):
            if text[index] in "<([":
                index = cls.closing(text, index)
            elif text.startswith(" in ", index):
                return text[index + 4:]
            index += 1
        return ""

    @classmethod
    def bare(cls, text, labels=False):
        """`Module.Type.member(labels:)` of a declaration: without types, generics and what makes private names unique."""
        text = re.sub(r"\((\w+|[^\w\s()]+) in _[0-9A-F]+\)", r"\1", text)
        text = re.sub(r"^\(extension in \w+\):", "", text)
        out, index = "", 0
        while index < len(text):
            character = text[index]
            if character == "<" and text[index - 1].isalnum():
                index = cls.closing(text, index) + 1
            elif character == "(":
                if labels:
                    inside = text[index + 1:cls.closing(text, index)]
                    out += "(" + "".join(cls.label(part) for part in cls.parts(inside)) + ")"
                break
            elif character in " :":
                break
            else:
                out += character
                index += 1
        return out.replace("__allocating_init", "init")

    @classmethod
    def parts(cls, text):
        parts, start, index = [], 0, 0
        while index < len(text):
            if text[index] in "<([":
                index = cls.closing(text, index)
            elif text[index] == ",":
                parts.append(text[start:index])
                start = index + 1
            index += 1
        return [part.strip() for part in parts + [text[start:]] if part.strip()]

    @staticmethod
    def label(part):
        found = re.match(r"(\w+): ", part)
        return f"{found.group(1) if found else '_'}:"


# MARK: Costs


def stage(chain, names, memory):
    if chain in memory:
        return memory[chain]
    found = "executor"
    for mangled in chain:
        name = names[mangled]
        row = name and next((row for row in STAGES if re.match(row[1], name)), None)
        if row and row[0]:
            found = row[0]
            break
    memory[chain] = found
    return found


def kind(function, place):
    if re.match(r"libcurl|libnghttp2|libssl|libcrypto", place):
        return "libcurl"
    if ALLOCATION.match(function):
        return "allocation"
    if place.startswith("libswift_Concurrency") or place.startswith("libdispatch"):
        return "concurrency"
    if re.match(r"lib_?Foundation", place):
        return "Foundation"
    if place.startswith("libswift"):
        return "references" if REFERENCES.match(function.replace("_ZN5swift", "")) else "Swift runtime"
    return "Patchbay" if place.startswith("patchbay") else "libc and others"


def module(function, place):
    """The module of a function of the program, by its name; else the library."""
    if not place.startswith("patchbay"):
        return place.split(".so")[0]
    if function.startswith("patchbay_"):
        return "C"
    found = re.match(r"\$s(\d+)", function)
    name = found and function[found.end():found.end() + int(found.group(1))]
    return name if name and name.startswith("Patchbay") else "generics of the Swift library in our modules"


def shares(path):
    """The instructions of a run by stage and kind, and by module."""
    profile = Profile(path)
    names = Names(part for chain in profile.chains.values() for part in chain)
    stages, modules, memory = collections.Counter(), collections.Counter(), {}
    for number, count in profile.own.items():
        chain, place = profile.chains[number], profile.object(number)
        stages[stage(chain, names, memory), kind(chain[0], place)] += count
        modules[module(chain[0], place)] += count
    return stages, modules


def difference(first, second, requests):
    return {key: (second[key] - first.get(key, 0)) / requests for key in second}


def row(*cells):
    print("| " + " | ".join(cells) + " |")


def figure(count):
    return f"{round(count):,}" if round(count) else "–"


def cost(requests, first, second, peer_first, peer_second):
    requests = int(requests)
    (stages, modules), (later_stages, later_modules) = shares(first), shares(second)
    stages = difference(stages, later_stages, requests)
    modules = difference(modules, later_modules, requests)
    peer = (sum(Profile(peer_second).own.values()) - sum(Profile(peer_first).own.values())) / requests
    row("stage", *KINDS, "all")
    row("---", *["--:"] * (len(KINDS) + 1))
    for name in STAGE_ORDER:
        counts = [stages.get((name, kind), 0) for kind in KINDS]
        row(name, *map(figure, counts), figure(sum(counts)))
    row("**all**", *(figure(sum(count for key, count in stages.items() if key[1] == kind)) for kind in KINDS),
        f"**{figure(sum(stages.values()))}**")
    row("curl_multi in C", *[""] * len(KINDS), figure(peer))
    print()
    row("module", "instructions")
    row("---", "--:")
    for name, count in sorted(modules.items(), key=lambda item: -item[1]):
        if round(count) >= 100:
            row(name, figure(count))


def system_calls(requests, first, second, first_switches, second_switches):
    """The counts of `strace -c -U name,calls`, and the voluntary switches of threads that the program printed."""
    requests = int(requests)

    def counts(path):
        rows = (line.split() for line in open(path))
        return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit() and row[0] != "total"}

    def switches(path):
        return int(pathlib.Path(path).read_text().split()[-1])

    calls = difference(counts(first), counts(second), requests)
    print()
    row("system call", "a request")
    row("---", "--:")
    for name, count in sorted(calls.items(), key=lambda item: -item[1]):
        if count >= 0.01:
            row(name, f"{count:.2f}")
    row("**all**", f"**{sum(calls.values()):.2f}**")
    row("voluntary switches", f"{(switches(second_switches) - switches(first_switches)) / requests:.2f}")


# MARK: The way of a response


class Declarations:
    """The functions of a folder of Swift sources: where they stand, how long they are and what their comment says first.

    By the name of `Names`, without its module. Not a parser: it knows braces, comments and texts, and of declarations their keyword.
    """

    declaration = re.compile(r"\b(func|init|subscript|var|let|struct|class|enum|extension|protocol|actor)\b[?!]?\s*([\w.`]+|[^\w\s(<{]+)?")

    def __init__(self, folder):
        self.known = {}
        for path in sorted(pathlib.Path(folder).rglob("*.swift")):
            self.read(path, path.read_text())

    def find(self, name):
        """Of `Module.Type.member(labels:)`; nothing where the compiler has made it."""
        return self.known.get(name.split(".", 1)[-1])

    def read(self, path, text):
        code = self.blanked(text)
        lines = text.split("\n")
        scopes, index = [], 0
        while index < len(code):
            found = self.declaration.match(code, index)
            if code[index] == "{":
                scopes.append((None, None))
            elif code[index] == "}" and scopes:
                scopes.pop()
            elif found and not (index and (code[index - 1].isalnum() or code[index - 1] in "._`")):
                index = self.declare(path, code, lines, found, scopes)
                continue
            index += 1

    def declare(self, path, code, lines, found, scopes):
        """Notes a function; gives where to read on."""
        keyword, name = found.group(1), (found.group(2) or "").strip("`")
        is_member = all(kind == "type" for kind, _ in scopes)
        if keyword in ("struct", "class", "enum", "extension", "protocol", "actor"):
            start = code.find("{", found.end())
            if start < 0 or keyword == "class" and name in ("func", "var"):
                return found.end()
            scopes.append(("type", name))
            return start + 1
        if keyword not in ("func", "init", "subscript") or not is_member:
            return found.end()
        opening = code.find("(", found.start())
        if opening < 0:
            return found.end()
        closing = Names.closing(code, opening)
        body = self.body(code, closing + 1)
        if body is None:
            return closing
        end = self.brace(code, body)
        first, last = code.count("\n", 0, found.start()), code.count("\n", 0, end)
        labels = "".join(re.match(r"(?:@\w+\s+)*(\w+)", part).group(1) + ":" for part in Names.parts(code[opening + 1:closing]))
        kinds = [kind for _, kind in scopes]
        name = ".".join(kinds + [name if keyword == "func" else keyword])
        self.known.setdefault(f"{name}({labels})", (path, last - first + 1, self.sentence(lines, first)))
        return end + 1

    @staticmethod
    def body(code, index):
        """Where the body of a function begins whose parameters end here; nothing where there is none."""
        while index < len(code):
            if code[index] == "{":
                return index
            if code[index] == "}" or re.match(r"\n\s*(\n|@|}|(public|private|package|static|mutating|func|var|let|init|case)\b)", code[index:index + 60]):
                return None
            index = Names.closing(code, index) + 1 if code[index] in "<([" else index + 1
        return None

    @staticmethod
    def brace(code, index):
        depth = 0
        for end in range(index, len(code)):
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            if depth == 0:
                return end
        return len(code)

    @staticmethod
    def blanked(text):
        """The text with blanks for what stands in comments and between quotes."""
        def blank(found):
            return re.sub(r"[^\n]", " ", found.group())
        return re.sub(r'//[^\n]*|/\*.*?\*/|(#*)""".*?"""\1|(#+)".*?"\2|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.DOTALL)

    @staticmethod
    def sentence(lines, index):
        """The first sentence of the comment over a line."""
        comment = []
        while index > 0 and re.match(r"\s*(///|//(?! MARK)|@|#if|#endif)", lines[index - 1]):
            index -= 1
            if found := re.match(r"\s*///? ?(.*)", lines[index]):
                comment.insert(0, found.group(1))
        text = []
        for line in comment:
            if not line.strip() or line.startswith("- "):
                break
            text.append(line.strip())
        return re.split(r"(?<=[.!?]) |(?<=\.)$", " ".join(text))[0]


def steady(first, second, requests, names):
    """How often each of our functions is called for a request, by its name."""
    counts = [collections.Counter(), collections.Counter()]
    for profile, count in zip((first, second), counts):
        for number, calls in profile.calls.items():
            count[names[profile.chains[number][0]]] += calls
    return {name: (counts[1][name] - counts[0][name]) / requests for name in counts[1] if name}


def calls(requests, first, second, sources):
    """Prints the functions between the transport's first callback of the one request of `first` and the value.

    The chains of that run are numbered as they came about, so that their order is that of the way. Left out are what is not
    called for every request, accessors, helpers of every part of the way, and what the compiler has made; and of modules other
    than the transport's and the manager's, what is not called from another module. A loop is listed where it goes on: `Call.run`
    is behind the exchange that it waits for.
    """
    first, second = Profile(first), Profile(second)
    names = Names(part for profile in (first, second) for chain in profile.chains.values() for part in chain)
    often = steady(first, second, int(requests), names)
    declarations = Declarations(sources)
    root = pathlib.Path(sources).resolve().parent
    seen, over = {}, []
    is_on_the_way = False
    for number, chain in sorted(first.chains.items()):
        if is_on_the_way and chain[0].startswith("$s13patchbay_cost"):
            break
        name = names[chain[0]]
        is_on_the_way = is_on_the_way or bool(name and re.match(r"PatchbayCurl\.Transfer\.receive", name))
        if not is_on_the_way or not (name or "").startswith("Patchbay"):
            continue
        if name in seen or often.get(name, 0) < 0.5 or re.match(HELPERS, name):
            continue
        callers = [names[part] for part in chain[1:] if (names[part] or "").startswith("Patchbay") and names[part] != name]
        home = name.split(".")[0]
        is_step = home in ("PatchbayCurl", "PatchbayManager") or callers and callers[0].split(".")[0] != home
        if is_step and (place := declarations.find(name)):
            seen[name] = place
    if not seen:
        sys.exit("the transport's callback was not called")
    print(f"{len(seen)} functions in {len({place[0] for place in seen.values()})} files\n")
    row("function", "file", "lines", "what it does")
    row("---", "---", "--:", "---")
    for name, (path, length, sentence) in seen.items():
        row(f"`{name.split('.', 1)[1]}`", f"`{path.resolve().relative_to(root)}`", str(length), sentence or "–")
        if length > 80:
            over.append(f"{name} has {length} lines")
    silent = sum(not place[2] for place in seen.values())
    if silent:
        print(f"{silent} functions have no sentence", file=sys.stderr)
    if over:
        sys.exit("over 80 lines: " + ", ".join(over))


# MARK: The one number of scripts/pins


def own(program, path):
    profile = Profile(path)
    excluded = re.compile(r"\$s13patchbay_pins|patchbay_(pinned|allocations|counts|hold|run)|hold$|(malloc|calloc|realloc|aligned_alloc)$"
                          r"|posix_memalign$")
    print(sum(count for number, count in profile.own.items()
              if profile.object(number) == program and not excluded.match(profile.chains[number][0])))


if __name__ == "__main__":
    commands = {"cost": cost, "calls": calls, "own": own, "calls-a-request": system_calls}
    commands[sys.argv[1]](*sys.argv[2:])
