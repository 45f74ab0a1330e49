import TestSupport

/// What the examples of the README and the guide print, for tests to compare.
enum Printed {
    @TaskLocal static var lines = Shared<[String]>([])
}

func print(_ item: Any) { Printed.lines.withLock { $0.append("\(item)") } }
