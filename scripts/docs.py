"""The pages of the documentation site; scripts/docs runs this.

    write ROOT FOLDER       writes the catalogue of ROOT/Sources/Patchbay, with the links of its articles as docc has them
    translate ROOT FOLDER   the same without the pages of the other modules, which a build of the target Patchbay alone does not know
    check ROOT SITE         checks the links of the built site, and that every page is in it
"""

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


def pages():
    """The files that become articles, in the order of the index, and those that they link to."""
    found, waiting = [], [INDEX, ROOT / "README.md"]
    while waiting:
        file = waiting.pop(0)
        if file in found:
            continue
        found.append(file)
        if file.suffix != ".md":
            continue
        for part in CODE.split(file.read_text())[::2]:
            for link in LINK.findall(part):
                if "://" not in link and not link.startswith("#"):
                    waiting.append((file.parent / link.partition("#")[0]).resolve())
    return found


def name(file):
    """The name of a page in the site."""
    return NAMES.get(file) or file.name.replace(".md", "").replace(".", "-")


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


def article(file):
    """A page with its links and pictures as docc has them."""
    if file.suffix != ".md":
        return f"# {file.name}\n\nThe file as it stands.\n\n```{file.suffix[1:]}\n{file.read_text().rstrip()}\n```\n"

    def link(match):
        path, _, anchor = match.group(1).partition("#")
        if "://" in path or path.endswith(".svg"):
            return match.group(0)
        target = (file.parent / path).resolve() if path else file
        if anchor and anchor not in headings(target):
            sys.exit(f"docs: {file.name}: {target.name} has no heading #{anchor}")
        return f"](doc:{name(target)}{'#' + headings(target)[anchor] if anchor else ''})"

    parts = CODE.split(file.read_text())
    for position in range(0, len(parts), 2):
        text = LINK.sub(link, parts[position])
        parts[position] = re.sub(
            r'<picture>.*?<img alt="([^"]*)" src="(?:[^"]*/)?([^"/]*)\.svg"></picture>', r"![\1](\2)", text)
    return "".join(parts)


def write():
    front = (CATALOGUE / "Patchbay.md").read_text()
    others = []
    for file in pages():
        if file == INDEX:
            continue
        page = TARGET / f"{name(file)}.md"
        page.unlink(missing_ok=True)  # a symbolic link to the page, where the target is the catalogue itself
        page.write_text(article(file))
        if f"<doc:{name(file)}>" not in front:
            others.append(f"- <doc:{name(file)}>")
    # None is left where the catalogue is already translated.
    (TARGET / "Patchbay.md").write_text(front + ("\n### Project\n\n" + "\n".join(others) + "\n" if others else ""))
    for picture in (INDEX.parent / "Pictures").glob("*.svg"):
        shutil.copy(picture, TARGET / picture.name.replace("-dark", "~dark"))
    if MODE == "translate":
        return
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
