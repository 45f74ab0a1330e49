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
