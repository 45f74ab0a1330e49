import PatchbayJSON
import PatchbayRegistry
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Typed calls without bytes")
struct EmptyBodyTests {
    struct User: Decodable, Sendable { let name: String }

    private func value<Value: Sendable>(
        _ type: Value.Type, _ policy: String = "{}", status: Int = 200,
        entries: String = #"{"id":"json","factory":"json"}"#
    ) throws -> Value {
        let registry = try SerializerRegistry.entries(entries, #""policy": \#(policy)"#)
        return try registry.explain(contentType: "a/b", status: status, producing: .type(type))
            .serialize(.empty, as: type).value
    }

    @Test("1.2.4, 1.2.16: types that stand for nothing")
    func emptyValues() throws {
        #expect(try value(Data.self) == Data())
        #expect(try value([UInt8].self) == [])
        #expect(try value(ResponseBody.self) == .empty)
        #expect(try value(String.self) == "")
        #expect(try value(JSON.self) == .null)
        #expect(try value(Nothing.self) == Nothing())
        #expect(try value(User?.self) == nil)
    }

    @Test("1.2.4: any other type is an error, with its name")
    func error() throws {
        let failure = try #require(throws: LookupFailure.self) { try value(User.self) }
        #expect(failure.code == .emptyBody)
        #expect(
            failure.description
                == "the body is empty, and so makes no User, for a/b with status 200; asked: json")
    }

    @Test("a serializer that takes no bytes runs")
    func takesEmpty() throws {
        #expect(try value(Int.self, entries: #"{"id":"count","factory":"count"}"#) == 0)
    }

    @Test("1.2.3: where the policy makes it an error, nothing is to be had of no bytes, not even bytes")
    func otherwiseError() throws {
        let policy = #"{ "empty": { "otherwise": "error" } }"#
        func checkRefusal<Value: Sendable>(_ type: Value.Type) throws {
            let failure = try #require(throws: LookupFailure.self) { try value(type, policy) }
            #expect(failure.code == .emptyBody)
            #expect(
                failure.description.contains("the body is empty, and so makes no \(shownName(of: type))"), "\(failure)")
        }
        try checkRefusal(Nothing.self)
        try checkRefusal(String.self)
        try checkRefusal(Data.self)
        try checkRefusal([UInt8].self)
        try checkRefusal(ResponseBody.self)
    }

    @Test("1.2.3: what the policy expects to be empty is empty all the same", arguments: [("HEAD", 200), ("GET", 204)])
    func expected(_ method: String, _ status: Int) throws {
        let registry = try SerializerRegistry.entries(
            #"{"id":"json","factory":"json"}"#, #""policy": { "empty": { "otherwise": "error" } }"#)
        func value<Value: Sendable>(_ type: Value.Type) throws -> Value {
            try registry.explain(contentType: "a/b", status: status, method: method, producing: .type(type))
                .serialize(.empty, as: type).value
        }
        #expect(try value(Nothing.self) == Nothing())
        #expect(try value(Data.self) == Data())
        #expect(try value(String.self) == "")
    }

    @Test("1.2.3: what is to be expected of the body", arguments: [("HEAD", 200), ("GET", 204), ("GET", 304)])
    func predicted(_ method: String, _ status: Int) throws {
        let registry = try SerializerRegistry.entries(#"{"id":"count","factory":"count","match":{"types":["c/d"]}}"#)
        #expect(registry.explain(contentType: "a/b", status: status, method: method).outcome == .empty)
        #expect(registry.explain(contentType: "c/d", status: status, method: method).outcome == .entry)
    }
}
