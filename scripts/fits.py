"""Looks at the pages of the documentation site with a browser: scripts/docs runs `fits.py SITE BROWSER`.

Fails on code, a table or a page that is wider than its place, on a wide screen or on a narrow one, and on a page without a title of
ours. Why: the end of a line that has to be scrolled is not read, and docc knows nothing of widths.
"""

import base64
import functools
import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

SITE, BROWSER = pathlib.Path(sys.argv[1]), sys.argv[2]
# Shows each page in a frame, and leaves what is wrong as JSON in base64. In virtual time, which waits for what is loaded.
FRAMES = """<!DOCTYPE html><meta charset="utf-8"><body><script>
const wait = () => new Promise(done => setTimeout(done, 50));
const fit = async () => {
    const found = [];
    const frame = document.createElement("iframe");
    frame.style.height = "900px";
    document.body.append(frame);
    const all = name => [...frame.contentDocument.querySelectorAll(name)];
    for (const page of PAGES) {
        frame.style.width = "1400px";
        await new Promise(done => { frame.onload = done; frame.src = page; });
        for (let tries = 0; tries < 200 && !all("h1").length; tries++) await wait();
        if (!all("h1").length) found.push([page, 1400, "nothing is shown"]);
        await wait();
        // What header.html of the catalogue does to a page comes with its title.
        if (!/^Patchbay( – .|$)/.test(frame.contentDocument.title)) found.push([page, 1400, "title " + frame.contentDocument.title]);
        for (const width of [1400, 400]) {
            frame.style.width = width + "px";
            for (let tries = 0; tries < 4; tries++) await wait();
            for (const box of all("html, main .container-general, main pre, main .table-wrapper, main td"))
                if (box.scrollWidth > box.clientWidth + 1) found.push([page, width, "too wide: " + box.innerText.trim().slice(0, 60)]);
        }
    }
    const result = document.createElement("pre");
    result.textContent = "RESULT " + btoa(unescape(encodeURIComponent(JSON.stringify(found)))) + " END";
    document.body.append(result);
};
fit();
</script></body>"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


def look():
    articles = sorted((SITE / "data" / "documentation" / "patchbay").glob("*.json"))
    paths = ["/documentation/patchbay"] + [f"/documentation/patchbay/{file.stem}" for file in articles]
    frames = SITE / "frames.html"
    frames.write_text(FRAMES.replace("PAGES", json.dumps(paths)))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with tempfile.TemporaryDirectory() as profile:
            dom = subprocess.run(
                [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 f"--user-data-dir={profile}", "--virtual-time-budget=600000", "--dump-dom",
                 f"http://127.0.0.1:{server.server_port}/frames.html"],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=300).stdout
    finally:
        server.shutdown()
        frames.unlink()
    result = re.search(r"RESULT (\S*) END</pre>", dom)
    if not result:
        sys.exit("docs: the browser has not shown the pages to their end")
    wrong = json.loads(base64.b64decode(result[1]))
    for page, width, what in wrong:
        print(f"docs: {page}, {width} pixels: {what}")
    print(f"docs: {len(paths)} pages were looked at, {len(wrong)} things are wrong")
    sys.exit(bool(wrong))


look()
