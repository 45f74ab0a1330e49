"""api.py MODE GRAPHS FOLDER: compares the libraries of GRAPHS with the lines of FOLDER, or writes these. See scripts/api."""

import json, pathlib, sys

import apilines


def read_allowed(path):
    """The breakages of the list, and what is wrong with it. A line of it: the breakage, two blanks, # and why."""
    allowed, faults = [], []
    for line in path.read_text().splitlines() if path.exists() else []:
        sentence, _, reason = line.partition("  # ")
        if line and not line.startswith("#"):
            allowed.append(sentence)
            faults += [] if reason else [f"{path.name} does not say why it allows: {sentence}"]
    return allowed, faults


def libraries(work):
    """The lines of each library, whichever of its modules a declaration is in."""
    found = {}
    for product in json.loads((work / "package.json").read_text())["products"]:
        if "library" in product["type"]:
            graphs = [path for module in product["targets"] for path in work.glob(f"{module}[.@]*symbols.json")]
            found[product["name"]] = apilines.lines_of(json.loads(path.read_text()) for path in sorted(graphs))
    return found


def difference(old, new):
    """The lines that only one side has, with the type they stand below."""
    old, new = ({(owner, line.strip()) for (owner, _), line in zip(apilines.tree("", lines)[1], lines)} for lines in (old, new))
    name = lambda item: ": ".join(filter(None, item))
    return [f"+ {name(item)}" for item in sorted(new - old)] + [f"- {name(item)}" for item in sorted(old - new)]


def main(mode, work, folder):
    allowed, faults = read_allowed(folder / "allowed.txt")
    now = libraries(work)
    kept = {path.stem: path.read_text().splitlines() for path in folder.glob("*.api")}
    used, files, changes = set(), {}, []
    for product in sorted(now.keys() | kept.keys()):
        old, new = kept.get(product, []), now.get(product, [])
        found = apilines.breakages(product, old, new) if old != new else []
        used.update(f"{product}: {text}" for text in found)
        faults += [f"breakage: {product}: {text}" for text in found if f"{product}: {text}" not in allowed]
        files[product] = new if mode == "--release" else apilines.renewed(product, old, new, found)
        changes += [f"{product}: {line}" for line in difference(old, files[product])]
    faults += [f"allowed.txt allows what is no breakage: {sentence}" for sentence in allowed if sentence not in used]
    count = sum(not line.startswith("    :") for lines in now.values() for line in lines)

    if mode == "--release" or mode == "--renew" and not faults:
        for product, lines in files.items():
            path = folder / f"{product}.api"
            path.write_text("\n".join(lines) + "\n") if lines else path.unlink(missing_ok=True)
        if mode == "--release":
            text = (folder / "allowed.txt").read_text().splitlines()
            (folder / "allowed.txt").write_text("".join(line + "\n" for line in text if line.startswith("#")))
        print(f"api: written, {count} declarations, {len(changes)} lines changed")
        return 0
    for text in faults + ([f"not written down: {change}" for change in changes] if mode == "compare" else []):
        print(f"api: {text}")
    if any(fault.startswith("breakage") for fault in faults):
        print("api: a breakage that is meant stands in API/allowed.txt, with the reason")
    if mode == "compare" and changes:
        print("api: run scripts/api --renew")
    print(f"api: {count} declarations, {len(faults)} faults, {len(used)} breakages, {len(changes)} lines not written down")
    return 1 if faults or changes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])))
