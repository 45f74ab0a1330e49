// The notifications that AFNetworking and Alamofire post, out of the events of a session.

public import Foundation
public import PatchbayManager
import PatchbayRegistry

/// Posts what happens to calls as notifications, under the names that AFNetworking or Alamofire post.
///
/// Add it to `SessionConfiguration.observers`. Each notification is posted on the main actor; its object is the `SessionTask`,
/// or nil where the manager is meant. A program whose main thread never comes to rest gets none.
///
/// AFNetworking's have the value and the bytes of the response, unless the main thread is so far behind that those of many calls
/// wait (`SessionEvent.body`). The error has no bytes and no value of its own: they stand beside it.
public struct NotificationObserver: SessionObserver {
    private let family: NotificationFamily
    private let center: NotificationCenter

    /// Posts under the names of one of the two, to a center.
    public init(_ family: NotificationFamily = .afNetworking, center: NotificationCenter = .default) {
        self.family = family
        self.center = center
    }

    public var wantsBodies: Bool { family == .afNetworking }

    /// Posts what the family has a name for, and returns when it is posted.
    public func observe(_ event: SessionEvent) async {
        let names = family.names(of: event)
        guard !names.isEmpty else { return }
        await MainActor.run {
            for name in names {
                center.post(name: name, object: event.task, userInfo: family.userInfo(of: event))
            }
        }
    }
}

/// Whose names and keys notifications have.
public enum NotificationFamily: Sendable, Hashable, CaseIterable {
    /// `com.alamofire.networking.…`; the user info of `taskDidComplete` has what the `NotificationKey`s name.
    case afNetworking
    /// `org.alamofire.notification.name.…`; the user info has the task.
    case alamofire

    func names(of event: SessionEvent) -> [Notification.Name] {
        switch (self, event.stage) {
        case (.afNetworking, .resumed): [.taskDidResume]
        case (.afNetworking, .suspended): [.taskDidSuspend]
        case (.afNetworking, .finished(.success)) where event.task?.kind == .download:
            [.downloadDidSaveFile, .taskDidComplete]
        case (.afNetworking, .finished(.failure(let error))) where error.code == .file:
            [.downloadDidFailToSaveFile, .taskDidComplete]
        case (.afNetworking, .finished): [.taskDidComplete]
        case (.afNetworking, .invalidated): [.sessionDidInvalidate]
        case (.alamofire, .resumed): Self.alamofireNames("Resume", task: "Resume")
        case (.alamofire, .suspended): Self.alamofireNames("Suspend", task: "Suspend")
        case (.alamofire, .cancelled): Self.alamofireNames("Cancel", task: "Cancel")
        case (.alamofire, .finished): Self.alamofireNames("Finish", task: "Complete")
        default: []
        }
    }

    func userInfo(of event: SessionEvent) -> [String: Any]? {
        if self == .alamofire { return event.task.map { [NotificationKey.request: $0] } }
        guard case .finished(let result) = event.stage else { return nil }
        var info: [String: Any] = [:]
        info[NotificationKey.serializedResponse] = event.value
        info[NotificationKey.responseData] = event.body?.data
        switch result {
        case .success(let reply):
            info[NotificationKey.responseSerializer] = reply.entry
            info[NotificationKey.metrics] = reply.timeline
            info[NotificationKey.assetPath] = event.value as? URL
        case .failure(let error):
            info[NotificationKey.error] = error
            info[NotificationKey.responseSerializer] = error.decision?.entry
        }
        return info
    }

    /// Alamofire tells a request from the tasks it makes; here they are one, so both are posted.
    private static func alamofireNames(_ request: String, task: String) -> [Notification.Name] {
        let prefix = "org.alamofire.notification.name.request.did"
        return [Notification.Name(prefix + request), Notification.Name(prefix + task + "Task")]
    }
}
