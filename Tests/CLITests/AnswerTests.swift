import Foundation
import Patchbay
import TestSupport
import Testing

/// A response, and the words after `patchbay get URL`: what is sent, printed and saved, byte for byte.
struct AnswerRow: Sendable, CustomTestStringConvertible {
    /// The Accept field of the request.
    enum Accept: String, Sendable {
        case value =
            "application/json, application/x-plist;q=0.9, application/x-apple-plist;q=0.9, application/x-apple-binary-plist;q=0.9, application/problem+json;q=0.8, */*;q=0.1"
        case elements =
            "application/x-ndjson, application/jsonl, application/json-seq;q=0.9, text/event-stream;q=0.8, text/csv;q=0.7, multipart/mixed;q=0.6, multipart/form-data;q=0.6, application/json;q=0.5, text/javascript;q=0.4, application/problem+json;q=0.3, */*;q=0.1"
        case anything = "*/*"
    }

    let testDescription: String
    let words: [String]
    let reply: RawReply
    let accept: Accept
    /// The bytes on standard output. The times of a document are left out.
    let output: [UInt8]
    /// The text on standard error, with `PORT` for the port.
    let errors: String
    let code: Int32
    /// The bytes of the file `out`; nil for no file.
    let saved: String?

    private init(
        _ name: String, _ reply: RawReply, _ words: [String], _ accept: Accept, _ output: [UInt8], _ failure: String?,
        _ notes: String, _ code: Int32, _ saved: String?
    ) {
        (testDescription, self.reply, self.words, self.accept) = (name, reply, words, accept)
        (self.output, self.code, self.saved) = (output, code, saved)
        errors = failure.map { "patchbay: GET 127.0.0.1:PORT/a: \($0)\n" } ?? notes
    }

    /// A complete response.
    /// - Parameter prints: the bytes on standard output; nil for those of the body.
    init(
        _ name: String, status: Int = 200, type: String?, fields: HeaderFields = [:], body: some AnswerBody,
        words: [String] = [], accept: Accept = .value, prints: String?, fails: String? = nil, notes: String = "",
        code: Int32 = 0, saves: String? = nil
    ) {
        let fields = HeaderFields((type.map { [("Content-Type", $0)] } ?? []) + fields.map { ($0.name, $0.value) })
        self.init(
            name, .response(status: status, fields, body: body.bytes), words, accept,
            prints.map { Array($0.utf8) } ?? body.bytes, fails, notes, code, saves)
    }

    /// The bytes of a response as they are, and the end of the connection.
    init(
        _ name: String, raw: String, words: [String] = [], accept: Accept = .value, prints: String,
        fails: String? = nil, code: Int32 = 0
    ) {
        self.init(name, .raw(raw), words, accept, Array(prints.utf8), fails, "", code, nil)
    }

    /// The end of a sentence: the entry that failed, and the number of entries before it, which do not cover the type.
    static func asked(_ entry: String, and more: Int, _ type: String) -> String {
        "; asked: \(entry) (failed), and \(more) that do not cover \(type)"
    }
}

/// The body of a response: a text, or bytes.
protocol AnswerBody {
    var bytes: [UInt8] { get }
}

extension String: AnswerBody {
    var bytes: [UInt8] { Array(utf8) }
}

extension [UInt8]: AnswerBody {
    var bytes: [UInt8] { self }
}

/// The built program against a server: the same output as ever.
@Suite(.timeLimit(.minutes(5))) struct AnswerTests {
    @Test("what is sent, printed and saved", arguments: AnswerRow.values + AnswerRow.elements + AnswerRow.others)
    func answer(_ row: AnswerRow) async throws {
        let server = try RawServer(always: row.reply)
        let folder = TemporaryFolder()
        let run = try await Binary.run(["get", server.url("/a").absoluteString] + row.words, in: folder.path)
        #expect(server.requests.map { $0.fields["Accept"] } == [row.accept.rawValue])
        if row.words.contains("json") {
            #expect(Self.withoutTimes(run.output, server.port) == String(decoding: row.output, as: UTF8.self))
        } else {
            #expect(run.bytes == row.output, "\(run.output.debugDescription)")
        }
        #expect(run.errors.replacing(":\(server.port)", with: ":PORT") == row.errors)
        #expect(run.code == row.code)
        #expect(folder.names == (row.saved == nil ? [] : ["out"]))
        if let saved = row.saved {
            #expect(try String(contentsOfFile: folder.path + "/out", encoding: .utf8) == saved)
        }
    }

    private static func withoutTimes(_ output: String, _ port: UInt16) -> String {
        output.replacing(":\(port)", with: ":PORT")
            .replacing(/"timeline": \{(?s:.*?)\n  \},/, with: #""timeline": {},"#)
    }
}
