// Posts the notifications of AFNetworking and Alamofire for the events of a session.

public import Foundation
public import PatchbayManager
import PatchbayRegistry

/// Posts the events of calls as notifications, under the names that AFNetworking or Alamofire use.
///
/// Add the observer to `SessionConfiguration.observers`. Each notification is posted on the main actor. Its object is
/// the `SessionTask`, or nil for an event of the manager. A program whose main thread is always busy gets no
/// notifications.
///
/// AFNetworking's notifications have the value and the bytes of the response, unless the main thread is so slow that
/// the bodies of many calls wait (`SessionEvent.body`). The error itself has no bytes and no value: the user info has
/// the bytes and the value under separate keys.
public struct NotificationObserver: SessionObserver {
    private let family: NotificationFamily
    private let center: NotificationCenter

    /// Posts to a center, under the names of one library.
    public init(_ family: NotificationFamily = .afNetworking, center: NotificationCenter = .default) {
        self.family = family
        self.center = center
    }

    public var wantsBodies: Bool { family == .afNetworking }

    /// Posts the event if the family has a name for it, and returns after the post.
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

/// The library whose names and keys the notifications have.
public enum NotificationFamily: Sendable, Hashable, CaseIterable {
    /// `com.alamofire.networking.…`; the user info of `taskDidComplete` has the values under the `NotificationKey`s.
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

    /// Alamofire has one notification for a request and one for its task. In this library the request and its task are
    /// one object, so both notifications are posted.
    private static func alamofireNames(_ request: String, task: String) -> [Notification.Name] {
        let prefix = "org.alamofire.notification.name.request.did"
        return [Notification.Name(prefix + request), Notification.Name(prefix + task + "Task")]
    }
}
