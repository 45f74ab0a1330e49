public import Foundation
public import PatchbayManager

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
