"""Makes modules with the declarations of Apple's SDK for one Apple platform, out of what the Swift toolchain has for Linux.

The standard library and Testing are the textual interfaces of the toolchain, which have Apple's availability. Foundation is printed
from the modules of the toolchain and joined into one. Darwin and ObjectiveC are Apple's open headers, and apple.stubs has what
these lack. Bodies are left out, except those of literals: the compiler's diagnostics depend on these.
"""

import re
import subprocess
import sys

LINUX = "x86_64-unknown-linux-gnu"
BEFORE_DARWIN = "Swift SwiftOnoneSupport _Concurrency _Builtin_float _RegexParser _StringProcessing _Volatile".split()
# Types of Foundation that are Objective-C's on Apple platforms.
OBJECTIVE_C = "NSObject|NSObjectProtocol|ObjCBool|NSZone"
# Types that the compiler converts to classes of Objective-C, as parameters of methods.
BRIDGED = ["Swift.String", "Swift.Array", "Swift.Dictionary", "Swift.Set"]
BRIDGED += ["Foundation.Data", "Foundation.Date", "Foundation.URL", "Foundation.URLRequest"]

PARENTHESES = r"\((?:[^()]|\([^()]*\))*\)"
TEXT = re.compile(r'"(?:\\.|[^"\\])*"')
ATTRIBUTES = re.compile(rf"\s*(?:@\w+(?:{PARENTHESES})?\s*)+")
# The attributes that need a body.
INLINE = re.compile(
    rf"@(?:inlinable|_transparent|_alwaysEmitIntoClient|backDeployed|inline|_effects|_specialize)\b(?:{PARENTHESES})?\s*")
KIND = re.compile(r"\b(func|init|deinit|var|let|subscript|struct|class(?! (?:func|var))|enum|protocol|extension|precedencegroup)\b")
ACCESSOR = re.compile(
    r"((?:@\w+\([^)]*\) )?(?:mutating |nonmutating )?)\b"
    r"(get|set|_read|_modify|unsafeAddress|unsafeMutableAddress)\b((?: async| throws(?:\([^)]*\))?)*)")
LITERAL = re.compile(r"init\(_builtin(Integer|Boolean)Literal")


def depth(line, pair="{}"):
    line = TEXT.sub("", line)
    return line.count(pair[0]) - line.count(pair[1])


def end_of(lines, start):
    """The line after the declaration that begins at a line."""
    level, at = depth(lines[start]), start + 1
    while level > 0:
        level, at = level + depth(lines[at]), at + 1
    return at


def body_of(line):
    """Where a body begins: at the first brace that is in no parenthesis. The end of the line if there is none."""
    level = 0
    for at, character in enumerate(TEXT.sub(lambda text: "_" * len(text[0]), line)):
        level += (character in "([") - (character in ")]")
        if character == "{" and level == 0:
            return at
    return len(line)


def without_bodies(text):
    """A textual interface that only declares its functions and accessors."""
    lines, result, at = text.split("\n"), [], 0
    while at < len(lines):
        line = lines[at]
        # A closure as a default value takes several lines; attributes may have a line of their own.
        while not line.startswith("//") and ((is_open := depth(line, "()") > 0) or ATTRIBUTES.fullmatch(line)):
            at += 1
            line += "\n" + lines[at] if is_open else " " + lines[at].strip()
        lines[at] = line
        head = line[:body_of(line)]
        kind = KIND.search(TEXT.sub("", ATTRIBUTES.sub(" ", head)))
        if line == head or not kind or kind[1] not in ("func", "init", "deinit", "var", "subscript"):
            result.append(declaration(line))
            at += 1
            continue
        end = end_of(lines, at)
        body, at = [line[len(head) + 1:], *lines[at + 1:end]], end
        if LITERAL.search(head):
            result.append(head + "{" + "\n".join(body))
        elif kind[1] in ("var", "subscript"):
            result.append(declaration(head) + "{ " + " ".join(accessors(body)) + " }")
        else:
            result.append(declaration(head))
    return "\n".join(result)


def accessors(body):
    found, level = [], 0
    for line in body:
        if level == 0:
            found += ["".join(parts) for parts in ACCESSOR.findall(INLINE.sub("", line.split("{")[0]))]
        level += depth(line)
    return found or ["get"]


def declaration(head):
    plain = INLINE.sub("", head)
    # An inlinable declaration that is internal is known to clients.
    if plain != head and re.search(r"\binternal ", plain) and "@usableFromInline" not in plain:
        plain = re.sub(r"^(\s*)", r"\1@usableFromInline ", plain)
    return plain


