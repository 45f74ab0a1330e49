"""The public declarations of a product as lines, and what swift-api-digester says of a change from some lines to others.

A line is a declaration as the symbol graph prints it, members indented below their type. Lines of symbol graphs rather than the
digester's own dump: the dump is fifty times as long, has the `package` declarations too, and says nothing of `async`, of the type
of an error, of `@Sendable` and of actors. What the digester compares is a tree made of the lines, on both sides, in which the type
of a function's result holds these too.
"""

import json, pathlib, re, subprocess, tempfile

# Every type has these unless it says otherwise.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype", "BitwiseCopyable"}
TYPES = ("struct", "enum", "class", "protocol")


# Lines of symbol graphs

def declared(symbol, name=None, known=frozenset()):
    """The declaration on one line, with another name if there is one, and without the constraints that are known."""
    parts = [name if name and part["kind"] == "identifier" else part["spelling"] for part in symbol["declarationFragments"]]
    text = " ".join("".join(parts).split())
    extended = symbol.get("swiftExtension", {}).get("constraints", [])
    extra = constrained(item for item in extended if written(item) not in text and written(item) not in known)
    text += (", " if " where " in text else " where ") + extra if extra else ""
    return availability(symbol) + text


def constraints(symbol):
    return {written(item) for item in symbol.get("swiftGenerics", {}).get("constraints", [])}


def written(constraint):
    sign = {"conformance": ":", "superclass": ":", "sameType": "=="}[constraint["kind"]]
    return f"{constraint['lhs']} {sign} {constraint['rhs']}"


def constrained(constraints):
    return ", ".join(sorted({written(constraint) for constraint in constraints if constraint["rhs"] not in IMPLIED}))


def availability(symbol):
    text = ""
    for item in sorted(symbol.get("availability", []), key=lambda item: item.get("domain", "")):
        words = [item.get("domain", "*")]
        words += [word for word in ("deprecated", "unavailable") if item.get(f"isUnconditionally{word.capitalize()}")]
        for key in ("introduced", "deprecated", "obsoleted"):
            if key in item:
                words.append(f"{key}: " + ".".join(str(item[key][part]) for part in ("major", "minor") if part in item[key]))
        words += [f'{key}: "{item[key]}"' for key in ("renamed",) if key in item]
        text += f"@available({', '.join(words)}) "
    return text


def demangled(names):
    if not names:
        return {}
    command = ["swift", "demangle", "--compact"] + ["$s" + name.removeprefix("s:") for name in names]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {name: line.partition(".")[2] for name, line in zip(names, lines)}


def lines_of(graphs):
    """The lines of the modules of a product: a heading for each type, and its members below."""
    symbols, relations = {}, []
    for graph in graphs:
        relations += graph["relationships"]
        for symbol in graph["symbols"]:
            # What a protocol's extension gives is a line there, and not at each type that has it.
            if "::SYNTHESIZED::" not in symbol["identifier"]["precise"]:
                symbols.setdefault(symbol["identifier"]["precise"], symbol)
    requirements = {relation["source"] for relation in relations if relation["kind"] == "requirementOf"}
    defaults = [relation for relation in relations if relation["kind"] == "defaultImplementationOf"]
    optional = {item["target"] for item in defaults if is_for_all(symbols.get(item["source"]), symbols.get(item["target"]))}
    protocols = {".".join(symbol["pathComponents"]) for symbol in symbols.values() if kind(symbol) == "protocol"}
    # What a type asks of its parameters, which each member and conformance says again.
    own = {".".join(symbol["pathComponents"]): constraints(symbol) for symbol in symbols.values() if kind(symbol) in TYPES}

    headings, members = {}, {}
    for usr, symbol in symbols.items():
        path = ".".join(symbol["pathComponents"])
        owner = ".".join(symbol["pathComponents"][:-1])
        if kind(symbol) in TYPES:
            headings[path] = ("open " if symbol["accessLevel"] == "open" else "") + declared(symbol, path)
        else:
            text = ("open " if symbol["accessLevel"] == "open" else "") + declared(symbol, known=own.get(owner, frozenset()))
            if owner in protocols and usr not in requirements:
                text = "extension " + text
            elif usr in optional:
                text = "optional " + text
            members.setdefault(owner, set()).add(text)

    conformances = [relation for relation in relations if relation["kind"] in ("conformsTo", "inheritsFrom")]
    foreign = demangled(sorted({relation["source"] for relation in conformances} - symbols.keys()))
    names = demangled(sorted({r["target"] for r in conformances if "targetFallback" not in r} - symbols.keys()))
    for relation in conformances:
        source, target = symbols.get(relation["source"]), symbols.get(relation["target"])
        if source and kind(source) == "protocol":
            continue
        path = ".".join(source["pathComponents"]) if source else foreign[relation["source"]]
        name = ".".join(target["pathComponents"]) if target else relation.get("targetFallback", "").partition(".")[2]
        name = name or names[relation["target"]]
        known = constraints(source) if source else frozenset()
        extra = constrained(item for item in relation.get("swiftConstraints", []) if written(item) not in known)
        if name not in IMPLIED:
            members.setdefault(path, set()).add(f": {name}" + (f" where {extra}" if extra else ""))

    lines = sorted(members.pop("", ()))
    for path in sorted(headings.keys() | members.keys()):
        lines.append(headings.get(path, f"extension {path}"))
        lines += ["    " + text for text in sorted(members.get(path, ()))]
    return lines


