public import PatchbayManager
public import PatchbayParameters

extension FormRules {
    /// The defaults of Alamofire's encoder for `Encodable` forms: pairs are sorted, the elements of an array among them.
    public static var alamofire: FormRules {
        var rules = FormRules()
        rules.order = .pairs
        rules.dates = .deferred
        rules.nulls = .dropped
        return rules
    }
}

extension ParameterSerializer where Self == FormParameterSerializer {
    /// A form as Alamofire's `URLEncoding` sends it: the outermost names sorted, a charset in the type, and nothing at all where there
    /// are no parameters. That of its `URLEncodedFormParameterEncoder` is `.alamofireForm.with { $0.rules = .alamofire }`.
    public static var alamofireForm: FormParameterSerializer {
        var serializer = FormParameterSerializer(rules: .alamofire)
        serializer.rules.order = .outermostNames
        serializer.contentType += "; charset=utf-8"
        serializer.sendsEmptyForm = false
        return serializer
    }
}

extension RetryPolicy {
    /// The rules of Alamofire's `RetryPolicy`: two retries, after exactly 0.5 s and 1 s, whatever the response says, and none of
    /// status 429. A pause is a day at most.
    public static var alamofire: RetryPolicy {
        var policy = RetryPolicy()
        policy.statuses.remove(429)
        policy.spreadsPauses = false
        policy.obeysRetryAfter = false
        policy.maximumPause = .seconds(86_400)
        return policy
    }

    /// Tries again only where the connection was lost, before the response or in the middle of it; with Alamofire's pauses.
    public static var connectionLost: RetryPolicy {
        var policy = RetryPolicy.alamofire
        policy.statuses = []
        policy.transportFailures = [.lostConnection, .truncatedBody]
        policy.retriesIdleTimeouts = false
        return policy
    }
}

extension MultipartFormData.Throttle {
    /// What AFNetworking recommends for 3G networks: 16 KiB every 0.2 s.
    public static let cellular3G = MultipartFormData.Throttle(bytes: 16_384, delay: .milliseconds(200))
}
