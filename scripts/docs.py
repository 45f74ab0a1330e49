"""The pages of the documentation site; scripts/docs runs this.

    write ROOT FOLDER GRAPHS   writes the catalogue of ROOT/Sources/Patchbay, with the links of its articles as docc has them. The first
                               mention of a public type in a page becomes a link to the symbol, where docc then lists the page
    translate ROOT FOLDER      the same without the symbols of other modules, which a build of the target Patchbay alone does not know
    check ROOT SITE            checks the links of the built site, and that every page is in it
"""

import collections
import json
import pathlib
import re
import shutil
import sys

MODE, ROOT, TARGET = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
INDEX = ROOT / "Documentation" / "README.md"
CATALOGUE = ROOT / "Sources" / "Patchbay" / "Patchbay.docc"
# The front page lists the pages by task, as the index does. No two names may differ in their case alone.
NAMES = {INDEX: "Patchbay", ROOT / "README.md": "Start", ROOT / "SECURITY.md": "SecurityPolicy"}
CODE = re.compile(r"(^```.*?^```$|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+)\)")
# Where code is masked as its number between two of these: a heading, a link with its text, or code that is in neither.
MARK = "\x00"
PIECE = re.compile(rf"^#.*$|\[([^\[\]]*)\]\(([^()\s]+)\)|{MARK}(\d+){MARK}", re.MULTILINE)
# The name of a type at the beginning of code, such as that of `SessionManager(baseURL:)` or `SessionConfiguration.cookies`.
NAME = re.compile(r"((?:[A-Z]\w*(?:\.(?=[A-Z]))?)*)(.*)", re.DOTALL)
TYPES = {f"swift.{kind}" for kind in ("struct", "class", "enum", "protocol", "actor", "typealias")}


def pages():
    """The files that become articles, in the order of the index, and those that they link to."""
    found, waiting = [], [INDEX, ROOT / "README.md"]
    while waiting:
        file = waiting.pop(0)
        if file in found:
            continue
        found.append(file)
        for part in CODE.split(file.read_text())[::2]:
            for link in LINK.findall(part):
                if "://" not in link and not link.startswith("#"):
                    target = (file.parent / link.partition("#")[0]).resolve()
                    if target.suffix == ".md":
                        waiting.append(target)
    return found


def name(file):
    """The name of a page in the site."""
    return NAMES.get(file) or file.stem


def headings(file):
    """The anchors of a page: as GitHub makes them, and as docc does."""
    counts, anchors = {}, {}
    prose = re.sub(r"(?ms)^```.*?^```$", "", file.read_text())
    for heading in re.findall(r"(?m)^#+ (.*)$", prose):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = counts.get(slug, 0)
        counts[slug] = count + 1
        anchors[f"{slug}-{count}" if count else slug] = re.sub(r"[^\w\-$+<=>^|~]", "", re.sub(r"[\s\-]+", "-", heading))
    return anchors


def public_types(graphs):
    """The symbols of the public types by their names, without the names that several have."""
    found = collections.defaultdict(set)
    for graph in graphs.glob("*.symbols.json"):
        content = json.loads(graph.read_text())
        module = content["module"]["name"]
        for symbol in content["symbols"]:
            if symbol["kind"]["identifier"] in TYPES and "@" not in graph.name:
                path = symbol["pathComponents"]
                found[".".join(path)].add(f"/{module}/{'/'.join(path)}")
    return {name: paths.pop() for name, paths in found.items() if len(paths) == 1}


def other_names():
    """The public types of other libraries, which the pages for those who come from there mean."""
    rows = (ROOT / "Tests" / "ExamplesTests" / "NewPackage" / "names.tsv").read_text().splitlines()
    return {row.split("\t")[1] for row in rows if "\t" in row}


def article(file, types):
    """A page with its links and pictures as docc has them. The first mention of each of the types becomes a link, and so does the first
    one of its name alone, by which docc finds the pages of a symbol."""
    code, linked = [], set()

    def mask(match):
        code.append(match.group(0))
        return f"{MARK}{len(code) - 1}{MARK}"

    def piece(match):
        words, link, number = match.groups()
        if number:
            span = code[int(number)].strip("`")
            type, rest = NAME.match(span).groups()
            key = type + "…" if rest else type
            if type not in types or linked & {type, key}:
                return match.group(0)
            linked.add(key)
            return f"[`{span}`](doc:{types[type]})" if rest else f"``{types[type]}``"
        path, _, anchor = (link or "").partition("#")
        if not link or "://" in link or path.endswith(".svg"):
            return match.group(0)
        target = (file.parent / path).resolve() if path else file
        if target.suffix != ".md":
            return words  # a file of the repository that is no page
        if anchor and anchor not in headings(target):
            sys.exit(f"docs: {file.name}: {target.name} has no heading #{anchor}")
        return f"[{words}](doc:{name(target)}{'#' + headings(target)[anchor] if anchor else ''})"

    masked = PIECE.sub(piece, CODE.sub(mask, file.read_text()))
    masked = re.sub(
        r'<picture>.*?<img alt="([^"]*)" src="(?:[^"]*/)?([^"/]*)\.svg"></picture>', r"![\1](\2)", masked)
    # What a fence says behind its language is for the tests; docc would take it for the name of the language.
    code = [re.sub(r"\A(```\w+) .*", r"\1", piece) for piece in code]
    return re.sub(rf"{MARK}(\d+){MARK}", lambda match: code[int(match.group(1))], masked)


