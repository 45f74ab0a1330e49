public import Foundation

extension Notification.Name {
    /// A call was started or resumed.
    public static let taskDidResume = Notification.Name("com.alamofire.networking.task.resume")
    /// A call was suspended.
    public static let taskDidSuspend = Notification.Name("com.alamofire.networking.task.suspend")
    /// A call ended; the user info has the result.
    public static let taskDidComplete = Notification.Name("com.alamofire.networking.task.complete")
    /// A download has saved its file under its final name; `taskDidComplete` follows.
    public static let downloadDidSaveFile = Notification.Name(
        "com.alamofire.networking.session.download.file-manager-succeed")
    /// A download could not write or name its file; `taskDidComplete` follows.
    public static let downloadDidFailToSaveFile = Notification.Name(
        "com.alamofire.networking.session.download.file-manager-error")
    /// A manager was invalidated and its last call has ended.
    public static let sessionDidInvalidate = Notification.Name("com.alamofire.networking.session.invalidate")
}

/// The keys of the user info of notifications.
public enum NotificationKey {
    /// The value, of any type; for a status that is not acceptable, the value that was made of its body. The value and
    /// the bytes are missing if the main thread was so slow that too many events waited.
    public static let serializedResponse = "com.alamofire.networking.task.complete.serializedresponse"
    /// The id of the entry that was used, a `String`.
    public static let responseSerializer = "com.alamofire.networking.task.complete.responseserializer"
    /// The bytes of the body, a `Data`.
    public static let responseData = "com.alamofire.networking.complete.finish.responsedata"
    /// The `SessionError`.
    public static let error = "com.alamofire.networking.task.complete.error"
    /// The `URL` of the file of a download; missing if a value was made of the file.
    public static let assetPath = "com.alamofire.networking.task.complete.assetpath"
    /// The `CallTimeline`, instead of the platform's metrics.
    public static let metrics = "com.alamofire.networking.complete.sessiontaskmetrics"
    /// The `SessionTask`, in Alamofire's notifications.
    public static let request = "org.alamofire.notification.key.request"
}
