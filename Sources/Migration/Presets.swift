public import PatchbayManager
import PatchbayPlatform
public import PatchbayRegistry

extension FormRules {
    /// The defaults of Alamofire's encoder for `Encodable` forms: pairs are sorted, including the elements of an array.
    public static var alamofire: FormRules {
        var rules = FormRules()
        rules.order = .pairs
        rules.dates = .deferred
        rules.nulls = .dropped
        return rules
    }
}

extension ParameterSerializer where Self == FormParameterSerializer {
    /// A form as Alamofire's `URLEncoding` sends it: the outermost names are sorted, the media type has a charset, and
    /// a request without parameters gets no body. For a form of Alamofire's `URLEncodedFormParameterEncoder`, use
    /// `.alamofireForm.with { $0.rules = .alamofire }`.
    public static var alamofireForm: FormParameterSerializer {
        var serializer = FormParameterSerializer(rules: .alamofire)
        serializer.rules.order = .outermostNames
        serializer.contentType += "; charset=utf-8"
        serializer.sendsEmptyForm = false
        return serializer
    }
}

extension RetryPolicy {
    /// The rules of Alamofire's `RetryPolicy`: two retries, after exactly 0.5 s and 1 s, without regard to
    /// `Retry-After`, and no retry after status 429. A pause lasts at most a day.
    public static var alamofire: RetryPolicy {
        var policy = RetryPolicy()
        policy.statuses.remove(429)
        policy.spreadsPauses = false
        policy.obeysRetryAfter = false
        policy.maximumPause = .seconds(86_400)
        return policy
    }

    /// Retries only a lost connection, before the response or in the middle of it, with Alamofire's pauses.
    public static var connectionLost: RetryPolicy {
        var policy = RetryPolicy.alamofire
        policy.statuses = []
        policy.transportFailures = [.lostConnection, .truncatedBody]
        policy.retriesIdleTimeouts = false
        return policy
    }
}

extension HeaderFields {
    /// These fields sorted by name, ignoring ASCII case. Values of one name keep their order.
    public func sortedByName() -> HeaderFields {
        HeaderFields(
            enumerated().sorted { left, right in
                let names = (left.element.name.lowercased(), right.element.name.lowercased())
                return names.0 == names.1 ? left.offset < right.offset : names.0 < names.1
            }.map(\.element))
    }
}

/// A limit for the speed at which a form is read.
public struct Throttle: Sendable, Hashable {
    /// The maximum number of bytes of one read.
    public var bytes: Int
    /// The wait after each read.
    public var delay: Duration

    /// Waits for `delay` after each read of up to `bytes`.
    public init(bytes: Int, delay: Duration) {
        self.bytes = bytes
        self.delay = delay
    }

    /// AFNetworking's recommendation for 3G networks: 16 KiB every 0.2 s.
    public static let cellular3G = Throttle(bytes: 16_384, delay: .milliseconds(200))
}

extension Throttle: CustomStringConvertible {
    /// `16,384 bytes every 0.2 seconds`
    public var description: String { "\(ByteCount(bytes)) every \(delay)" }
}

extension MultipartFormData {
    /// The limit of the speed at which the form is read; nil for no limit.
    public var throttle: Throttle? {
        get { pace.map { Throttle(bytes: $0.bytes, delay: $0.delay) } }
        set { pace = newValue.map { ($0.bytes, $0.delay) } }
    }

    /// Appends the bytes of a source. `make` is called whenever the form is sent. Without a length the request is sent
    /// chunked.
    public mutating func append(
        length: Int64?, name: String, fileName: String? = nil, type: MediaType? = nil,
        source make: @escaping @Sendable () throws -> any RequestBodySource
    ) {
        append(length: length, name: name, fileName: fileName, type: type?.description, source: make)
    }
}
