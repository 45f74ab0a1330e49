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
        input { display: block; width: 100%; margin-top: .25rem; padding: .5rem .6rem; font: inherit; font-weight: 400;
          color: inherit; background: var(--field); border: 1px solid var(--line); border-radius: .4rem; }
        input[aria-invalid="true"] { border-color: var(--fault); }
        input:focus-visible, .scroll:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
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
