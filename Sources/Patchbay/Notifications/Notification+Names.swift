public import Foundation

extension Notification.Name {
    /// A call was started, or goes on.
    public static let taskDidResume = Notification.Name("com.alamofire.networking.task.resume")
    /// A call was suspended.
    public static let taskDidSuspend = Notification.Name("com.alamofire.networking.task.suspend")
    /// A call ended, in whatever way; the user info says how.
    public static let taskDidComplete = Notification.Name("com.alamofire.networking.task.complete")
    /// A download has its file, under its name; `taskDidComplete` follows.
    public static let downloadDidSaveFile = Notification.Name(
        "com.alamofire.networking.session.download.file-manager-succeed")
    /// A download could not write its file, or not give it its name; `taskDidComplete` follows.
    public static let downloadDidFailToSaveFile = Notification.Name(
        "com.alamofire.networking.session.download.file-manager-error")
    /// A manager was invalidated and its last call has ended.
    public static let sessionDidInvalidate = Notification.Name("com.alamofire.networking.session.invalidate")
}
