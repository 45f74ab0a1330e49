import Foundation
import PatchbayJSON
import PatchbayPlatform
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// Serializers whose call is over from the beginning. Those of the elements of a list: `InterruptedSerializerTests`.
@Suite struct InterruptedDocumentTests {
    private final class Owner: Sendable {}

    private func whenOver(_ work: () -> Void) {
        let owner = Owner()
        let interruption = Interruption.begin(for: owner) { _ in true }
        defer { _ = withExtendedLifetime(owner) { interruption.end() } }
        work()
    }

    @Test("a document of XML is read no further", .enabled(if: Libxml2.gap == nil, "needs libxml2.so.2"))
    func xml() throws {
        let body = Sample.body("<r>" + String(repeating: "<e><a>1</a></e>", count: 100) + "</r>")
        let head = Sample.head("application/xml")
        let tree = try XMLDocumentSerializer().serialize(body, head)
        whenOver {
            let failure = #expect(throws: XMLFailure.self) { try XMLDocumentSerializer().serialize(body, head) }
            #expect(failure?.code == .aborted)
            #expect(Interruption.isNoticed)
            #expect(throws: CancellationError.self) { try tree.decode([[String: Int]].self) }
        }
        #expect(try tree.decode([[String: Int]].self).count == 100)
    }

    @Test("the elements and the members of a property list are decoded no further")
    func propertyList() throws {
        let numbers = PropertyList.array((0..<100).map { .integer(Int64($0)) })
        let lists = PropertyList.dictionary(["a": .array([]), "b": .array([])])
        whenOver {
            #expect(throws: CancellationError.self) { try numbers.decode([Int].self) }
            #expect(throws: CancellationError.self) { try lists.decode([String: [Int]].self) }
        }
        #expect(try numbers.decode([Int].self).count == 100)
        #expect(try lists.decode([String: [Int]].self).count == 2)
    }

    @Test("a list of elements stops also without types")
    func elements() throws {
        let body = Sample.body(String(repeating: "1\n", count: 100))
        whenOver {
            #expect(throws: CancellationError.self) {
                try NDJSONSerializer().serialize(body, Sample.head("application/x-ndjson"))
            }
        }
        #expect(try NDJSONSerializer().serialize(body, Sample.head("application/x-ndjson")).count == 100)
    }
}
