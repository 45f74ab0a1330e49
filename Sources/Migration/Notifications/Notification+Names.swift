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

/// The keys of the user info of notifications.
public enum NotificationKey {
    /// The value, of whatever type; for a status that is not acceptable, what was made of its body. Missing, as the bytes are,
    /// where the main thread was too far behind.
    public static let serializedResponse = "com.alamofire.networking.task.complete.serializedresponse"
    /// The id of the entry that made the value, a `String`: the one that was used.
    public static let responseSerializer = "com.alamofire.networking.task.complete.responseserializer"
    /// The bytes of the body, a `Data`.
    public static let responseData = "com.alamofire.networking.complete.finish.responsedata"
    /// The `SessionError`.
    public static let error = "com.alamofire.networking.task.complete.error"
    /// Where the file of a download is, a `URL`; missing where a value was made of the file.
    public static let assetPath = "com.alamofire.networking.task.complete.assetpath"
    /// The `Timeline`, in the place of the platform's own metrics.
    public static let metrics = "com.alamofire.networking.complete.sessiontaskmetrics"
    /// The `SessionTask`, in Alamofire's notifications.
    public static let request = "org.alamofire.notification.key.request"
}
