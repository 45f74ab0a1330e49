"""The pages of the documentation site; scripts/docs runs this.

    write ROOT CATALOGUE    writes the pages of ROOT/Documentation as articles of a DocC catalogue
    check ROOT SITE         checks the links of the built site, and that every page is in it
"""

import json
import pathlib
import re
import shutil
import sys

MODE, ROOT, TARGET = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
INDEX = ROOT / "Documentation" / "README.md"
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
    if file == ROOT / "README.md":
        return "Patchbay"
    return "PagesByTask" if file == INDEX else file.name.replace(".md", "").replace(".", "-")


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
    found = pages()
    for file in found:
        (TARGET / f"{name(file)}.md").write_text(article(file))
    modules = re.findall(r"(?m)^\| `(\w+)` \| `(\w+)` \| (.*) \|$", (INDEX.parent / "Modules.md").read_text())
    for module, product, contains in modules:
        if module != "Patchbay":
            (TARGET / f"module-{module}.md").write_text(
                f"# ``{module}``\n\nA module of the product `{product}`. It contains {contains}.\n")
    root = TARGET / "Patchbay.md"
    topics = [f"- <doc:{name(file)}>" for file in found if name(file) != "Patchbay"]
    root.write_text(
        re.sub(r"\A# Patchbay\n", "# ``Patchbay``\n", root.read_text())
        + "\n## Topics\n\n### Pages\n\n" + "\n".join(topics) + "\n")
    page = TARGET / "Modules.md"
    page.write_text(re.sub(r"(?m)^\| `(\w+)`", r"| ``/\1``", page.read_text()))
    for picture in (INDEX.parent / "Pictures").glob("*.svg"):
        shutil.copy(picture, TARGET / picture.name.replace("-dark", "~dark"))


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
    missing = [file.name for file in pages() + sorted(INDEX.parent.glob("*.md"))
               if f'/{name(file).lower()}"' not in listed]
    for page in missing:
        print(f"docs: {page} is not in the site")
    print(f"docs: {len(data)} pages in {TARGET}")
    sys.exit(bool(dead or missing))


{"write": write, "check": check}[MODE]()
