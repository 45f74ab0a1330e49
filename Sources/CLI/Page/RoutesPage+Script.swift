extension RoutesPage {
    /// The script of the page. It shows the answer for the selected class.
    static let script = #"""
        "use strict";
        const data = JSON.parse(document.getElementById("data").textContent);

        // The answer of the table to a response of these classes.
        function answer(type, status, host) {
          const table = data.tables[host];
          const group = table.classes[type];
          const cell = data.groups[table.groups[group]].find(
            ([runs]) => runs.some(([low, high]) => low <= status && status <= high));
          if (!cell) return null;
          const found = data.answers[cell[1]];
          const [, essence, target] = data.types[type];
          const fill = (line) => line.replaceAll("{type}", () => essence).replaceAll("{target}", () => target)
            .replaceAll("{status}", String(status));
          return {
            outcome: found.outcome, entry: found.entry, then: found.then, limit: found.limit,
            writers: data.writers[table.writers[group]], lines: found.lines.map((line) => fill(data.lines[line])),
          };
        }

        const field = (id) => document.getElementById(id);
        const element = (name, text, kind) => {
          const made = document.createElement(name);
          made.textContent = text;
          if (kind) made.className = kind;
          return made;
        };
        const offer = (id, names) => field(id).append(...names.map((name, index) => new Option(name, index)));

        function show() {
          const status = field("status").value;
          const isStatus = /^[1-9][0-9][0-9]$/.test(status);
          const type = Number(field("type").value), host = Number(field("host").value);
          const found = isStatus ? answer(type, Number(status), host) : null;
          field("status").setAttribute("aria-invalid", String(!found));
          const result = field("result"), body = field("rows");
          if (!found) {
            result.replaceChildren(element("p", "This is no status: write a number from 100 to 999."));
            return;
          }
          const winner = { entry: found.entry, empty: "no bytes are expected", raw: "the bytes", error: "an error" }[found.outcome];
          const heading = element("p", "", "winner");
          heading.append(element("strong", winner), found.outcome === "entry" && found.then.length ? ", " + found.then.join(", ") : "");
          const essence = data.types[type][1];
          const facts = element("p", (essence && "Shown for " + essence + "; ") + "at most " +
            found.limit.toLocaleString("en") + " bytes.", "facts");
          const [values, elements] = found.writers;
          const written = values ? "In requests of this type whole values are written by " + values + "; elements by " + elements + "." : "";
          result.replaceChildren(heading, facts, element("p", written, "facts"));
          const why = new Map(found.lines.map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]));
          body.replaceChildren(...data.tables[host].rows.map((cells) => {
            const row = document.createElement("tr");
            const reason = why.get(cells[0]) ?? "";
            row.className = reason.startsWith("chosen") ? "chosen" : reason === "" ? "idle" : "declined";
            const first = element("th", cells[0]);
            first.scope = "row";
            row.append(first, ...cells.slice(1).map((cell) => element("td", cell)), element("td", reason || "not asked"));
            return row;
          }));
          const last = found.lines.at(-1) ?? "";
          field("ending").textContent = /^[^:]+: (declined|chosen|failed): /.test(last) ? "" : last;
        }

        offer("type", data.types.map(([name]) => name));
        offer("host", data.hosts);
        field("type").value = Math.max(data.types.findIndex(([name]) => name === "application/json"), 0);
        for (const id of ["type", "status", "host"]) field(id).addEventListener("input", show);
        show();
        """#
}
