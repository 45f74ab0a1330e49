import Patchbay
import PatchbayPlatform

/// Prints what a command found, in the format that was asked for.
struct Printer: Sendable {
    let console: Console
    let format: CommonOptions.Format
    /// Whether decisions are printed on standard error.
    let explains: Bool

    init(_ console: Console, _ options: CommonOptions) {
        self.console = console
        format = options.format
        explains = options.explains
    }

    /// One JSON document.
    func print(_ document: JSON) throws(CommandFailure) {
        try console.print(document.serialized(pretty: true))
    }

    /// The report as JSON, or its value as text: text and bytes as they came, nothing for an empty body.
    func print(_ report: Report, _ value: (any Sendable)?) throws(CommandFailure) {
        guard format == .text else { return try print(report.json) }
        switch value {
        case nil, is EmptyValue: return
        case let body as ResponseBody: try console.print(raw: Array(body.data))
        case let text as String: try console.print(asItCame: text)
        case let value?: try console.print(PrintedValue(value).text)
        }
    }

    /// One element of a stream: as JSON on a line of its own, or as text: pieces of bytes as they came.
    func print(element: any Sendable) throws(CommandFailure) {
        switch element {
        case let data as Data where format == .text: try console.print(raw: Array(data))
        case let text as String where format == .text: try console.print(text)
        default: try console.print(PrintedValue(element).json.serialized())
        }
    }

    func explain(_ decision: Decision?) {
        if explains, let decision { console.note(decision.description) }
    }
}
