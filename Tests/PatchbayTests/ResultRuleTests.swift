#if os(Linux)
    import Foundation
    import Testing
    import PatchbayMigration

    /// The one rule for what a call gives, which stands at `SessionManager`, held against the declarations of the modules.
    @Suite(.timeLimit(.minutes(5)))
    struct ResultRuleTests {
        @Test("What a call gives follows from what it is made with, for every call there is")
        func everyCall() async throws {
            let symbols = try await SymbolGraph.all(of: ["PatchbayManager", "Patchbay", "PatchbayMigration"]).flatMap(
                \.symbols)
            let calls = symbols.map(\.declaration).compactMap { Call($0) }
            #expect(calls.count > 50)
            for kind in Call.Kind.allCases { #expect(calls.contains { $0.kind == kind }, "\(kind)") }
            for call in calls { #expect(call.gives == call.expected, "\(call.declaration)") }
        }

        @Test(
            "A declaration that breaks the rule is seen",
            arguments: [
                "func send<Value>(_ request: SessionRequest, as type: Value.Type) async throws(SessionError) -> Value",
                "func get<Value>(_ target: String, as type: Value.Type) async throws(SessionError) -> Reply<Value>",
                "func post(_ target: String, parameters: Parameters?) async throws(SessionError) -> any Sendable",
                "func head(_ target: String) async throws(SessionError) -> Reply<any Sendable>",
                "func a(_ target: String, success: @escaping (URL) -> Void, failure: () -> Void) -> SessionTask",
                "func download(_ target: String, to url: URL) async throws(SessionError) -> URL",
                "func stream<Element>(_ request: SessionRequest, of type: Element.Type) async throws(SessionError) -> [Element]",
            ])
        func broken(_ declaration: String) throws {
            let call = try #require(Call(declaration))
            #expect(call.gives != call.expected)
        }

        /// A declaration of something that makes a call.
        private struct Call {
            enum Kind: CaseIterable { case verb, head, send, download, stream, task, callback }

            let declaration: String
            let kind: Kind
            let gives: String

            /// Nil for what makes no call, or does not give what came of it in the way of the rule, but as a `Response`.
            init?(_ declaration: String) {
                func has(_ text: String) -> Bool { declaration.contains(text) }
                guard has("func "), has("SessionRequest") || has("target: String"),
                    let arrow = declaration.range(
                        of: "-> ", options: .backwards)
                else { return nil }
                self.declaration = declaration
                let result = declaration[arrow.upperBound...]
                gives =
                    has("success: ")
                    ? Self.handed(declaration)
                    : String(result[..<(result.range(of: " where ")?.lowerBound ?? result.endIndex)])
                if has("success: ") {
                    kind = .callback
                } else if gives.hasPrefix("DataTask<") {
                    kind = .task
                } else if has("throws(SessionError)"), SymbolGraph.Symbol.isAsync(declaration) {
                    kind =
                        has("func stream")
                        ? .stream
                        : has("func send")
                            ? .send
                            : has("func download")
                                ? .download : has("func head") && !has("parameters: ") ? .head : .verb
                } else {
                    return nil
                }
            }

            /// What the callback for success is given.
            private static func handed(_ declaration: String) -> String {
                guard let start = declaration.range(of: "success: "),
                    let open = declaration[start.upperBound...].range(of: "("),
                    let close = declaration[open.upperBound...].range(of: ") ->")
                else { return "" }
                return String(declaration[open.upperBound..<close.lowerBound])
            }

            var expected: String {
                let isTyped = declaration.contains("as type: Value.Type")
                let isDownload = declaration.contains("func download")
                let value =
                    isDownload ? isTyped ? "Download<Value>" : "URL" : isTyped ? "Value" : "any Sendable"
                return switch kind {
                case .send, .download, .callback: "Reply<\(value)>"
                case .task: "DataTask<\(value)>"
                case .verb: isTyped ? "Value" : "Reply<any Sendable>"
                case .head: "ResponseHead"
                case .stream: "ResponseStream<Element>"
                }
            }
        }
    }
#endif