def write():
    front = (CATALOGUE / "Patchbay.md").read_text()
    types = public_types(pathlib.Path(sys.argv[4])) if MODE == "write" else {}
    theirs = other_names()
    others = []
    for file in pages():
        if file == INDEX:
            continue
        page = TARGET / f"{name(file)}.md"
        page.unlink(missing_ok=True)  # a symbolic link to the page, where the target is the catalogue itself
        is_listed = f"<doc:{name(file)}>" in front
        not_ours = theirs if file.name.startswith("ComingFrom") else ()
        text = article(file, {type: symbol for type, symbol in types.items() if is_listed and type not in not_ours})
        if file == ROOT / "README.md":
            text = re.sub(r"\A# .*", "# Start", text)
        page.write_text(text)
        if not is_listed:
            others.append(f"- <doc:{name(file)}>")
    if others:  # none is left where the catalogue is already translated
        # The table of the index says more than the titles of the topics, which still make the list beside each page.
        title, table = article(INDEX, {}).lstrip("# ").split("\n", 1)
        table = f"@Options {{\n    @TopicsVisualStyle(hidden)\n}}\n\n## {title}\n{table}\n"
        front = front.replace("## Topics\n", f"{table}## Topics\n") + "\n### Project\n\n" + "\n".join(others) + "\n"
    (TARGET / "Patchbay.md").write_text(front)
    for picture in (INDEX.parent / "Pictures").glob("*.svg"):
        shutil.copy(picture, TARGET / picture.name.replace("-dark", "~dark"))
    if MODE == "translate":
        return
    shutil.copy(CATALOGUE / "header.html", TARGET)
    modules = re.findall(r"(?m)^\| `(\w+)` \| `(\w+)` \| (.*) \|$", (INDEX.parent / "Modules.md").read_text())
    for module, product, contains in modules:
        if module != "Patchbay":
            (TARGET / f"module-{module}.md").write_text(
                f"# ``{module}``\n\nA module of the product `{product}`. It contains {contains}.\n")
    page = TARGET / "Modules.md"
    page.write_text(re.sub(r"(?m)^\| `(\w+)`", r"| ``/\1``", page.read_text()))


def check():
    data = {"/" + str(file.relative_to(TARGET / "data"))[:-5].lower(): json.loads(file.read_text())
            for file in (TARGET / "data").rglob("*.json")}
    dead = []
    for path, page in data.items():
        for reference in page.get("references", {}).values():
            kind, url = reference.get("type"), reference.get("url", "")
            if kind in ("section", "topic", "link") and "://" not in url and not url.startswith("mailto:"):
                target, _, anchor = url.partition("#")
                if target.lower() not in data or anchor and f'"anchor": "{anchor}"' not in json.dumps(data[target.lower()]):
                    dead.append((path, url))
            for variant in reference.get("variants", []):
                if kind == "image" and not (TARGET / variant["url"].lstrip("/")).exists():
                    dead.append((path, variant["url"]))
    for path, link in sorted(set(dead)):
        print(f"docs: {path}: the link {link} leads nowhere")
    listed = json.dumps(json.loads((TARGET / "index" / "index.json").read_text()))
    missing = [f"{file.name} is not in the site" for file in pages() + sorted(INDEX.parent.glob("*.md"))
               if f'/{name(file).lower()}"' not in listed]
    front = (CATALOGUE / "Patchbay.md").read_text()
    missing += [f"{file.name} is no article of {CATALOGUE.name}, or not in its Patchbay.md" for file in INDEX.parent.glob("*.md")
                if not (CATALOGUE / f"{name(file)}.md").exists() or file != INDEX and f"<doc:{name(file)}>" not in front]
    for page in missing:
        print(f"docs: {page}")
    print(f"docs: {len(data)} pages in {TARGET}")
    sys.exit(bool(dead or missing))


{"write": write, "translate": write, "check": check}[MODE]()
