"""api.py MODE GRAPHS FOLDER: compares the libraries of GRAPHS with the lines of FOLDER, or writes these. See scripts/api."""

import difflib, pathlib, re, sys

import apilines

HEADING = re.compile(r"(?:@\w+(?:\(.*?\))? |[a-z]+ )*?(?:struct|enum|class|actor|protocol|extension) ([\w.]+)")
NAME = re.compile(r"\b(?:func|var|let|case|typealias|associatedtype) (\S+?)(?=[(<: ]|$)|\b(?:init|subscript)\b|^ *: \S+")
HARMLESS = re.compile(r'@available\(\*, deprecated(?:, renamed: "[^"]*")?\) |@discardableResult ')
DEFAULT = re.compile(r' = (?:"(?:[^"\\]|\\.)*"|\((?:[^()]|\([^()]*\))*\)|\[[^][]*\]|\{[^{}]*\}|[^][(){}",])+')


def parsed(text):
    """The declarations of a file, in the form of apilines."""
    found, owner = set(), ""
    for line in text.splitlines():
        if not line.startswith(" "):
            heading = HEADING.match(line)
            owner = heading[1] if heading else ""
        if not line.startswith("extension "):
            found.add((owner, line))
    return found


def printed(items):
    items = items | {(owner, f"extension {owner}") for owner, _ in items if owner and owner not in headings(items)}
    return "".join(f"{line}\n" for _, line in in_order(items))


def in_order(items):
    return sorted(items, key=lambda item: (item[0], item[1].startswith(" "), item[1]))


def headings(items):
    return {owner: line for owner, line in items if owner and not line.startswith(" ")}


def essence(line, is_requirement):
    """The text on which other code depends, and the optional parts: default values, a default implementation and a setter. A change
    may add parts, but not remove them."""
    text = HARMLESS.sub("", line)
    text = text if "typealias " in text else DEFAULT.sub(" = …", text)
    parts = {place for place, piece in enumerate(re.split("[,)]", text)) if piece.endswith(" = …")}
    text = re.sub(r"(\(|, )(\w+) \w+: ", r"\1\2: ", text.replace(" = …", ""))  # Callers write the label only.
    text = re.sub(r"^([^(]*)\blet (.*)", r"\1var \2 { get }", text)
    text = re.sub(r"^([^(]*\bvar [^{]*)$", r"\1 { get set }", text)
    # A type without the new setter no longer meets a requirement.
    optional = "(?<=^    )optional " if is_requirement else " set(?= })"
    return re.sub(optional, "", text), parts.union(re.findall(optional, text))


def name(line):
    match = NAME.search(HARMLESS.sub("", line))
    return match and (match[1] or match[0])


def spoken(owner, line):
    text = line.strip()
    return f"`{text}`" if line == text else f"`{owner} {text}`" if text.startswith(":") else f"{owner}: `{text}`"


def breakages(old, new):
    """For each breakage: the sentence, the old declarations that it names, and the new ones."""
    found, lost, fresh, types = [], old - new, new - old, headings(new)
    # A type that is gone is one breakage, with all its members.
    for owner, line in in_order(lost):
        if owner not in types and (owner, line) in lost and HEADING.match(line):
            members = {item for item in old if f"{item[0]}.".startswith(f"{owner}.")}
            found.append((f"`{line}` is gone", members, set()))
            lost -= members
    protocols = {owner for owner, line in headings(old).items() if "protocol " in line}
    is_requirement = lambda item: item[0] in protocols and item[1].startswith(" ") and not item[1].startswith("    extension ")

    texts, parts = {}, {}
    for item in lost | fresh:
        texts[item], parts[item] = essence(item[1], is_requirement(item))
    same = {(one, other) for one in lost for other in fresh if one[0] == other[0] and texts[one] == texts[other]}
    harmless = {one: other for one, other in same if parts[one] <= parts[other]}
    fresh -= set(harmless.values())
    for owner, line in in_order(lost - harmless.keys()):
        others = sorted(other for path, other in fresh if path == owner and name(other) == name(line))
        nearest = {(owner, other) for other in difflib.get_close_matches(line, others, 1, 0)}
        fate = "".join(f"now `{other.strip()}`" for _, other in nearest) or "gone"
        found.append((f"{spoken(owner, line)} is {fate}", {(owner, line)}, nearest))
        fresh -= nearest
    for item in in_order(fresh):
        if " case " in item[1] and item[0] in headings(old):
            found.append((f"{spoken(*item)} is a new case", set(), {item}))
        elif is_requirement(item) and not item[1].startswith("    optional "):
            found.append((f"{spoken(*item)} is a new requirement", set(), {item}))
    return found


def renewed(new, found):
    """The new declarations, but the old ones for each breakage: it stays a breakage until the release."""
    return new.difference(*(fresh for _, _, fresh in found)).union(*(lost for _, lost, _ in found))


def main(mode, work, folder):
    if mode not in ("compare", "--renew", "--release"):
        return "usage: scripts/api [--renew | --release]"
    text = (folder / "allowed.txt").read_text().splitlines()
    entries = [line for line in text if not line.startswith("#")]
    allowed = [entry.partition("  # ")[0] for entry in entries]
    now, named, files, changes = apilines.libraries(work), set(), {}, []
    kept = {path.stem: parsed(path.read_text()) for path in folder.glob("*.api")}
    for product in sorted(now.keys() | kept.keys()):
        old, new = kept.get(product, set()), now.get(product, set())
        found = breakages(old, new)
        named.update(f"{product}: {sentence}" for sentence, _, _ in found)
        files[product] = new if mode == "--release" else renewed(new, found)
        changes += [f"{'-' if item in old else '+'} {product}: {spoken(*item)}" for item in in_order(files[product] ^ old)]

    faults = [f"API/allowed.txt gives no reason: {entry}" for entry in entries if "  # " not in entry]
    faults += [f"API/allowed.txt does not name the breakage: {sentence}" for sentence in sorted(named.difference(allowed))]
    faults += [f"API/allowed.txt names what is no breakage: {sentence}" for sentence in allowed if sentence not in named]
    if mode == "compare":
        faults += [f"not written down, run scripts/api --renew: {change}" for change in changes]
    count = sum(not line.startswith("    :") for items in now.values() for _, line in items)
    if mode == "--release" or mode == "--renew" and not faults:
        for product, items in files.items():
            path = folder / f"{product}.api"
            path.write_text(printed(items)) if items else path.unlink(missing_ok=True)
        if mode == "--release":
            (folder / "allowed.txt").write_text("".join(f"{line}\n" for line in text if line.startswith("#")))
        print(f"api: written, {count} declarations, {len(changes)} lines changed")
        return 0
    for fault in faults:
        print(f"api: {fault}")
    print(f"api: {count} declarations, {len(named)} breakages, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])))
