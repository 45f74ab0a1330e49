# shellcheck shell=bash
# What scripts/api and scripts/documented read the modules with. Sourced behind setup.sh, never run.

# symbol_graphs FOLDER [FLAG...]: writes the symbol graphs of the modules of all libraries, as the last build with all traits has
# them, and the manifest as package.json.
symbol_graphs() {
    local folder="$1" built triple map module flags
    # A folder of its own, so that it waits for no build.
    swift package --package-path "$root" --scratch-path "$folder/scratch" dump-package >"$folder/package.json"
    built="$(cd "$root/.build/debug" && pwd -P)"
    triple="$(basename "$(dirname "$built")")"
    flags=(-I "$built/Modules" -target "$triple" -minimum-access-level public -omit-extension-block-symbols "${@:2}")
    for map in "$built"/C*.build/module.modulemap "$root"/Sources/CDoors/*/include/module.modulemap; do
        [ ! -f "$map" ] || flags+=(-Xcc "-fmodule-map-file=$map")
    done
    while read -r module; do
        [ -f "$built/Modules/$module.swiftmodule" ] || {
            note "there is no module $module: run scripts/test first"
            return 1
        }
        swift symbolgraph-extract -module-name "$module" "${flags[@]}" -output-dir "$folder"
    done < <(python3 -c '
import json, sys
for product in json.load(sys.stdin)["products"]:
    if "library" in product["type"]:
        print("\n".join(product["targets"]))' <"$folder/package.json")
}
