import Foundation
import Patchbay
import PatchbayMigration
import PatchbayTesting
import Testing

/// Forms of named parts, sent by a verb.
@Suite(.timeLimit(.minutes(5))) struct MultipartVerbTests {
    @Test("1.5.21, 1.8.13: it is sent with its type, parameters first, and again after a redirect")
    func sending() async throws {
        let (manager, stub) = stubManager { request in
            request.head.url.path() == "/end" ? .json("[1]") : StubReply(status: 307, fields: ["Location": "/end"])
        }
        var form = MultipartFormData(boundary: "B")
        form.append("2", name: "part")
        let reply = try await manager.post(
            "a", multipart: form, parameters: ["z": [1], "a[b] \u{E9}": .data(Data([0x41])), "n": nil])
        #expect(reply.outcome == .entry)
        #expect(try await manager.post("end", multipart: form, as: [Int].self) == [1])
        let expected = [
            "--B", "Content-Disposition: form-data; name=\"a[b] \u{E9}\"", "", "A",
            "--B", #"Content-Disposition: form-data; name="n""#, "", "",
            "--B", #"Content-Disposition: form-data; name="z[]""#, "", "1",
            "--B", #"Content-Disposition: form-data; name="part""#, "", "2", "--B--", "",
        ].joined(separator: "\r\n")
        #expect(stub.requests.count == 3)
        #expect(
            stub.requests.prefix(2).map { $0.body?.data.map { String(decoding: $0, as: UTF8.self) } }
                == [expected, expected])
        #expect(
            stub.requests.map { $0.head.fields["Content-Type"] }
                == Array(repeating: "multipart/form-data; boundary=B", count: 3))
    }

    @Test("the first part that cannot be sent is the reason of the call's failure, with parameters and without")
    func refusal() async throws {
        var form = MultipartFormData()
        form.append("x", name: "good")
        form.append(.data(Data()), headers: ["X Y": "1"])
        form.append("x", name: "a\nb")
        let (manager, stub) = stubManager { _ in .json("1") }
        for parameters in [nil, ["a": 1]] as [Parameters?] {
            let error = await #expect(throws: SessionError.self) {
                try await manager.post("a", multipart: form, parameters: parameters)
            }
            #expect(error?.code == .invalidRequest)
            #expect(
                error?.description
                    == "the request was not sent: in a part of the form, a header field name is not a token")
            #expect(error?.cause == nil)
        }
        #expect(stub.requests.isEmpty)
    }

    @Test("every verb of a form sends its method to its target", arguments: [true, false])
    func targets(isTyped: Bool) async throws {
        let (manager, stub) = stubManager { _ in .json("7") }
        let (text, form) = ("http://other.test/users/1?a=b", MultipartFormData())
        if isTyped {
            #expect(try await manager.post(text, multipart: form, as: Int.self) == 7)
        } else {
            _ = try await manager.post(text, multipart: form)
        }
        #expect(stub.requests.map(\.head.method) == ["POST"])
        #expect(stub.requests.map(\.head.url.absoluteString) == [text])
    }

    @Test("1.8.13: a throttle is the pace of its form, and nil is none")
    func throttle() {
        var form = MultipartFormData()
        #expect(form.throttle == nil)
        form.throttle = .cellular3G
        #expect(form.pace?.bytes == 16_384 && form.pace?.delay == .milliseconds(200))
        #expect(form.throttle == .cellular3G)
        form.throttle = nil
        #expect(form.pace == nil)
    }
}
