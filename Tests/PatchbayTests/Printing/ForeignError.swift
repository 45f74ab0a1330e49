import Foundation
import Patchbay
import Testing

/// An error of a type that is not ours, with a secret in all that it says of itself.
struct ForeignError: Sendable, CustomTestStringConvertible {
    static let secret = "hunter2"

    let name: String
    let error: any Error
    /// What a sentence of ours shows of it.
    let shown: String

    var testDescription: String { name }

    init(_ name: String, _ error: any Error, _ shown: String) {
        self.name = name
        self.error = error
        self.shown = shown
    }

    struct Described: Error, CustomStringConvertible {
        var description: String { "bad: hunter2" }
    }

    final class Object: Error, CustomStringConvertible {
        let text = "hunter2"
        var description: String { "bad: \(text)" }
    }

    struct Plain: Error {
        let text = "hunter2"
    }

    enum Payload: Error {
        case refused(String)
        case misplaced(at: Int, text: String)
        case plain
    }

    enum Speaking: Error, CustomStringConvertible {
        case refused(String)
        case plain
        var description: String { "bad: hunter2" }
    }

    struct Localized: LocalizedError {
        var errorDescription: String? { "bad: hunter2" }
        var failureReason: String? { "because of hunter2" }
        var recoverySuggestion: String? { "leave hunter2 out" }
    }

    enum LocalizedCase: LocalizedError {
        case plain
        var errorDescription: String? { "bad: hunter2" }
    }

