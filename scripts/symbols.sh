# shellcheck shell=bash
# The symbol graphs for scripts/api, scripts/docs and scripts/documented. Sourced behind setup.sh, never run.

graphs="$root/.build/symbol-graphs"
# Where scripts/test --full leaves the build with all traits: one of them adds a public function.
traits_build="$root/.build/traits"

# symbol_graphs: writes to $graphs the symbol graphs of all libraries, from that build, and the manifest as
# package.json. Writes inputs.sum last: the checksum of the modules, the manifest and this file. Does nothing if it still matches.
symbol_graphs() {
    local sum built triple map module flags
    built="$(cd "$traits_build/debug" && pwd -P)"
    sum="$(cat "$built"/Modules/*.swift{module,doc,sourceinfo} "$root/Package.swift" "$root/scripts/symbols.sh" | sha256sum)"
    [ "$(cat "$graphs/inputs.sum" 2>/dev/null)" != "$sum" ] || return 0
    rm -rf "$graphs"
    mkdir "$graphs"
    # In a scratch folder of its own, the command does not wait for a running build.
    swift package --package-path "$root" --scratch-path "$graphs/scratch" dump-package >"$graphs/package.json"
    triple="$(basename "$(dirname "$built")")"
    flags=(-I "$built/Modules" -target "$triple" -minimum-access-level public -omit-extension-block-symbols)
    # Members of a protocol's extension appear at the protocol only, not at each conforming type.
    flags+=(-skip-synthesized-members)
    for map in "$built"/C*.build/module.modulemap "$root"/Sources/C/*/include/module.modulemap; do
        [ ! -f "$map" ] || flags+=(-Xcc "-fmodule-map-file=$map")
    done
    while read -r module; do
        [ -f "$built/Modules/$module.swiftmodule" ] || {
            note "there is no module $module: run scripts/test --full first"
            return 1
        }
        swift symbolgraph-extract -module-name "$module" "${flags[@]}" -output-dir "$graphs"
    done < <(python3 -c '
import json, sys
for product in json.load(sys.stdin)["products"]:
    if "library" in product["type"]:
        print("\n".join(product["targets"]))' <"$graphs/package.json")
    printf '%s\n' "$sum" >"$graphs/inputs.sum"
}
