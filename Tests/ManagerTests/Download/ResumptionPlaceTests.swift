import Foundation
import PatchbayPlatform
import PatchbayRegistry
import PatchbayTesting
import TestSupport
import Testing

@testable import PatchbayManager

/// The call that resumes names the destination, and what the resumption says must agree.
@Suite(.timeLimit(.minutes(5))) struct ResumptionPlaceTests {
    private let request = SessionRequest("file")

    /// A destination in the folder of a download to its file `x`, and a change of the stored resumption.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// Nil if the download goes on.
        let refusal: String?
        let change: @Sendable (inout [String: Any], _ folder: URL) -> Void
        let destination: @Sendable (_ folder: URL) -> DownloadDestination
        var testDescription: String { name }

        init(
            _ name: String, _ refusal: String?,
            to destination: @escaping @Sendable (URL) -> DownloadDestination = { .file($0.appending(path: "x")) },
            editing change: @escaping @Sendable (inout [String: Any], URL) -> Void = { _, _ in }
        ) {
            (self.name, self.refusal, self.change, self.destination) = (name, refusal, change, destination)
        }
    }

    private static let other = "it was begun to another file"

    private static func file(_ name: String) -> @Sendable (inout [String: Any], URL) -> Void {
        { $0["file"] = $1.appending(path: name).absoluteString }
    }

    static let cases: [Case] = [
        Case("the file", nil),
        Case("its folder", nil, to: { .folder($0) }),
        Case("the file by a longer path", nil, to: { .file($0.appending(path: "deep/../x")) }),
        Case("another file", other, to: { .file($0.appending(path: "y")) }),
        Case("the file of the same name in another folder", other, to: { .file($0.appending(path: "deep/x")) }),
        Case("another folder", other, to: { .folder($0.appending(path: "deep")) }),
        Case("a temporary file", other, to: { _ in .temporary }),
        Case("a choice", "its destination depends on the response", to: { folder in .chosen { _ in .folder(folder) } }),
        Case("an option that it lacks", "it was begun without replacingFile()", to: { .folder($0).replacingFile() }),
        Case("an edited file in the folder", other, editing: file("precious")),
        Case("an edited file in a folder", nil, to: { .folder($0) }, editing: file("new")),
        Case(
            "an edited file elsewhere", other, to: { .folder($0) }, editing: { $0["file"] = "\($1)/../../etc/passwd" }),
        Case("an edited file that is hidden", other, to: { .folder($0) }, editing: file(".profile")),
        Case("an edited file that is the folder", other, to: { .folder($0) }, editing: file("")),
        Case("an edited file that is no file", other, editing: { json, _ in json["file"] = "http://origin.test/x" }),
        Case(
            "an edited option", "it was begun with replacingFile()", editing: { json, _ in json["replacesFile"] = true }
        ),
        Case(
            "an edited option and file, in a folder", "it was begun with replacingFile()", to: { .folder($0) },
            editing: {
                file("precious")(&$0, $1)
                $0["replacesFile"] = true
            }),
        Case("edited to be temporary", other, editing: { json, _ in json["isTemporary"] = true }),
        Case("a member of a later version", nil, editing: { json, _ in json["later"] = "x" }),
    ]

    @Test("a resumption goes on at the destination that the call names, or nothing is asked for", arguments: cases)
    func place(_ row: Case) async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let folder = origin.folder.url
        let (_, begun) = try await origin.begin()
        for name in ["precious", ".profile"] { try Data("precious".utf8).write(to: folder.appending(path: name)) }
        try FileManager.default.createDirectory(at: folder.appending(path: "deep"), withIntermediateDirectories: false)
        let stored = try JSONSerialization.jsonObject(with: JSONEncoder().encode(begun)) as? [String: Any]
        var object = try #require(stored)
        row.change(&object, folder)
        let edited = try JSONDecoder().decode(
            DownloadResumption.self, from: JSONSerialization.data(withJSONObject: object))
        let destination = row.destination(folder)
        let names = origin.folder.names
        defer {
            for name in ["precious", ".profile"] {
                #expect((try? Data(contentsOf: folder.appending(path: name))) == Data("precious".utf8))
            }
        }
        guard let refusal = row.refusal else {
            let reply = try await origin.manager().download(request, to: destination.resuming(edited))
            #expect(try Data(contentsOf: reply.value) == origin.body)
            #expect(reply.value.lastPathComponent == edited.file.lastPathComponent)
            #expect(origin.requests.map { $0.fields["Range"] } == [nil, "bytes=5000-"])
            return
        }
        let error = await #expect(throws: SessionError.self) {
            try await origin.manager().download(request, to: destination.resuming(edited))
        }
        #expect(error?.code == .resumption)
        #expect(
            error?.description.hasSuffix("the download cannot be resumed: \(refusal)") == true,
            "\(error.map { "\($0)" } ?? "-")")
        #expect(error?.resumption == edited)
        #expect(origin.requests.count == 1)
        #expect(origin.folder.names == names)
        // The one that was not edited still goes on.
        _ = try await origin.manager().download(request, to: .file(origin.url).resuming(begun))
        #expect(try Data(contentsOf: origin.url) == origin.body)
    }

    @Test("a file is replaced where the destination and the resumption say so")
    func replaced() async throws {
        let origin = ResumableOrigin(cuts: [5_000, 1_000])
        try Data("old".utf8).write(to: origin.url)
        let destination = DownloadDestination.file(origin.url).replacingFile()
        let error = await #expect(throws: SessionError.self) {
            try await origin.manager().download(request, to: destination.resumable())
        }
        let rest = try #require(error?.resumption)
        let refused = await #expect(throws: SessionError.self) {
            try await origin.manager().download(request, to: .file(origin.url).resuming(rest))
        }
        #expect(refused?.code == .resumption)
        // Interrupted again, the new resumption is of the same destination.
        let again = await #expect(throws: SessionError.self) {
            try await origin.manager().download(request, to: destination.resuming(rest))
        }
        let last = try #require(again?.resumption)
        #expect(last.bytes == 6_000)
        _ = try await origin.manager().download(request, to: destination.resuming(last))
        #expect(try Data(contentsOf: origin.url) == origin.body)
    }

    @Test("a temporary file is resumed as one, and stays readable by its owner alone")
    func temporary() async throws {
        let origin = ResumableOrigin(cuts: [5_000])
        let error = await #expect(throws: SessionError.self) {
            try await origin.manager().download(request, to: .temporary.resumable())
        }
        let rest = try #require(error?.resumption)
        let refused = await #expect(throws: SessionError.self) {
            try await origin.manager().download(request, to: .file(rest.file).resuming(rest))
        }
        #expect(refused?.code == .resumption)
        let url = try await origin.manager().download(request, to: .temporary.resuming(rest)).value
        defer { try? FileManager.default.removeItem(at: url) }
        #expect(url == rest.file)
        #expect(try Data(contentsOf: url) == origin.body)
        #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int == 0o600)
    }

    @Test("a link in the path of an edited resumption leads nowhere")
    func linkedFolder() async throws {
        let (origin, elsewhere) = (ResumableOrigin(cuts: [5_000]), TemporaryFolder())
        let (_, begun) = try await origin.begin()
        try FileManager.default.createSymbolicLink(
            at: origin.folder.url.appending(path: "link"), withDestinationURL: elsewhere.url)
        try FileManager.default.copyItem(
            at: begun.part, to: elsewhere.url.appending(path: begun.part.lastPathComponent))
        let stored = try JSONSerialization.jsonObject(with: JSONEncoder().encode(begun)) as? [String: Any]
        var object = try #require(stored)
        object["file"] = origin.folder.url.absoluteString + "link/../x"
        let edited = try JSONDecoder().decode(
            DownloadResumption.self, from: JSONSerialization.data(withJSONObject: object))
        let reply = try? await origin.manager().download(request, to: .file(origin.url).resuming(edited))
        #expect(reply == nil || reply?.value == origin.url)
        #expect(elsewhere.names == [begun.part.lastPathComponent])
    }

    @Test(
        "a resumption that lacks a member is none", arguments: ["file", "partName", "replacesFile", "mark", "target"])
    func earlierVersion(_ key: String) async throws {
        let (_, begun) = try await ResumableOrigin(cuts: [5_000]).begin()
        let stored = try JSONSerialization.jsonObject(with: JSONEncoder().encode(begun)) as? [String: Any]
        var object = try #require(stored)
        object[key] = nil
        let data = try JSONSerialization.data(withJSONObject: object)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(DownloadResumption.self, from: data) }
    }
}