def is_for_all(default, requirement):
    """Whether every type of the protocol has this implementation of its requirement."""
    if not default or not requirement or default.get("swiftExtension", {}).get("constraints"):
        return False
    return default["pathComponents"][:-1] == requirement["pathComponents"][:-1]


def kind(symbol):
    return symbol["kind"]["identifier"].removeprefix("swift.")


# The digester's tree of lines

OPENING, CLOSING = "(<[{", ")>]}"


def outside(text):
    """The positions of the characters that stand in no brackets and no string."""
    # Arrows, comparisons, shifts and strings have brackets that are none.
    text = re.sub(r'->| [<>]+=? |"(?:[^"\\\\]|\\\\.)*"', lambda match: "-" * len(match.group()), text)
    depth, found = 0, []
    for index, character in enumerate(text):
        depth -= character in CLOSING
        if depth == 0:
            found.append(index)
        depth += character in OPENING
    return found


def split(text, separator):
    """The pieces of the text between separators that stand in no brackets."""
    pieces, start = [], 0
    for index in outside(text):
        if index >= start and text.startswith(separator, index):
            pieces.append(text[start:index])
            start = index + len(separator)
    return pieces + [text[start:]]


def bracketed(text):
    """What the brackets at the beginning hold, with them, and what stands behind."""
    if not text or text[0] not in OPENING:
        return "", text
    end = outside(text)[1]
    return text[: end + 1], text[end + 1 :]


def type_node(text, **more):
    return {"kind": "TypeNominal", "name": text, "printedName": text, **more}


def parameters(text):
    """Labels and type nodes of `(label name: Type = default, …)`."""
    labels, nodes = [], []
    for item in split(text[1:-1], ", ") if text[1:-1] else []:
        pieces = split(item, ": ")
        name, annotation = (pieces[0], ": ".join(pieces[1:])) if len(pieces) > 1 else ("_", item)
        pieces = split(annotation, " = ")
        labels.append(name.split()[0])
        nodes.append(type_node(pieces[0], **({"hasDefaultArg": True} if len(pieces) > 1 else {})))
    return labels, nodes


MODIFIER = re.compile(
    r"@[\w.]+|(?:open|extension|optional|static|class|final|mutating|nonmutating|consuming|borrowing|convenience|required|override"
    r"|indirect|isolated|nonisolated|prefix|postfix|infix|weak|unowned|lazy|dynamic)(?=[ (])")


