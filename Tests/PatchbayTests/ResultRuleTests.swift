#if os(Linux)
    import Foundation
    import Testing

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
                "func a<Value>(_ request: SessionRequest, as type: Value.Type) async throws(SessionError) -> Value",
                "func a<Value>(_ target: some URLReference, as type: Value.Type) async throws(SessionError) -> Reply<Value>",
                "func a(_ target: some URLReference) async throws(SessionError) -> any Sendable",
                "func a(_ target: some URLReference, success: @escaping (URL) -> Void, failure: () -> Void) -> SessionTask",
                "func download(_ target: some URLReference, to url: URL) async throws(SessionError) -> Reply<URL>",
                "func stream<Element>(_ request: SessionRequest, of type: Element.Type) async throws(SessionError) -> [Element]",
            ])
        func broken(_ declaration: String) throws {
            let call = try #require(Call(declaration))
            #expect(call.gives != call.expected)
        }

        /// A declaration of something that makes a call.
        private struct Call {
            enum Kind: CaseIterable { case request, target, download, stream, task, callback }

            let declaration: String
            let kind: Kind
            let gives: String

            /// Nil for what makes no call, or does not give what came of it in the way of the rule, but as a `Response`.
            init?(_ declaration: String) {
                func has(_ text: String) -> Bool { declaration.contains(text) }
                guard has("func "), has("SessionRequest") || has("URLReference"),
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
                        ? .stream : has("SessionRequest") ? .request : has("func download") ? .download : .target
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
                case .request, .callback: "Reply<\(value)>"
                case .task: "DataTask<\(value)>"
                case .target: isTyped ? "Value" : "Reply<any Sendable>"
                case .download: value
                case .stream:
                    "ResponseStream<\(declaration.contains("of type: Element.Type") ? "Element" : "any Sendable")>"
                }
            }
        }
    }
#endif
