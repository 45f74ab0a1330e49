import Foundation
import PatchbayJSON

/// What a decoder made of a text, in a form that can be compared: the value, or the kind and the place of the error.
enum Outcome: Equatable, CustomStringConvertible {
    case value(String)
    case failure(String, path: [String])

    init(_ decode: () throws -> Any) {
        do {
            self = .value(String(describing: try decode()))
        } catch let error as DecodingError {
            switch error {
            case .typeMismatch(_, let context): self = .failure("typeMismatch", context)
            case .valueNotFound(_, let context): self = .failure("valueNotFound", context)
            case .keyNotFound(let key, let context): self = .failure("keyNotFound \(key.stringValue)", context)
            case .dataCorrupted(let context): self = .failure("dataCorrupted", context)
            @unknown default: self = .failure("unknown", path: [])
            }
        } catch {
            self = .failure("\(type(of: error))", path: [])
        }
    }

    /// Whether this is the outcome of Foundation's decoder, but that its bad-data errors may stop short of the full path.
    func agrees(with theirs: Outcome) -> Bool {
        guard case .failure("dataCorrupted", let ours) = self, case .failure("dataCorrupted", let path) = theirs else {
            return self == theirs
        }
        return ours.starts(with: path)
    }

    private static func failure(_ kind: String, _ context: DecodingError.Context) -> Outcome {
        .failure(kind, path: context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue })
    }

    var description: String {
        switch self {
        case .value(let value): value
        case .failure(let kind, let path): "\(kind) at /\(path.joined(separator: "/"))"
        }
    }
}

/// One text to be decoded as one type by both decoders.
struct DecodingCase: Sendable, CustomStringConvertible {
    let name: String
    let text: String
    let ours: @Sendable (JSON.CodingOptions) -> Outcome
    let theirs: @Sendable (JSONDecoder) -> Outcome
    var description: String { "\(name): \(text)" }

    init<Value: Decodable & SendableMetatype>(_ type: Value.Type, _ text: String) {
        name = "\(type)"
        self.text = text
        ours = { options in Outcome { try JSON(parsing: text).decode(Value.self, options: options) } }
        theirs = { decoder in Outcome { try decoder.decode(Value.self, from: Data(text.utf8)) } }
    }
}
