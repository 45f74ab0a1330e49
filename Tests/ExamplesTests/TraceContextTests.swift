import Foundation
import Patchbay
import PatchbayTesting
import TestSupport
import Testing

@testable import Adapters

/// The example `TraceContext` and the grammar of W3C Trace Context, level 1.
@Suite(.timeLimit(.minutes(5))) struct TraceContextTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"
    private static let valid = "00-\(trace)-\(span)-01"

    struct Parent: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        /// What is sent on, with the same span; nil if the field is invalid.
        let written: String?
        var testDescription: String { name }
        init(_ name: String, _ text: String, _ written: String?) {
            (self.name, self.text, self.written) = (name, text, written)
        }
    }

    static let parents = [
        Parent("sampled", valid, valid),
        Parent("not sampled", "00-\(trace)-\(span)-00", "00-\(trace)-\(span)-00"),
        Parent("all flags: those that are not defined are dropped", "00-\(trace)-\(span)-ff", valid),
        Parent("flag 2 alone", "00-\(trace)-\(span)-02", "00-\(trace)-\(span)-00"),
        Parent("flags 1 and 8", "00-\(trace)-\(span)-09", valid),
        Parent("a later version of the same length", "cc-\(trace)-\(span)-01", valid),
        Parent("a later version with another part", "cc-\(trace)-\(span)-01-what-the-future-holds", valid),
        Parent("a later version with a hyphen at its end", "01-\(trace)-\(span)-01-", valid),
        Parent("the version before the last", "fe-\(trace)-\(span)-01", valid),
        Parent("the least ids", "00-\(zeros(31))1-\(zeros(15))1-00", "00-\(zeros(31))1-\(zeros(15))1-00"),
        Parent("version ff", "ff-\(trace)-\(span)-01", nil),
        Parent("version 00 with another part", valid + "-extra", nil),
        Parent("version 00 with a hyphen at its end", valid + "-", nil),
        Parent("version 00 with a letter at its end", valid + "a", nil),
        Parent("a later version that goes on without a hyphen", "cc-\(trace)-\(span)-01.what", nil),
        Parent("a version that is no number", "qw-\(trace)-\(span)-01", nil),
        Parent("a version in upper case", "CC-\(trace)-\(span)-01", nil),
        Parent("a version of one digit", "0-\(trace)-\(span)-01", nil),
        Parent("a version of three digits", "000-\(trace)-\(span)-01", nil),
        Parent("a trace of zeros", "00-\(zeros(32))-\(span)-01", nil),
        Parent("a span of zeros", "00-\(trace)-\(zeros(16))-01", nil),
        Parent("a trace in upper case", "00-\(trace.uppercased())-\(span)-01", nil),
        Parent("a span in upper case", "00-\(trace)-\(span.uppercased())-01", nil),
        Parent("flags in upper case", "00-\(trace)-\(span)-0A", nil),
        Parent("a short trace", "00-\(trace.dropLast())-\(span)-01", nil),
        Parent("a long trace", "00-\(trace)0-\(span)-01", nil),
        Parent("a short span", "00-\(trace)-\(span.dropLast())-01", nil),
        Parent("a long span", "00-\(trace)-\(span)0-01", nil),
        Parent("flags of one digit", "00-\(trace)-\(span)-1", nil),
        Parent("flags of three digits", "00-\(trace)-\(span)-001", nil),
        Parent("no flags", "00-\(trace)-\(span)", nil), Parent("no flags, and a hyphen", "00-\(trace)-\(span)-", nil),
        Parent("a letter that is no digit, in the trace", "00-\(trace.replacing("0a", with: "0g"))-\(span)-01", nil),
        Parent("a letter that is no digit, in the span", "00-\(trace)-\(span.replacing("b7", with: "z7"))-01", nil),
        Parent("a sign in the flags", "00-\(trace)-\(span)-+1", nil),
        Parent("a dot for a hyphen", "00.\(trace)-\(span)-01", nil),
        Parent("a space for a hyphen", "00-\(trace) \(span)-01", nil), Parent("nothing", "", nil),
        Parent("a word", "traceparent", nil),
        Parent("hyphens", String(repeating: "-", count: 55), nil),
        Parent("digits of another script", "00-\(zeros(30))٣-\(span)-01", nil),
        Parent("NUL", "00-\(trace)-\(span)-0\0", nil), Parent("emoji", String(repeating: "🪢", count: 14), nil),
    ]

    private static func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }

    @Test("a traceparent is read by version 00, and written in it", arguments: parents)
    func parent(_ row: Parent) {
        let context = TraceContext(traceparent: row.text)
        #expect(context?.traceparent == row.written)
        #expect(TraceContext(["traceparent": row.text]) == context)
        guard let context else { return }
        #expect(TraceContext(traceparent: context.traceparent) == context)
        let child = context.child()
        #expect(child.traceID == context.traceID && child.spanID != context.spanID)
        #expect(child.isSampled == context.isSampled)
        #expect(TraceContext(traceparent: child.traceparent) == child)
    }

    struct State: Sendable, CustomTestStringConvertible {
        let name: String
        let lines: [String]
        let written: String?
        var testDescription: String { name }
        init(_ name: String, _ lines: [String], _ written: String?) {
            (self.name, self.lines, self.written) = (name, lines, written)
        }
    }

    static let states = [
        State("one member", ["foo=1"], "foo=1"), State("two members", ["foo=1,bar=2"], "foo=1,bar=2"),
        State("two lines are one list", ["foo=1", "bar=2"], "foo=1,bar=2"),
        State("blanks around members", ["foo=1 \t , \t bar=2"], "foo=1,bar=2"),
        State("empty members", ["foo=1,,bar=2,", ""], "foo=1,bar=2"), State("an empty list", [""], nil),
        State("no list", [], nil),
        State("only commas", [" , ,"], nil),
        State("each character of a key", ["a0_-*/=1"], "a0_-*/=1"),
        State("a tenant and its system", ["0tenant@sys=1"], "0tenant@sys=1"),
        State(
            "each character of a value", ["a= !\"#$%&'()*+-./09:;<>?@AZ[\\]^_`az{|}~"],
            "a= !\"#$%&'()*+-./09:;<>?@AZ[\\]^_`az{|}~"),
        State("a key of 256 characters", [long("z", 256) + "=1"], long("z", 256) + "=1"),
        State("a key of 257 characters", [long("z", 257) + "=1"], nil),
        State(
            "a tenant of 241, a system of 14", [long("t", 241) + "@" + long("v", 14) + "=1"],
            long("t", 241) + "@" + long("v", 14) + "=1"),
        State("a tenant of 242", [long("t", 242) + "@v=1"], nil),
        State("a system of 15", ["t@" + long("v", 15) + "=1"], nil),
        State("a value of 256 characters", ["a=" + long("v", 256)], "a=" + long("v", 256)),
        State("a value of 257 characters", ["a=" + long("v", 257)], nil),
        State("32 members", [members(32)], members(32)), State("33 members", [members(33)], nil),
        State("a key twice", ["foo=1,foo=1"], nil), State("a key twice, in two lines", ["foo=1", "foo=2"], nil),
        State("a key in upper case", ["Foo=1"], nil), State("a key that begins with a digit", ["0foo=1"], nil),
        State("a key with a space", ["foo =1"], nil), State("a key with a dot", ["foo.bar=1"], nil),
        State("no key", ["=1"], nil), State("no value", ["foo="], nil), State("no equals sign", ["foo"], nil),
        State("two equals signs", ["foo=1=2"], nil), State("two signs at", ["a@b@c=1"], nil),
        State("no tenant", ["@sys=1"], nil),
        State("no system", ["tenant@=1"], nil), State("a system that begins with a digit", ["t@0=1"], nil),
        State("a tab in a value", ["foo=a\tb"], nil), State("NUL in a value", ["foo=a\0b"], nil),
        State("a value beyond ASCII", ["foo=ä"], nil),
        State("one bad member among good ones", ["foo=1,BAR=2,baz=3"], nil),
    ]

    private static func long(_ letter: String, _ count: Int) -> String { String(repeating: letter, count: count) }
    private static func members(_ count: Int) -> String { (1...count).map { "k\($0)=\($0)" }.joined(separator: ",") }

    @Test("a tracestate is sent on whole, or not at all, and never spoils its traceparent", arguments: states)
    func state(_ row: State) {
        let context = TraceContext(traceparent: Self.valid, tracestate: row.lines)
        #expect(context?.traceparent == Self.valid)
        #expect(context?.tracestate == row.written)
        #expect(context?.child().tracestate == row.written)
        var fields: HeaderFields = ["traceparent": Self.valid]
        for line in row.lines { fields.append(line, for: "tracestate") }
        #expect(TraceContext(fields) == context)
        #expect(TraceContext(traceparent: "00-nothing", tracestate: row.lines) == nil)
    }

    @Test("a request with two traceparents, or with none, has no context; the case of the name does not matter")
    func fields() {
        var twice: HeaderFields = ["traceparent": Self.valid]
        twice.append(Self.valid, for: "Traceparent")
        #expect(TraceContext(twice) == nil)
        #expect(TraceContext(["tracestate": "a=1"]) == nil)
        #expect(TraceContext(["TraceParent": Self.valid])?.spanID == Self.span)
    }

    @Test("a new trace has ids of the right length that are not zero")
    func new() {
        for _ in 0..<1000 {
            let context = TraceContext()
            #expect(TraceContext(traceparent: context.traceparent) == context)
        }
    }

    private func manager(
        _ reply: @escaping @Sendable (TransportRequest) async throws -> StubReply
    ) -> (SessionManager, StubTransport) {
        var configuration = SessionConfiguration()
        configuration.interceptors = [RetryPolicy(limit: 1, scale: .zero), TraceContextInterceptor()]
        let stub = StubTransport(reply)
        let base = URL(string: "https://api.example.com")
        return (SessionManager(baseURL: base, transport: stub, configuration: configuration), stub)
    }

    private static func contexts(_ stub: StubTransport) -> [TraceContext?] {
        stub.requests.map { TraceContext($0.head.fields) }
    }

    @Test("the context of the caller's task goes with the call; a retry and a redirect are new spans of its trace")
    func interceptor() async throws {
        let tries = Shared(0)
        let (manager, stub) = manager { request in
            if request.head.url.path() == "/a" { return StubReply(status: 307, fields: ["Location": "/b"]) }
            if request.head.url.path() == "/c" { return StubReply(body: "1") }
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            return number == 1
                ? StubReply(status: 503) : StubReply(status: 307, fields: ["Location": "https://other.example/c"])
        }
        let caller = try #require(TraceContext(traceparent: Self.valid, tracestate: ["vendor=x"]))
        _ = try await TraceContext.$current.withValue(caller) { try await manager.send("a") }
        #expect(stub.requests.map { $0.head.url.path() } == ["/a", "/b", "/a", "/b", "/c"])
        let sent = Self.contexts(stub)
        #expect(sent.dropLast().allSatisfy { $0?.traceID == Self.trace && $0?.tracestate == "vendor=x" })
        #expect(Set(sent.dropLast().map { $0?.spanID } + [Self.span]).count == 5)
        #expect(sent.last == .some(nil))
    }

    @Test("without a context, each request begins a trace")
    func root() async throws {
        let (manager, stub) = manager { _ in StubReply(body: "1") }
        for _ in 0..<2 { _ = try await manager.send("a") }
        let traces = Self.contexts(stub).map { $0?.traceID }
        #expect(Set(traces).count == 2 && !traces.contains(nil))
    }
}