    struct Numbered: CustomNSError, CustomStringConvertible {
        static var errorDomain: String { "hunter2" }
        var errorCode: Int { 4 }
        var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: "bad: hunter2"] }
        var description: String { "bad: hunter2" }
    }

    /// Says that it is one of the system's.
    struct Posing: CustomNSError {
        static var errorDomain: String { NSCocoaErrorDomain }
        var errorCode: Int { 4 }
        var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: "bad: hunter2"] }
    }

    /// The system makes such errors on Apple platforms.
    class Subclass: NSError, @unchecked Sendable {}
    final class Deeper: Subclass, @unchecked Sendable {}

    struct Mirrored: Error, CustomReflectable {
        var customMirror: Mirror { Mirror(self, children: ["hunter2": 1], displayStyle: .enum) }
    }

    enum MirroredCase: Error, CustomReflectable {
        case refused(String)
        case plain
        var customMirror: Mirror { Mirror(self, children: ["hunter2": 1], displayStyle: .enum) }
    }

    enum Debugged: Error, CustomDebugStringConvertible {
        case plain
        var debugDescription: String { "bad: hunter2" }
    }

    enum Streamed: Error, TextOutputStreamable {
        case plain
        func write(to target: inout some TextOutputStream) { target.write("bad: hunter2") }
    }

    struct Wrapper<Inner: Error>: Error, CustomStringConvertible {
        let inner: Inner
        var description: String { "bad: hunter2" }
    }

    enum Either<Inner: Error>: Error {
        case inner(Inner)
    }

    private static func corrupted(_ underlying: (any Error)? = nil) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "bad: hunter2", underlyingError: underlying))
    }

    private static func information(_ key: String) -> [String: Any] {
        [NSLocalizedDescriptionKey: "bad: hunter2", NSLocalizedFailureReasonErrorKey: "hunter2", key: "hunter2"]
    }

    private static let session = SessionError(.cancelled, reason: "the call was cancelled", cause: Described())

    static let all = common + ofURLs

    #if os(Linux)
        private static let ofURLs = [
            ForeignError("URLError", URLError(.timedOut, userInfo: information("a")), "NSURLErrorDomain error -1001"),
            ForeignError(
                "NSError of URLs", NSError(domain: NSURLErrorDomain, code: -1001, userInfo: information("a")),
                "NSURLErrorDomain error -1001"),
        ]
    #else
        // Apple's Foundation has texts of its own for these.
        private static let ofURLs: [ForeignError] = []
    #endif

    private static let common: [ForeignError] = [
        ForeignError("with a description", Described(), "Described"),
        ForeignError("a class", Object(), "Object"),
        ForeignError("a struct", Plain(), "Plain"),
        ForeignError("an enumeration with a payload", Payload.refused("hunter2"), "Payload.refused"),
        ForeignError(
            "an enumeration with a payload of two", Payload.misplaced(at: 1, text: "hunter2"), "Payload.misplaced"),
        ForeignError("an enumeration", Payload.plain, "Payload.plain"),
        ForeignError("a payload and a description", Speaking.refused("hunter2"), "Speaking.refused"),
        ForeignError("an enumeration with a description", Speaking.plain, "Speaking"),
        ForeignError("LocalizedError", Localized(), "Localized"),
        ForeignError("an enumeration, LocalizedError", LocalizedCase.plain, "LocalizedCase.plain"),
        ForeignError("CustomNSError", Numbered(), "Numbered"),
        ForeignError("CustomNSError of a domain of the system", Posing(), "Posing"),
        ForeignError("NSError", NSError(domain: "hunter2", code: 4, userInfo: information("hunter2")), "NSError"),
        ForeignError("bridged", Numbered() as NSError, "NSError"),
        ForeignError("CustomReflectable", Mirrored(), "Mirrored"),
        ForeignError("an enumeration, CustomReflectable", MirroredCase.refused("hunter2"), "MirroredCase"),
        ForeignError("CustomDebugStringConvertible", Debugged.plain, "Debugged"),
        ForeignError("TextOutputStreamable", Streamed.plain, "Streamed"),
        ForeignError("generic", Wrapper(inner: Described()), "Wrapper<Described>"),
        ForeignError("a generic enumeration", Either.inner(Described()), "Either<Described>.inner"),
        ForeignError("round a SessionError", Wrapper(inner: session), "Wrapper<SessionError>"),
        ForeignError("a SessionError round another", session, "the call was cancelled"),
        ForeignError("DecodingError", corrupted(), "the value is not valid"),
        ForeignError("DecodingError over another", corrupted(Described()), "the value is not valid"),
        ForeignError("DecodingError over two", corrupted(corrupted(Described())), "the value is not valid"),
        ForeignError(
            "DecodingError over ours", corrupted(ElementLimitFailure(limit: 5)), "an element is longer than 5 bytes"),
        ForeignError(
            "DecodingError over one with another below", corrupted(ElementFailure(.line, 3, Described())),
            "line 3: Described"),
        ForeignError(
            "DecodingError of a type",
            DecodingError.typeMismatch(
                Int.self, .init(codingPath: [], debugDescription: "bad: hunter2", underlyingError: Described())),
            "expected Int"),
        ForeignError(
            "EncodingError",
            EncodingError.invalidValue("hunter2", .init(codingPath: [], debugDescription: "bad: hunter2")),
            "a value of the type String cannot be written"),
        ForeignError("POSIXError", POSIXError(.ENOSPC), "No space left on device"),
        ForeignError(
            "NSError of POSIX", NSError(domain: NSPOSIXErrorDomain, code: 2, userInfo: information("a")),
            "No such file or directory"),
        ForeignError(
            "CocoaError", CocoaError(.fileNoSuchFile, userInfo: information("a")), "The file doesn’t exist."),
        ForeignError(
            "NSError of Cocoa", NSError(domain: NSCocoaErrorDomain, code: 260, userInfo: information("a")),
            "The file doesn’t exist."),
        ForeignError(
            "a Cocoa error without words", CocoaError(.init(rawValue: 7), userInfo: information("a")),
            "NSCocoaErrorDomain error 7"),
        ForeignError(
            "a subclass of NSError", Subclass(domain: "hunter2", code: 4, userInfo: information("hunter2")), "Subclass"),
        ForeignError(
            "a subclass of NSError, of POSIX",
            Subclass(domain: NSPOSIXErrorDomain, code: 2, userInfo: information("a")),
            "No such file or directory"),
        ForeignError(
            "a subclass of a subclass, of Cocoa",
            Deeper(domain: NSCocoaErrorDomain, code: 260, userInfo: information("a")), "The file doesn’t exist."),
        ForeignError(
            "a subclass of NSError, of URLs",
            Subclass(domain: NSURLErrorDomain, code: -1001, userInfo: information("a")),
            "NSURLErrorDomain error -1001"),
        ForeignError(
            "ours over another", FormatFailure("csv", .element, "it is no row", line: 3, cause: Described()),
            "it is no row"),
        ForeignError("an element over another", ElementFailure(.line, 3, Described()), "line 3: Described"),
    ]
}
