"""The public declarations of the libraries: a set of (type, line) for each. A line is a declaration as the symbol graph prints it.
The line of a type belongs to the type itself. Lines of members and conformances are indented. Top-level lines have the type ""."""

import json, subprocess

# Every type has these unless it says otherwise.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype", "BitwiseCopyable"}
SIGNS = {"conformance": ":", "superclass": ":", "sameType": "=="}


def libraries(work):
    """The declarations of each library of the folder's package.json, whichever of its modules they are in."""
    products = [item for item in json.loads((work / "package.json").read_text())["products"] if "library" in item["type"]]
    found = {}
    for item in products:
        paths = [path for module in item["targets"] for path in work.glob(f"{module}[.@]*symbols.json")]
        found[item["name"]] = declarations([json.loads(path.read_text()) for path in paths])
    return found


def declarations(graphs):
    symbols = {symbol["identifier"]["precise"]: symbol for graph in graphs for symbol in graph["symbols"]}
    paths = {usr: ".".join(symbol["pathComponents"]) for usr, symbol in symbols.items()}
    owners = {usr: ".".join(symbol["pathComponents"][:-1]) for usr, symbol in symbols.items()}
    kinds = {usr: symbol["kind"]["identifier"].removeprefix("swift.") for usr, symbol in symbols.items()}
    types = {paths[usr]: usr for usr in symbols if kinds[usr] in ("struct", "enum", "class", "protocol")}
    protocols = {paths[usr] for usr in symbols if kinds[usr] == "protocol"}
    relations = [relation for graph in graphs for relation in graph["relationships"]]
    requirements = {relation["source"] for relation in relations if relation["kind"] == "requirementOf"}
    defaults = [item for item in relations if item["kind"] == "defaultImplementationOf" and item["source"] in symbols]
    for_all = [item for item in defaults if not constraints(symbols[item["source"]].get("swiftExtension"))]
    optional = {item["target"] for item in for_all if owners[item["source"]] == owners.get(item["target"])}
    # The constraints of a type stand in its own line only.
    own = {path: constraints(symbols[usr].get("swiftGenerics")) for path, usr in types.items()}

    found = set()
    for usr, symbol in symbols.items():
        path, owner, parts = paths[usr], owners[usr], symbol["declarationFragments"]
        is_type = types.get(path) == usr
        text = "".join(path if is_type and part["kind"] == "identifier" else part["spelling"] for part in parts)
        text = availability(symbol) + " ".join(text.split())
        extra = constraints(symbol.get("swiftExtension")) - own.get(owner, set())
        if extra := [item for item in sorted(extra) if item not in text]:
            text += (", " if " where " in text else " where ") + ", ".join(extra)
        text = "open " + text if symbol["accessLevel"] == "open" else text
        if owner in protocols and usr not in requirements and not is_type:
            text = "extension " + text
        elif usr in optional:
            text = "optional " + text
        found.add((path, text) if is_type else (owner, f"    {text}" if owner else text))

    conformances = [relation for relation in relations if relation["kind"] in ("conformsTo", "inheritsFrom")]
    foreign = sorted({relation[end] for relation in conformances for end in ("source", "target")} - paths.keys())
    command = ["swift", "demangle", "--compact"] + ["$s" + usr.removeprefix("s:") for usr in foreign]
    lines = subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout.splitlines()
    names = paths | {usr: line.partition(".")[2] for usr, line in zip(foreign, lines)}
    for relation in conformances:
        owner, target = names[relation["source"]], names[relation["target"]]
        if target not in IMPLIED and owner not in protocols:
            extra = constraints({"constraints": relation.get("swiftConstraints", [])}) - own.get(owner, set())
            found.add((owner, f"    : {target}" + (" where " + ", ".join(sorted(extra)) if extra else "")))
    return found


def constraints(generics):
    items = (generics or {}).get("constraints", [])
    return {f"{item['lhs']} {SIGNS[item['kind']]} {item['rhs']}" for item in items if item["rhs"] not in IMPLIED}


def availability(symbol):
    text = ""
    for item in sorted(symbol.get("availability", []), key=lambda item: item.get("domain", "")):
        words = [item.get("domain", "*")]
        words += [word for word in ("deprecated", "unavailable") if item.get(f"isUnconditionally{word.capitalize()}")]
        versions = {key: item[key] for key in ("introduced", "deprecated", "obsoleted") if key in item}
        words += [f"{key}: {version['major']}.{version.get('minor', 0)}" for key, version in versions.items()]
        words += [f'renamed: "{item["renamed"]}"'] if "renamed" in item else []
        text += f"@available({', '.join(words)}) "
    return text