class SDK:
    """The modules for one platform, in a folder. `flags` are those of a compiler that uses them."""

    def __init__(self, resources, headers, folder, triple, stubs):
        self.resources, self.headers, self.folder, self.triple = resources, headers, folder, triple
        self.programs = resources.parent.parent / "bin"
        self.stubs = dict(re.findall(r"(?ms)^=== (\w+)\n(.*?)(?=^===|\Z)", stubs))
        self.flags = [
            "-target", triple, "-sdk", headers, "-resource-dir", resources, "-module-cache-path", folder / "cache", "-I", folder]

    def build(self):
        (self.folder / "interfaces").mkdir(parents=True, exist_ok=True)
        self.write_module_map()
        for name in BEFORE_DARWIN:
            self.compile(name, self.library(name))
        self.compile("Darwin", self.stub("Darwin", self.constants()), "-import-underlying-module")
        self.compile("ObjectiveC", self.stub("ObjectiveC"), "-import-underlying-module")
        self.compile("Synchronization", self.library("Synchronization"))
        self.compile("Observation", self.library("Observation"))
        self.compile("Dispatch", self.stub("Dispatch", self.printed("Dispatch")), repairs=True)
        self.compile("Foundation", self.stub("Foundation", self.foundation()), repairs=True)
        self.compile("CoreGraphics", self.stub("CoreGraphics"))
        self.compile("ImageIO", self.stub("ImageIO"))
        self.compile("Testing", self.library("Testing"))

    def write_module_map(self):
        """Darwin has the headers that Glibc has on Linux, if they are Apple's and not the compiler's, and some of its own."""
        include = self.headers / "usr/include"
        root = include / "objc/NSObject.h"
        # Apple's SDK has it in notes.
        root.write_text(root.read_text().replace("(instancetype)", "(nonnull instancetype)"))
        names = re.findall("#include <(.*)>", (self.resources / "linux/x86_64/SwiftGlibc.h").read_text())
        names = [
            name for name in names + self.stubs["headers"].split()
            if (include / name).exists() and not (self.resources / "clang/include" / name).exists()]
        objc = [f"objc/{name}.h" for name in ("objc", "objc-api", "NSObjCRuntime", "NSObject", "runtime")]
        (include / "module.modulemap").write_text("".join(
            f"module {module} [system] {{\n" + "".join(f'  header "{name}"\n' for name in headers) + "  export *\n}\n"
            for module, headers in (("Darwin", names), ("ObjectiveC", objc))))

    def library(self, name):
        """A module of the toolchain for this platform."""
        text = (self.resources / f"linux/{name}.swiftmodule/{LINUX}.swiftinterface").read_text()
        text = text.replace(LINUX, self.triple).replace("-disable-objc-interop", "-enable-objc-interop")
        text = re.sub("-target-min-inlining-version min|-library-level api", "", text)
        text = without_bodies(re.sub("(?m)^import Glibc$", "import Darwin", text))
        if name == "Swift":
            text += self.stubs["Swift"]
        if name == "Swift" and self.triple.startswith("arm64_32"):
            text = re.sub(r"(?ms)^@frozen public struct U?Int : .*?^}", lambda type: type[0].replace("Int64", "Int32"), text)
        return text

    def stub(self, name, more=""):
        with open(self.resources / f"linux/Swift.swiftmodule/{LINUX}.swiftinterface") as interface:
            first, version = next(interface), next(interface)
        flags = (
            f"-target {self.triple} -module-name {name} -swift-version 5 -enable-library-evolution -enable-objc-interop"
            " -disable-objc-attr-requires-foundation-module"
            " -enable-experimental-feature Lifetimes -enable-experimental-feature LifetimeDependence")
        return f"{first}{version}// swift-module-flags: {flags}\n{self.stubs[name]}{more}"

    def constants(self):
        """What Swift's part of Darwin makes of macros: the error codes are an enumeration, the others have a type."""
        def names(header, pattern):
            return re.findall(rf"#define\s+{pattern}", (self.headers / "usr/include" / header).read_text())

        typed = [(name, "clockid_t") for name in names("_time.h", r"(CLOCK_\w+)\s+_CLOCK")]
        typed += [(name, "mode_t") for name in names("sys/_types/_s_ifmt.h", r"(S_I\w+)\s+0\d+")]
        errors = sorted(set(names("sys/errno.h", r"(E\w+)\s+\d")) - {"ELAST", "EOPNOTSUPP"})
        return "".join([
            *(f"public var {name}: {type} {{ get }}\n" for name, type in typed),
            "public enum POSIXErrorCode : Int32, Sendable {\n  public init?(rawValue: Int32)\n  public var rawValue: Int32 { get }\n",
            *(f"  case {name}\n" for name in errors), "}\n"])

    def printed(self, name):
        """The declarations of a module of the toolchain, as an interface has them."""
        command = [
            self.programs / "swift-synthesize-interface", "-module-name", name, "-target", LINUX, "-sdk", "/", "-resource-dir",
            self.resources, "-print-fully-qualified-types"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        text = INLINE.sub("", re.sub(r"(?ms)^\s*///.*?$|^import .*?$|/\*.*?\*/", "", text))
        text = re.sub(r"\b\w+\(set\) ", "", text)
        text = re.sub(r"(?m)\blet (.* \{ get \})$", r"var \1", text)
        # Nothing is stored in a resilient module, as far as clients see.
        text = re.sub(r'(?m)^((?!.*\bweak )[^@"{}\n]*\b(?:subscript[(<]|var )[^{}\n]*)$', r"\1 { get set }", text)
        for theirs, ours in (("CDispatch.dispatch_fd_t", "Int32"), ("CDispatch.dispatch_time_t", "UInt64"), ("CDispatch.", "Darwin.")):
            text = text.replace(theirs, ours)
        return text

    def foundation(self):
        """One module, as Apple has it, of the four that Linux has. The methods of delegates are optional."""
        text = "\n".join(self.printed("Foundation" + part) for part in ("Essentials", "", "Networking", "XML"))
        text = re.sub(r"\bFoundation(Essentials|Internationalization|Networking|XML)\.", "Foundation.", text)
        text = re.sub(rf"\bFoundation\.({OBJECTIVE_C})\b", r"ObjectiveC.\1", text).replace("Glibc.", "Darwin.")
        text = re.sub(r"(?=public enum \w+Disposition : )", "@objc ", text).replace("public typealias NSRange\n", "")
        text = text.replace("public init(stream:", "public convenience init(stream:")
        # On Apple platforms a folder is told by an ObjCBool alone.
        text = re.sub(r"(?m)^.*\bfileExists\(.*inout Swift.Bool.*$", "", text)
        replaced = re.compile(rf"(?:@\w+ )*(?:open|public) \w+ (?:{OBJECTIVE_C}) |extension (?:ObjectiveC\.|Foundation\.\w+Delegate )")
        lines, result, at = text.split("\n"), [], 0
        while at < len(lines):
            end = end_of(lines, at)
            if match := re.match(r"public protocol (\w+Delegate) : (?:AnyObject|(.*?))(, Swift.Sendable)? \{", lines[at]):
                result.append(f"@objc public protocol {match[1]} : {match[2] or 'ObjectiveC.NSObjectProtocol'}{match[3] or ''} {{")
                result += [line.replace(" func ", " @objc optional func ") for line in lines[at + 1:end]]
            elif not replaced.match(lines[at]):
                result += lines[at:end]
            at = end
        for type in BRIDGED:
            result.append(self.stubs["bridge"].replace("SWIFT", type).replace("OBJC", "NS" + type.split(".")[1]))
        return "\n".join(result)

    def compile(self, name, text, *flags, repairs=False):
        """Compiles an interface. With `repairs`, it loses the declarations in which the compiler finds an error."""
        path = self.folder / f"interfaces/{name}.swiftinterface"
        command = [self.programs / "swift-frontend", "-compile-module-from-interface", path, "-module-name", name, *self.flags, *flags]
        if "-parse-stdlib" in text.split("\nimport")[0]:
            command.append("-parse-stdlib")
        for _ in range(40 if repairs else 1):
            path.write_text(text)
            result = subprocess.run([*command, "-o", self.folder / f"{name}.swiftmodule"], capture_output=True, text=True)
            if result.returncode == 0:
                return
            found = re.findall(rf"^\S*/{name}\.swiftinterface:(\d+):\d+: error: (.*)", result.stderr, re.M)
            text = repaired(text, {int(line): words for line, words in found if "failed to build module" not in words})
        sys.exit(f"apple: FAILED: what stands in for {name} does not compile with this toolchain:\n{result.stderr[:3000]}")


def repaired(text, errors):
    lines = text.split("\n")
    # A name that is declared twice is ambiguous wherever it is used.
    doubles = [line for line, words in errors.items() if "invalid redeclaration" in words]
    for line in sorted(doubles or errors, reverse=True):
        start, end = line - 1, end_of(lines, line - 1)
        if "does not override" in errors[line]:
            lines[start] = lines[start].replace("override ", "", 1)
            continue
        while ATTRIBUTES.fullmatch(lines[start - 1]):
            start -= 1
        if lines[line - 1].strip() not in ("", "}"):
            lines[start:end] = [""] * (end - start)
    return "\n".join(lines)
