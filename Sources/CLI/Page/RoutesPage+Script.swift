extension RoutesPage {
    /// The program of the page. It brings a type and a host into canonical form, as the registry does, and finds their classes; what
    /// a class is answered stands in the page.
    static let script = #"""
        "use strict";
        const data = JSON.parse(document.getElementById("data").textContent);
        const isToken = (text) => /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text);
        const isText = (text) => /^[\t\x20-\x7E\x80-\xFF]*$/.test(text);
        const lower = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
        const before = (text, mark, from) => { const at = text.indexOf(mark, from); return at < 0 ? text.length : at; };

        // WHATWG MIME Sniffing, "parse a MIME type".
        function mediaType(text) {
          text = text.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
          const slash = text.indexOf("/");
          if (slash < 0) return null;
          const end = before(text, ";", slash);
          const type = text.slice(0, slash), subtype = text.slice(slash + 1, end).replace(/[\t\n\r ]+$/, "");
          if (!isToken(type) || !isToken(subtype)) return null;
          return { essence: lower(type + "/" + subtype), parameters: parameters(text, end) };
        }

        function parameters(text, at) {
          const found = new Map();
          const end = text.length;
          while (at < end) {
            at += 1;
            while (at < end && "\t\n\r ".includes(text[at])) at += 1;
            const start = at;
            while (at < end && text[at] !== ";" && text[at] !== "=") at += 1;
            const name = text.slice(start, at);
            if (at >= end) break;
            if (text[at] === ";") continue;
            at += 1;
            if (at >= end) break;
            let value = "";
            if (text[at] === '"') {
              at += 1;
              while (at < end && text[at] !== '"') {
                if (text[at] === "\\" && at + 1 < end) at += 1;
                value += text[at];
                at += 1;
              }
              if (at < end) at += 1;
              at = before(text, ";", at);
            } else {
              const first = at;
              at = before(text, ";", at);
              value = text.slice(first, at).replace(/[\t\n\r ]+$/, "");
              if (value === "") continue;
            }
            if (!isText(value) || !isToken(name) || found.has(lower(name))) continue;
            found.set(lower(name), value);
          }
          return found;
        }

        // Fetch, "extract a MIME type".
        function contentType(text) {
          let extracted = null, charset;
          for (let at = 0; at <= text.length;) {
            let end = at, isQuoted = false;
            while (end < text.length && (isQuoted || text[end] !== ",")) {
              if (text[end] === "\\" && isQuoted) end += 1; else if (text[end] === '"') isQuoted = !isQuoted;
              end += 1;
            }
            end = Math.min(end, text.length);
            const parsed = mediaType(text.slice(at, end).replace(/^[\t ]+|[\t ]+$/g, ""));
            at = end + 1;
            if (!parsed || parsed.essence === "*/*") continue;
            if (!extracted || parsed.essence !== extracted.essence) charset = undefined;
            extracted = parsed;
            if (parsed.parameters.has("charset")) charset = parsed.parameters.get("charset");
            else if (charset !== undefined) parsed.parameters.set("charset", charset);
          }
          return extracted;
        }

        const places = (names) => new Map(names.map((name, index) => [name, index]));
        const essences = places(data.types.essences), topLevels = places(data.types.topLevels);
        const suffixes = places(data.types.suffixes);

        function typeClass(text) {
          if (text === null) return { index: 0, essence: "" };
          const type = contentType(text);
          if (!type) return { index: 1, essence: "" };
          const slash = type.essence.indexOf("/"), plus = type.essence.lastIndexOf("+");
          const suffix = plus > slash && plus + 1 < type.essence.length ? type.essence.slice(plus + 1) : null;
          const row = topLevels.get(type.essence.slice(0, slash)) ?? topLevels.size;
          const column = suffixes.get(suffix) ?? suffixes.size;
          const base = essences.get(type.essence) ?? essences.size + row * (suffixes.size + 1) + column;
          const [first, axes] = data.types.bases[base];
          let index = first, step = 1;
          for (const [name, values] of axes) {
            let value = type.parameters.get(name);
            if (value !== undefined && name === "charset") value = lower(value);
            index += step * (values.indexOf(value) + 1);
            step *= values.length + 1;
          }
          return { index, essence: type.essence };
        }

        // RFC 3492, section 6.3.
        function punycode(points) {
          if (points.length > 63) return null;
          const digit = (value) => String.fromCharCode(value < 26 ? value + 0x61 : value - 26 + 0x30);
          const basic = points.filter((point) => point < 0x80);
          let output = String.fromCharCode(...basic) + (basic.length ? "-" : "");
          let bias = 72, delta = 0, handled = basic.length, current = 0x80;
          for (;;) {
            const rest = points.filter((point) => point >= current);
            if (!rest.length) return output;
            const next = Math.min(...rest);
            delta += (next - current) * (handled + 1);
            for (const point of points) {
              if (point < next) delta += 1;
              if (point !== next) continue;
              let number = delta;
              for (let position = 36; ; position += 36) {
                const threshold = Math.min(Math.max(position - bias, 1), 26);
                if (number < threshold) break;
                output += digit(threshold + (number - threshold) % (36 - threshold));
                number = Math.floor((number - threshold) / (36 - threshold));
              }
              output += digit(number);
              delta = handled === basic.length ? Math.floor(delta / 700) : Math.floor(delta / 2);
              delta += Math.floor(delta / (handled + 1));
              let steps = 0;
              while (delta > 455) { delta = Math.floor(delta / 35); steps += 36; }
              bias = steps + Math.floor(36 * delta / (delta + 38));
              delta = 0;
              handled += 1;
            }
            delta += 1;
            current = next + 1;
          }
        }

        // UTS 46, section 5: what a name has for a character, null where only tables could tell.
        function mapped(character) {
          const isSeen = (text) => !/[\p{C}\p{Z}]/u.test(text);
          const isChanged = (text) => /\p{Changes_When_NFKC_Casefolded}/u.test(text);
          if ("\u00DF\u03C2".includes(character) || !isChanged(character)) return isSeen(character) ? character : null;
          const small = character.toLowerCase();
          return [...small][0] !== character && !isChanged(small) && isSeen(small) ? small : null;
        }

        function label(text) {
          if (/[\x00-\x20\x7F#\/:<>?@[\\\]^|%]/.test(text)) return null;
          if (/^[\x00-\x7F]*$/.test(text)) return lower(text);
          const forms = [...text].map(mapped);
          if (forms.includes(null)) return null;
          const name = forms.join("").normalize("NFC");
          if (name === "" || /^\p{M}/u.test(name)) return null;
          if (/^[\x00-\x7F]*$/.test(name)) return name;
          if (name.startsWith("xn--")) return null;
          const written = punycode([...name].map((character) => character.codePointAt(0)));
          return written === null ? null : "xn--" + written;
        }

        function address(text) {
          text = text.replace(/^\[|\]$/g, "");
          const [, digits, zone] = /^([^%]*)(%.*)?$/s.exec(text) ?? [];
          if (digits === undefined || !/^[0-9A-Fa-f:.]*$/.test(digits) || zone === "%") return null;
          if (zone && /[^\x21-\x7E]|[#\/:<>?@[\\\]^|]|.%/.test(zone)) return null;
          let shortest;
          try { shortest = new URL("http://[" + digits + "]/").hostname.slice(1, -1); } catch { return null; }
          const mapped = /^::(ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(shortest);
          if (mapped && (mapped[1] || mapped[2] !== "0")) {
            const bytes = [mapped[2], mapped[3]].flatMap((part) => [parseInt(part, 16) >> 8, parseInt(part, 16) & 255]);
            shortest = "::" + (mapped[1] ?? "") + bytes.join(".");
          }
          return "[" + shortest + (zone ?? "") + "]";
        }

        function hostName(text) {
          if (text.includes(":")) return address(text);
          const narrow = text.replace(/[\u3002\uFF61]/g, ".").replace(/[\uFF01-\uFF5E]/g,
            (character) => String.fromCharCode(character.charCodeAt(0) - 0xFEE0));
          const labels = narrow.split(".").map(label);
          if (labels.length > 1 && labels.at(-1) === "") labels.pop();
          return labels.includes(null) || labels.includes("") ? null : labels.join(".");
        }

        // The name and the port of "host" or "host:port", for https; null where it is neither.
        function canonicalHost(text) {
          let host = text, port = "";
          if (text.startsWith("[")) {
            const closing = text.indexOf("]");
            if (closing < 0) return null;
            const rest = text.slice(closing + 1);
            if (rest !== "" && !rest.startsWith(":")) return null;
            host = text.slice(0, closing + 1);
            port = rest.slice(1);
          } else if (text.includes(":")) {
            const colon = text.indexOf(":");
            host = text.slice(0, colon);
            port = text.slice(colon + 1);
          }
          if (port !== "" && (!/^[0-9]{1,5}$/.test(port) || Number(port) > 65535)) return null;
          const name = hostName(host);
          return name === null ? null : { name, port: port === "" ? 443 : Number(port) };
        }

        // A host class for each pattern; a port that a pattern names is one of its own.
        const hosts = new Map();
        data.hosts.forEach((names, index) => {
          for (const name of names) {
            const colon = name.endsWith("]") ? -1 : name.lastIndexOf(":");
            const key = colon < 0 ? name : name.slice(0, colon);
            if (!hosts.has(key)) hosts.set(key, new Map());
            hosts.get(key).set(colon < 0 ? 0 : Number(name.slice(colon + 1)), index);
          }
        });

        function hostClass(host) {
          if (!host) return 0;
          const keys = [host.name];
          for (let rest = host.name; !rest.startsWith("[") && rest.includes(".");) {
            rest = rest.slice(rest.indexOf(".") + 1);
            keys.push("*." + rest);
          }
          for (const key of keys) {
            const ports = hosts.get(key);
            const found = ports?.get(host.port) ?? ports?.get(0);
            if (found !== undefined) return found;
          }
          return 0;
        }

        // What the table answers: null where the host is none.
        function answer(type, status, hostText) {
          const host = hostText === "" ? undefined : canonicalHost(hostText);
          if (host === null) return null;
          const place = hostClass(host);
          const kind = typeClass(type);
          const table = data.tables[place];
          const group = table.classes[kind.index];
          const cell = data.groups[table.groups[group]].find(
            ([runs]) => runs.some(([low, high]) => low <= status && status <= high));
          if (!cell) return null;
          const found = data.answers[cell[1]];
          const shown = (essence) => essence.length > 100 ? essence.slice(0, 100) + "\u2026" : essence;
          const target = Object.hasOwn(data.aliases, kind.essence) ? data.aliases[kind.essence] : kind.essence;
          const fill = (line) => line.replaceAll("{type}", () => shown(kind.essence)).replaceAll("{target}", () => shown(target))
            .replaceAll("{status}", String(status));
          return {
            outcome: found.outcome, entry: found.entry, then: found.then, limit: found.limit, host: data.hosts[place].join(", "),
            writers: data.writers[table.writers[group]], type: data.types.names[kind.index], place, lines: found.lines.map((line) => fill(data.lines[line])),
          };
        }

        const field = (id) => document.getElementById(id);
        const element = (name, text, kind) => {
          const made = document.createElement(name);
          made.textContent = text;
          if (kind) made.className = kind;
          return made;
        };

        function show() {
          const status = Number(field("status").value);
          const isStatus = /^[1-9][0-9][0-9]$/.test(field("status").value);
          const type = field("type").value === "" ? null : field("type").value;
          const found = isStatus ? answer(type, status, field("host").value.trim()) : null;
          field("status").setAttribute("aria-invalid", String(!isStatus));
          field("host").setAttribute("aria-invalid", String(isStatus && found === null));
          const result = field("result"), body = field("rows");
          if (!found) {
            const what = isStatus ? "This is no host: write a name or an address, with or without a port." :
              "This is no status: write a number from 100 to 999.";
            result.replaceChildren(element("p", what));
            return;
          }
          const winner = { entry: found.entry, empty: "no bytes are expected", raw: "the bytes", error: "an error" }[found.outcome];
          const heading = element("p", "", "winner");
          heading.append(element("strong", winner), found.outcome === "entry" && found.then.length ? ", " + found.then.join(", ") : "");
          const facts = element("p", "Type class " + found.type + "; " + found.host + "; at most " +
            found.limit.toLocaleString("en") + " bytes.", "facts");
          const [values, elements] = found.writers;
          const written = values ? "In requests of this type whole values are written by " + values + "; elements by " + elements + "." : "";
          result.replaceChildren(heading, facts, element("p", written, "facts"));
          const why = new Map(found.lines.map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]));
          body.replaceChildren(...data.tables[found.place].rows.map((cells) => {
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

        for (const id of ["type", "status", "host"]) field(id).addEventListener("input", show);
        show();
        """#
}