def member(line, owner, protocol):
    """The node of a member's line."""
    rest, modifiers = line, []
    while match := MODIFIER.match(rest):
        argument, rest = bracketed(rest[match.end() :])
        modifiers.append(match.group() + argument)
        rest = rest.lstrip()
    if rest.startswith(":"):
        return {"kind": "Conformance", "name": rest[2:], "printedName": rest[2:], "usr": rest, "mangledName": rest}
    pieces = split(rest, " where ")
    rest, constraint = pieces[0], "".join(pieces[1:])
    word, name, rest = re.match(r"(\w+[?!]?)(?: (`?\w+`?|[^\w\s(]+))? ?(.*)", rest).groups()
    generics, rest = bracketed(rest) if rest.startswith("<") else ("", rest)
    arguments, rest = bracketed(rest) if rest.startswith("(") and word not in ("var", "let") else ("", rest)
    labels, nodes = parameters(arguments) if arguments else ([], [])
    quiet = {"static", "class", "final", "mutating", "extension", "optional", "open", "@discardableResult", "override", "required"}
    effects = [word for word in modifiers if word not in quiet and not word.startswith("@available")]
    node = {"name": name or word, "moduleName": owner["moduleName"], "usr": f"{owner['usr']} {line}", "children": []}
    node["mangledName"] = node["usr"]
    if generics or constraint:
        node["genericSig"] = " where ".join(filter(None, [generics, constraint]))
    if "static" in modifiers or "class" in modifiers:
        node["static"] = True
    if protocol and "extension" in modifiers:
        node["isFromExtension"] = True
    elif protocol and "optional" not in modifiers:
        node |= {"protocolReq": True, "reqNewWitnessTableEntry": True}

    if word in ("func", "subscript") or word.startswith("init"):
        name = word.rstrip("?!") if not name else name
        body, rest = (split(rest, " { ") + [""])[:2] if word == "subscript" else ("", rest)
        before, _, result = (body or rest).partition("-> ")
        effects += before.split()
        result = owner["printedName"] + word[4:] if word.startswith("init") else result or "Void"
        node["printedName"] = name + "(" + "".join(label + ":" for label in labels) + ")"
        node["name"] = name
        node["children"] = [type_node(" ".join(effects + ["->", result] if effects else [result]))] + nodes
        if word == "func":
            node |= {"kind": "Function", "declKind": "Func"}
            node["funcSelfKind"] = "Mutating" if "mutating" in modifiers else "NonMutating"
        elif word == "subscript":
            node |= {"kind": "Subscript", "declKind": "Subscript", "accessors": accessors(node, "{ " + rest)}
        else:
            node |= {"kind": "Constructor", "declKind": "Constructor", "init_kind": "Designated"}
    elif word in ("var", "let"):
        annotation, _, body = rest.removeprefix(": ").partition(" { ")
        accessor = body.replace("get", "", 1).replace("set", "").strip("{} ")
        node |= {"kind": "Var", "declKind": "Var", "printedName": name}
        node["children"] = [type_node(" ".join(effects + accessor.split() + [annotation]))]
        node["accessors"] = accessors(node, body or ("{ get set }" if word == "var" else "{ get }"))
    elif word == "case":
        node |= {"kind": "Var", "declKind": "EnumElement", "children": [type_node(arguments or "()")]}
        node["printedName"] = name + ("(" + "".join(label + ":" for label in labels) + ")" if arguments else "")
    else:
        declaration = "TypeAlias" if word == "typealias" else "AssociatedType"
        node |= {"kind": declaration, "declKind": declaration, "printedName": name, "children": [type_node(rest + constraint)]}
    return node


def accessors(node, body):
    found = []
    for word in ("get", "set"):
        if re.search(rf"\b{word}\b", body):
            accessor = {"kind": "Accessor", "name": word.capitalize(), "printedName": word.capitalize() + "()"}
            accessor |= {"declKind": "Accessor", "accessorKind": word, "usr": node["usr"] + " " + word}
            accessor |= {"mangledName": node["usr"] + " " + word, "moduleName": node["moduleName"], "children": []}
            if "protocolReq" in node:
                accessor |= {"protocolReq": True, "reqNewWitnessTableEntry": True}
            found.append(accessor)
    return found


