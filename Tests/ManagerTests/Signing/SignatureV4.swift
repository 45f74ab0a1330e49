import Foundation
import PatchbayManager
import PatchbayRegistry

/// Signs requests as AWS Signature Version 4 has it (the AWS General Reference, "Create a signed AWS API request"): an example of a signer.
///
/// It signs Content-Type, the fields whose names begin with `X-Amz-` or `My-`, and the host. A body that is read while it is sent is not
/// signed.
struct SignatureV4: RequestInterceptor {
    let keyID, secret, region, service: String
    /// The time in the form `20150830T123600Z`.
    let time: @Sendable () -> String

    func sign(_ head: inout RequestHead, body: RequestBody?) async throws {
        let bytes: Data
        switch body {
        case nil: bytes = Data()
        case .data(let data): bytes = data
        case .source: return
        }
        let time = time()
        head.fields["X-Amz-Date"] = time
        let day = String(time.prefix(8))
        let scope = "\(day)/\(region)/\(service)/aws4_request"
        let (names, request) = canonical(head, bytes)
        let text = ["AWS4-HMAC-SHA256", time, scope, SHA256.hex(SHA256.hash(Data(request.utf8)))].joined(
            separator: "\n")
        let key = [day, region, service, "aws4_request"].reduce(Data("AWS4\(secret)".utf8)) {
            SHA256.authentication(of: $1, key: $0)
        }
        let signature = SHA256.hex(SHA256.authentication(of: text, key: key))
        head.fields["Authorization"] =
            "AWS4-HMAC-SHA256 Credential=\(keyID)/\(scope), SignedHeaders=\(names), Signature=\(signature)"
    }

    /// The names of the fields that are signed, and the canonical request.
    private func canonical(_ head: RequestHead, _ body: Data) -> (String, String) {
        var values = ["host": [head.url.host() ?? ""]]
        for field in head.fields {
            let name = field.name.lowercased()
            guard name == "content-type" || name.hasPrefix("x-amz-") || name.hasPrefix("my-") else { continue }
            values[name, default: []].append(field.value.split(separator: " ").joined(separator: " "))
        }
        let names = values.keys.sorted()
        let lines = names.map { "\($0):\((values[$0] ?? []).joined(separator: ","))" }
        let query = (head.url.query() ?? "").split(separator: "&").sorted().joined(separator: "&")
        let parts =
            [head.method, head.url.path(), query] + lines
            + ["", names.joined(separator: ";"), SHA256.hex(SHA256.hash(body))]
        return (names.joined(separator: ";"), parts.joined(separator: "\n"))
    }
}
