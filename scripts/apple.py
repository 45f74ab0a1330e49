"""Compiles targets of a package for an Apple platform: apple.py PACKAGE CACHE PLATFORM [--tests] [TARGET...]"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import applesdk

SCRIPTS = pathlib.Path(__file__).resolve().parent
# The name of the system in a triple, and the processors.
PLATFORMS = {
    "macos": ("macosx", ["arm64"]), "ios": ("ios", ["arm64"]), "tvos": ("tvos", ["arm64"]), "visionos": ("xros", ["arm64"]),
    "watchos": ("watchos", ["arm64_32", "arm64"]),
}
# How the names of the functions of a system library begin.
LIBRARIES = {"curl": "curl_", "xml2": "xml|html"}


class Package:
    """What Package.swift says."""

    def __init__(self, root, cache):
        self.root = root
        command = ["swift", "package", "--package-path", root, "--scratch-path", cache / "package", "dump-package"]
        dump = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
        self.name, self.products = dump["name"], dump["products"]
        self.targets = {target["name"]: target for target in dump["targets"]}
        self.versions = {platform["platformName"]: platform["version"] for platform in dump["platforms"]}
        self.traits = [trait["name"] for trait in dump.get("traits", []) if trait["name"] != "default"]

    def triples(self, platform):
        system, processors = PLATFORMS[platform]
        return [f"{processor}-apple-{system}{self.versions[platform]}" for processor in processors]

    def folder(self, name):
        target = self.targets[name]
        return self.root / (target.get("path") or ("Tests/" if target["type"] == "test" else "Sources/") + name)

    def sources(self, name, *endings):
        left_out = [self.folder(name) / path for path in self.targets[name]["exclude"]]
        files = [file for ending in endings for file in self.folder(name).rglob("*." + ending)]
        return sorted(file for file in files if not any(file.is_relative_to(path) for path in left_out))

    def closure(self, names, platform):
        """The targets and all that they need on a platform; what a target needs comes before it."""
        found = {}

        def visit(name):
            for dependency in self.targets[name]["dependencies"]:
                other, condition = (dependency.get("byName") or dependency["target"])[:2]
                if applies(condition, platform) and other not in found:
                    visit(other)
            found[name] = None

        for name in names:
            visit(name)
        return list(found)

    def settings(self, name, kind, platform):
        return [
            setting["kind"][kind]["_0"] for setting in self.targets[name]["settings"]
            if kind in setting["kind"] and applies(setting.get("condition"), platform)]


def applies(condition, platform):
    names = (condition or {}).get("platformNames")
    return not names or platform in names


class Check:
    """Collects complaints, each a text."""

    def __init__(self, package, sdk, platform, out):
        self.package, self.sdk, self.platform, self.out = package, sdk, platform, out
        self.complaints, self.modules = [], {}

    def complain(self, text):
        self.complaints.append(text)
        print(text.replace(f"{self.package.root}/", "").rstrip(), flush=True)

    def swift(self, names):
        """Every module first, without bodies, so that targets are compiled side by side and after faults in the bodies of others."""
        order = [name for name in self.package.closure(names, self.platform) if self.package.sources(name, "swift")]
        self.folders = {
            name: self.out / name if self.package.sources(name, "swift") else self.module_map(name) for name in self.package.targets}
        checks = {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name in order:
                file = self.out / name / f"{name}.swiftmodule"
                self.modules[name] = pool.submit(self.compile, name, file, "-experimental-skip-all-function-bodies")
            for name in order:
                if name in names:
                    checks[name] = pool.submit(self.compile, name, self.out / name / "whole")
        for name in order:
            words = name in checks and checks[name].result() or self.modules[name].result()
            if words:
                self.complain(f"{name} on {self.platform}: {words}")

    def compile(self, name, output, *mode):
        """Compiles a target after the modules that it needs. Returns what the compiler says."""
        needed = self.package.closure([name], self.platform)[:-1]
        broken = [other for other in needed if other in self.modules and self.modules[other].result()]
        if broken:
            return f"left out, because {broken[0]} does not compile"
        package, files = self.package, self.package.sources(name, "swift")
        output.parent.mkdir(parents=True, exist_ok=True)
        command = [
            self.sdk.programs / "swift-frontend", "-emit-module", *mode, "-o", output, "-module-name", name, *self.sdk.flags,
            "-enable-objc-interop", "-enable-testing", "-swift-version", "6", "-diagnostic-style", "llvm",
            "-D", "SWIFT_PACKAGE", "-D", "DEBUG", "-plugin-path", self.sdk.resources / "host/plugins"]
        # Only what the target may import: with all modules in one folder, more would compile.
        for other in needed:
            command += ["-I", self.folders[other]]
        # A trait can be on where what it needs is not a dependency.
        for trait in package.traits:
            command += ["-D", trait]
        for feature in package.settings(name, "enableUpcomingFeature", self.platform):
            command += ["-enable-upcoming-feature", feature]
        if package.targets[name]["packageAccess"]:
            command += ["-package-name", package.name]
        if not any(file.name == "main.swift" for file in files):
            command.append("-parse-as-library")
        compiler = subprocess.run([*command, *files], capture_output=True, text=True)
        return compiler.stderr and "\n" + compiler.stderr or compiler.returncode and f"the compiler ended with {compiler.returncode}"

    def module_map(self, name):
        """Writes the module map of a C target that has none. Returns its folder."""
        headers, folder = self.package.folder(name) / "include", self.out / name
        if (headers / "module.modulemap").exists():
            return headers
        folder.mkdir()
        own = headers / f"{name}.h"
        umbrella = f'umbrella header "{own}"' if own.exists() else f'umbrella "{headers}"'
        (folder / "module.modulemap").write_text(f"module {name} {{ {umbrella} export * }}\n")
        return folder

    def c(self):
        """Compiles the C targets for every platform, and looks for the functions that a product would miss at the link."""
        system = set(re.findall(r"\b_\w+", (self.sdk.headers / "libSystem.tbd").read_text()))
        targets = [name for name in self.package.targets if self.package.sources(name, "c", "cpp")]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, tempfile.TemporaryDirectory() as folder:
            for platform in PLATFORMS:
                for triple in self.package.triples(platform):
                    place = pathlib.Path(folder, triple)
                    place.mkdir()
                    symbols = dict(zip(targets, pool.map(lambda name: self.objects(name, triple, place), targets)))
                    for product in self.package.products:
                        self.link(product, platform, triple, symbols, system)

    def objects(self, name, triple, folder):
        """Compiles the files of a C target. Returns the functions that these define, and those that they call."""
        defined, called = set(), set()
        for file in self.package.sources(name, "c", "cpp"):
            language = ["-x", "c++", "-std=c++17"] if file.suffix == ".cpp" else []
            object = folder / f"{name}-{file.stem}.o"
            command = [
                self.sdk.programs / "clang", "-target", triple, "-isysroot", self.sdk.headers, "-Wall", "-Wextra", *language, "-I",
                self.package.folder(name) / "include", "-c", file, "-o", object]
            warnings = subprocess.run(command, capture_output=True, text=True).stderr
            if warnings:
                self.complain(f"{name} for {triple}:\n{warnings}")
            if object.exists():
                lines = subprocess.run([self.sdk.programs / "llvm-nm", object], capture_output=True, text=True, check=True).stdout
                for kind, symbol in re.findall(r"(?m) ([a-zA-Z]) (\S+)$", lines):
                    (called if kind == "U" else defined).add(symbol)
        return defined, called

    def link(self, product, platform, triple, symbols, system):
        targets = self.package.closure(product["targets"], platform)
        linked = [LIBRARIES[library] for name in targets for library in self.package.settings(name, "linkedLibrary", platform)]
        known = system.union(*(symbols[name][0] for name in targets if name in symbols))
        for name in targets:
            missing = sorted(symbols[name][1] - known) if name in symbols else []
            missing = [symbol[1:] for symbol in missing if not any(re.match(f"_(?:{prefix})", symbol) for prefix in linked)]
            if missing:
                self.complain(f"product {product['name']} for {triple}: {name} calls what no library has: {', '.join(missing)}")

    def conditions(self, names):
        """canImport of a module of the package itself depends on what was built before."""
        for name in names:
            for file in self.package.sources(name, "swift"):
                for number, line in enumerate(file.read_text().split("\n"), 1):
                    for module in re.findall(r"^\s*#(?:else)?if\b.*\bcanImport\((\w+)\)", line):
                        if module in self.package.targets:
                            self.complain(f"{file}:{number}: canImport({module}) asks for a module of the package; ask for the platform")


def stand_ins(cache, platform, triple, resources, version):
    """The modules of the SDK, made anew if the toolchain, the headers or the way they are made have changed."""
    stubs = (SCRIPTS / "apple.stubs").read_text()
    made_of = [version, triple, stubs, (SCRIPTS / "applesdk.py").read_text(), (cache / "headers/installed.txt").read_text()]
    key = hashlib.sha256("\0".join(made_of).encode()).hexdigest()[:16]
    sdk = applesdk.SDK(resources, cache / "headers", cache / platform, triple, stubs)
    stamp = sdk.folder / "made"
    if not stamp.exists() or stamp.read_text() != key:
        print(f"apple: making what stands in for the SDK of {platform}", flush=True)
        shutil.rmtree(sdk.folder, ignore_errors=True)
        sdk.build()
        stamp.write_text(key)
    return sdk


def main(root, cache, platform, *names):
    root, cache = pathlib.Path(root).resolve(), pathlib.Path(cache).resolve()
    package = Package(root, cache)
    targets = [name for name in names if name != "--tests"]
    for name in targets:
        if name not in package.targets:
            sys.exit(f"apple: there is no target {name}")
    if not targets:
        folders = ["Sources", "Examples"] + ["Tests"] * ("--tests" in names)
        targets = [name for name in package.targets if package.folder(name).relative_to(root).parts[0] in folders]
    information = json.loads(subprocess.run(["swiftc", "-print-target-info"], capture_output=True, check=True).stdout)
    resources = pathlib.Path(information["paths"]["runtimeResourcePath"])
    sdk = stand_ins(cache, platform, package.triples(platform)[0], resources, information["compilerVersion"])
    with tempfile.TemporaryDirectory() as out:
        check = Check(package, sdk, platform, pathlib.Path(out))
        check.conditions(targets)
        check.c()
        check.swift(targets)
    print(f"apple: {len(targets)} targets on {platform}, C for {', '.join(PLATFORMS)}: {len(check.complaints)} complaints")
    sys.exit(bool(check.complaints))


main(*sys.argv[1:])