HEADING = re.compile(r"((?:@\w+(?:\(.*?\))? |open |final )*)(struct|enum|class|actor|protocol|extension) ([\w.]+)(.*)")


def tree(product, lines):
    """The tree of a product's lines, as the digester dumps one of a module, and the name of each line's declaration."""
    names = []
    root = {"kind": "Root", "name": product, "printedName": product, "children": [], "json_format_version": 8}
    root["moduleName"], root["usr"], types, current = product, "", {}, None
    for line in lines:
        heading = HEADING.fullmatch(line)
        if heading:
            modifiers, word, path, rest = heading.groups()
            current = {"kind": "TypeDecl", "name": path.rpartition(".")[2], "printedName": path.rpartition(".")[2], "children": []}
            current["declKind"] = "Struct" if word == "extension" else word.capitalize()
            current |= {"usr": f"s:{path}", "mangledName": f"$s{path}", "moduleName": product, "conformances": []}
            if rest:
                current["genericSig"] = rest.strip()
            if "open " in modifiers:
                current["isOpen"] = True
            if "final " in modifiers:
                current["declAttributes"] = ["Final"]
            if word == "enum":
                current["isEnumExhaustive"] = True
            if word == "extension":
                current["isExternal"] = True
            types[path] = current
            types.get(path.rpartition(".")[0], root)["children"].append(current)
            names.append((path, path))
        elif line.startswith("    "):
            node = member(line.strip(), current, current["declKind"] == "Protocol")
            is_conformance = node["kind"] == "Conformance"
            current["conformances" if is_conformance else "children"].append(node)
            path = current["usr"].removeprefix("s:")
            names.append((path, f"{path}: {node['name']}" if is_conformance else f"{path}.{node['printedName']}"))
        else:
            root["children"].append(member(line, root, False))
            names.append(("", root["children"][-1]["printedName"]))
    del root["moduleName"], root["usr"]
    return {"ABIRoot": root}, names


# The judgement

def breakages(product, old, new):
    """What the digester says of the change, a sentence each."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["swift-api-digester", "-diagnose-sdk", "-enable-remove-deprecated-check"]
        for name, lines in (("old", old), ("new", new)):
            path = pathlib.Path(folder, f"{name}.json")
            path.write_text(json.dumps(tree(product, lines)[0]))
            command += ["-input-paths", str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = {line for line in (done.stdout + done.stderr).splitlines() if line and not line.startswith("/*")}
    # It does not see that a requirement has lost its default.
    now = {(owner, line.strip()) for (owner, _), line in zip(tree(product, new)[1], new)}
    for (owner, name), line in zip(tree(product, old)[1], old):
        text = line.strip()
        if text.startswith("optional ") and (owner, text.removeprefix("optional ")) in now:
            found.add(f"Requirement {name} has no default any more")
    # Types first: of one that is gone, much else follows.
    return sorted(found, key=lambda text: (text.split()[0] not in ("Struct", "Enum", "Class", "Protocol"), text))


def renewed(product, old, new, allowed):
    """The new lines, except that a declaration with an allowed breakage stays as it was: it is still one against the release."""
    frozen, gone = set(), set()
    for sentence in allowed:
        name = sentence.split()[1]
        if match := re.search(r" has removed conformance to (.*)", sentence):
            name += ": " + match[1]
        frozen.add(name)
        if match := re.search(r" has been renamed to \w+ (\S+)", sentence):
            frozen.add(name.rpartition(".")[0] + "." + match[1] if "." in name else match[1])
        if re.fullmatch(r"(Struct|Enum|Class|Protocol) \S+ has been removed", sentence):
            gone.add(name)

    def is_kept(owner, name):
        return name in frozen or any(owner == path or owner.startswith(path + ".") for path in gone)

    blocks = {}
    for lines, wanted in ((old, True), (new, False)):
        for (owner, name), line in zip(tree(product, lines)[1], lines):
            if is_kept(owner, name) == wanted:
                heading, members = blocks.setdefault(owner, ([], []))
                (heading if owner and owner == name else members).append(line)
    return [line for owner in sorted(blocks) for part in blocks[owner] for line in sorted(part)]
