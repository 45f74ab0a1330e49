import Foundation
import Patchbay
import PatchbayMigration

/// Ways in which callers hand on what a call throws: functions of their own that are on their caller's actor, or on none.
extension Row {
    static let ways = [
        Row("through a function that throws SessionError") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await forwarded(ending.manager)
        },
        Row("through a function that throws any error") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await forwardedUntyped(ending.manager)
        },
        Row("through a function that throws SessionError, typed") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await forwarded(ending.manager, as: [Int].self)
        },
        Row("through a function that awaits a task's reply") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await forwardedReply(ending.manager)
        },
        Row("through a function that writes a form") { here, ending in
            let file = Ending.newFile()
            try ending == .failure ? Data().write(to: file) : ()
            defer { here.preconditionIsolated() }
            try await forwardedForm(to: file)
        },
        Row("through a function that stands on no actor") { here, ending in
            defer { here.preconditionIsolated() }
            _ = try await elsewhere(ending.manager)
        },
        Row("through a generic function on the caller's actor that throws what it is given") { here, ending in
            let manager = ending.manager
            defer { here.preconditionIsolated() }
            _ = try await onCaller { () async throws(SessionError) in try await manager.send("x") }
        },
        Row("through a generic function on no actor that throws what it is given") { here, ending in
            let manager = ending.manager
            defer { here.preconditionIsolated() }
            _ = try await onNone { () async throws(SessionError) in try await manager.send("x") }
        },
        Row("through a generic function with an isolation parameter") { here, ending in
            let manager = ending.manager
            defer { here.preconditionIsolated() }
            _ = try await isolated { () async throws(SessionError) in try await manager.send("x") }
        },
        Row("through a function that rethrows") { here, ending in
            let manager = ending.manager
            defer { here.preconditionIsolated() }
            _ = try await rethrown { try await manager.send("x") }
        },
        Row("through two functions that throw what they are given") { here, ending in
            let manager = ending.manager
            defer { here.preconditionIsolated() }
            _ = try await rethrown {
                try await onCaller { () async throws(SessionError) in try await manager.send("x") }
            }
        },
        Row("in a task that inherits the actor") { here, ending in
            let manager = ending.manager
            let task = Task {
                _ = here
                defer { here.preconditionIsolated() }
                _ = try await manager.send("x")
            }
            defer { here.preconditionIsolated() }
            try await task.value
        },
        Row("by async let") { here, ending in
            let manager = ending.manager
            defer { here.preconditionIsolated() }
            async let reply = manager.send("x")
            _ = try await reply
        },
        Row("in a task group") { here, ending in
            let manager = ending.manager
            defer { here.preconditionIsolated() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await manager.send("x") }
                try await group.waitForAll()
            }
        },
        Row("with a handler for cancellation") { here, ending in
            let manager = ending.manager
            defer { here.preconditionIsolated() }
            _ = try await withTaskCancellationHandler {
                try await manager.send("x")
            } onCancel: {
            }
        },
        Row("one after the other, the error of the first caught") { here, ending in
            let manager = ending.manager
            defer { here.preconditionIsolated() }
            _ = try? await manager.send("x")
            here.preconditionIsolated()
            _ = try await manager.send("x")
        },
        Row("caught as a SessionError") { here, ending in
            do throws(SessionError) {
                _ = try await ending.manager.send("x")
                here.preconditionIsolated()
            } catch {
                here.preconditionIsolated()
                throw error
            }
        },
    ]

    private nonisolated(nonsending) static func forwarded(
        _ manager: SessionManager
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await manager.send("x")
    }

    private nonisolated(nonsending) static func forwardedUntyped(
        _ manager: SessionManager
    ) async throws -> Reply<any Sendable> {
        try await manager.send("x")
    }

    private nonisolated(nonsending) static func forwarded<Value: Sendable>(
        _ manager: SessionManager, as type: Value.Type
    ) async throws(SessionError) -> Value {
        try await manager.get("x", as: type)
    }

    private nonisolated(nonsending) static func forwardedReply(
        _ manager: SessionManager
    ) async throws(SessionError) -> Reply<any Sendable> {
        try await manager.task(SessionRequest("x")).resume().reply
    }

    private nonisolated(nonsending) static func forwardedForm(to file: URL) async throws {
        try await MultipartFormData().write(to: file)
    }

    @concurrent
    private static func elsewhere(_ manager: SessionManager) async throws(SessionError) -> Reply<any Sendable> {
        try await manager.send("x")
    }

    private nonisolated(nonsending) static func onCaller<Value, Failure: Error>(
        _ body: nonisolated(nonsending) () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await body()
    }

    @concurrent
    private static func onNone<Value: Sendable, Failure: Error>(
        _ body: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await body()
    }

    private static func isolated<Value, Failure: Error>(
        on actor: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await body()
    }

    private nonisolated(nonsending) static func rethrown<Value>(
        _ body: nonisolated(nonsending) () async throws -> Value
    ) async rethrows -> Value {
        try await body()
    }
}
