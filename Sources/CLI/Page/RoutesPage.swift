// The page of `patchbay routes --html`: the table of a registry, and a form that looks up responses and request bodies
// in it without a server.

import Patchbay
import PatchbayTools

/// One page with a table, its answers about every class of responses, and the writing entries of every class of bodies.
/// The page needs no network.
struct RoutesPage {
    /// The limit of a page that browsers show easily.
    private static let mostBytes = 64 << 20

    let name: String
    let registry: SerializerRegistry

    func html() throws(CommandFailure) -> String {
        let data: JSON
        do throws(ComparisonFailure) {
            data = try RoutesPageData(registry, mostBytes: Self.mostBytes).json
        } catch {
            throw CommandFailure(.manifest, "the classes of this table do not fit on a page: \(error)")
        }
        // The text in a script element must not end the element.
        let text = data.serialized().replacing("<", with: "\\u003C")
        let rows = registry.routes(host: nil).map { route in
            let cells = RoutesPageData.cells(route)
            return "<tr><th scope=\"row\">\(Self.escaped(cells[0]))</th>"
                + cells.dropFirst().map { "<td>\(Self.escaped($0))</td>" }.joined() + "<td></td></tr>"
        }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
            <title>Routes of \(Self.escaped(name))</title>
            <style>
            \(Self.style)
            </style>
            </head>
            <body>
            <main>
            <h1>Which entry reads a response or writes a body: \(Self.escaped(name))</h1>
            <p class="digest">Digest \(registry.digest), written by patchbay \(Program.version)</p>
            <form autocomplete="off" onsubmit="return false">
            <label>Content-Type <span class="hint">(one that is not listed is answered as */*, its top-level type or its suffix)</span>
            <select id="type" autofocus></select></label>
            <label>Status <input id="status" value="200" inputmode="numeric" maxlength="3"></label>
            <label>Host <select id="host"></select></label>
            </form>
            <div id="result" role="status" aria-live="polite"></div>
            <h2 id="table">Entries in the order in which they are asked</h2>
            <div class="scroll" tabindex="0" role="region" aria-labelledby="table">
            <table>
            <caption>First match first, for a call that takes any value.</caption>
            <thead><tr><th scope="col">Entry</th><th scope="col">Factory</th><th scope="col">Types</th><th scope="col">Status</th>
            <th scope="col">Makes</th><th scope="col">Writes</th><th scope="col">On failure</th><th scope="col">From</th><th scope="col">Why</th></tr></thead>
            <tbody id="rows">
            \(rows.joined(separator: "\n"))
            </tbody>
            </table>
            </div>
            <p id="ending" class="facts"></p>
            </main>
            <script type="application/json" id="data">\(text)</script>
            <script>
            \(Self.script)
            </script>
            </body>
            </html>

            """
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing(
            "\"", with: "&quot;")
    }
}

extension RoutesPage {
    static let style = """
        :root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --faint: #57606a; --line: #d0d7de; --field: #f6f8fa;
          --mark: #0a6b2d; --marked: #dff5e5; --focus: #0550ae; --fault: #b3261e; }
        @media (prefers-color-scheme: dark) { :root { --paper: #14171b; --ink: #e6e9ed; --faint: #a3abb5; --line: #3a424c;
          --field: #1e232a; --mark: #7ee2a0; --marked: #16351f; --focus: #79b8ff; --fault: #ff8a80; } }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; background: var(--paper); color: var(--ink);
          font: 16px/1.5 system-ui, sans-serif; }
        h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
        .facts, .digest, caption { color: var(--faint); } .digest { margin: .2rem 0 1rem; }
        form { display: grid; grid-template-columns: 3fr 1fr 2fr; gap: 1rem; }
        label { display: block; font-weight: 600; } .hint { font-weight: 400; color: var(--faint); }
        input, select { display: block; width: 100%; margin-top: .25rem; padding: .5rem .6rem; font: inherit; font-weight: 400;
          color: inherit; background: var(--field); border: 1px solid var(--line); border-radius: .4rem; }
        input[aria-invalid="true"] { border-color: var(--fault); }
        input:focus-visible, select:focus-visible, .scroll:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
        .winner { font-size: 1.25rem; margin: 1.2rem 0 0; } .winner strong { color: var(--mark); } .facts { margin: .2rem 0 0; }
        .scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .92rem; }
        caption { text-align: left; padding-bottom: .4rem; }
        th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid var(--line); }
        thead th { white-space: nowrap; } td, tbody th { overflow-wrap: break-word; } td:nth-child(3) { max-width: 22rem; }
        tr.chosen { background: var(--marked); } tr.chosen th { color: var(--mark); }
        tr.idle td:last-child { color: var(--faint); }
        @media (max-width: 45rem) { form { grid-template-columns: 1fr; } }
        """
}
