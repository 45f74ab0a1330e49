import PatchbayRegistry

/// The head of a stored response, and the times of its exchange.
struct StoredHead: Sendable {
    /// The statuses whose responses can be fresh without an explicit time (RFC 9110, section 15.1). Partial responses
    /// are not stored.
    private static let heuristicStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
    /// The statuses that are understood, for `must-understand`: the final ones of RFC 9110 without 206 and 304.
    private static let understoodStatuses = Set(200...205).union(300...303).union(305...308).union(400...417)
        .union([421, 422, 426]).union(500...505)
    /// The fields of one connection (RFC 9111, section 3.1), and the age, which is counted on.
    private static let unstoredFields = [
        "Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade", "TE", "Trailer", "Age",
        "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
    ]
    /// The fields by which a cache and a reader decide.
    private static let decidingFields = [
        "Cache-Control", "Vary", "Date", "Expires", "ETag", "Last-Modified", "Content-Type", "Content-Encoding",
    ]
    /// The fields of the stored body, which a validation doesn't change.
    private static let bodyFields = ["Content-Length", "Content-Encoding", "Content-Range"]
    private static let mostFields = 1_000
    /// The most seconds for which a response without an explicit time is fresh.
    private static let longestGuess = 86_400

    let status: Int
    /// Without the fields of the connection.
    let fields: HeaderFields
    /// The fields of the request that select the response, and their values.
    let variant: Variant
    /// When the response was made, by the clock of this system (RFC 9111, section 4.2.3), in seconds since 1970.
    let born: Double
    /// When the response arrived, in seconds since 1970.
    let received: Double

    init(_ status: Int, _ fields: HeaderFields, _ variant: Variant, born: Double, received: Double) {
        (self.status, self.fields, self.variant) = (status, fields, variant)
        (self.born, self.received) = (born, received)
    }

    /// The head of a response that was received.
    /// - Parameters:
    ///   - rule: whether a response without an explicit time can be fresh.
    ///   - sent: when the request was sent, in seconds since 1970.
    /// - Throws: the reason that the response is not stored.
    init(
        _ status: Int, _ fields: HeaderFields, to request: CacheRequest, _ rule: SerializerRegistry.Policy.CacheRule,
        sent: Double, received: Double
    ) throws(Refusal) {
        let directives = CacheDirectives(fields)
        let isUnderstood = !directives.has("must-understand") || Self.understoodStatuses.contains(status)
        guard (200...599).contains(status), status != 206, status != 304, isUnderstood else {
            throw Refusal("status \(status)")
        }
        guard directives.has("must-understand") || !directives.has("no-store") else { throw Refusal("no-store") }
        guard let variant = request.variant(of: fields) else { throw Refusal("Vary") }
        // Each validation can add some.
        guard fields.count <= Self.mostFields else { throw Refusal("too many fields") }
        let date = fields["Date"].flatMap { Self.seconds($0, received) } ?? received
        let age = fields.members(of: "Age").first.flatMap(CacheDirectives.seconds) ?? 0
        // Both clocks and the time of the exchange count against the response.
        born = received - max(received - date, Double(age) + max(received - sent, 0), 0)
        (self.status, self.received, self.variant) = (status, received, variant)
        let named = (directives.names(of: "no-cache") ?? []) + fields.members(of: "Connection")
        // A server can't take from the cache what it decides by.
        self.fields = fields.without(Self.unstoredFields + named.filter { !Self.decides($0) })
        // What can neither be fresh nor be validated is of no use.
        let (freshness, isValidatable) = (freshness, fields["ETag"] != nil || fields["Last-Modified"] != nil)
        guard freshness.lifetime(rule) > 0 || isValidatable || freshness.staleIfError ?? 0 > 0 else {
            throw Refusal("no lifetime and no validator")
        }
    }

    func age(_ now: Double) -> Int { (now - born).wholeSeconds }

    /// How long the response is fresh (RFC 9111, section 4.2.1). `s-maxage` is for shared caches.
    var freshness: Freshness {
        let directives = CacheDirectives(fields)
        let date = fields["Date"].flatMap { Self.seconds($0, received) } ?? received
        var (lifetime, isGuessed) = (0, false)
        if let seconds = directives.seconds("max-age") {
            lifetime = seconds
        } else if let expires = fields["Expires"] {
            // What is no date, such as 0, has passed. So has one of two dates.
            lifetime =
                fields.onlyValue(for: "Expires") == nil
                ? 0 : Self.seconds(expires, received).map { max(0, ($0 - date).wholeSeconds) } ?? 0
        } else if Self.heuristicStatuses.contains(status) || directives.has("public"),
            let modified = fields["Last-Modified"].flatMap({ Self.seconds($0, received) })
        {
            (lifetime, isGuessed) = (min(max(0, ((date - modified) / 10).wholeSeconds), Self.longestGuess), true)
        }
        return Freshness(
            explicit: isGuessed ? 0 : lifetime, guessed: lifetime,
            mustValidate: directives.names(of: "no-cache").map { $0.isEmpty || $0.contains(where: Self.decides) }
                == true,
            allowsStale: !directives.has("must-revalidate") && !directives.has("no-cache"),
            staleIfError: directives.seconds("stale-if-error"))
    }

    private static func decides(_ name: String) -> Bool {
        decidingFields.contains { HeaderFields.matches($0, name) }
    }

    private static func seconds(_ date: String, _ now: Double) -> Double? {
        HTTPDate.secondsOfAnyForm(date) { now }.map { Double($0) }
    }

    // MARK: Validation

    /// Whether a response of status 304, or one to HEAD, is about this one (RFC 9111, section 4.3.4).
    func isMeant(by other: HeaderFields) -> Bool {
        func opaque(_ tag: [UInt8]) -> ArraySlice<UInt8> { tag.starts(with: [0x57, 0x2F]) ? tag[2...] : tag[...] }
        guard let tag = other.text(for: "ETag")?.octets else {
            return other["Last-Modified"] == nil || other["Last-Modified"] == fields["Last-Modified"]
        }
        return fields.text(for: "ETag").map { opaque($0.octets) == opaque(tag) } == true
    }

    /// The fields after a validation with these fields.
    func fields(validatedBy other: HeaderFields) -> HeaderFields {
        var fields = fields
        // The date and the age of the stored response are not those of the validation.
        fields["Date"] = nil
        fields.replace(with: other.without(Self.bodyFields))
        return fields
    }

    /// The fields of the response when it answers a request without a validation.
    func aged(_ now: Double) -> HeaderFields {
        var fields = fields
        fields.append("\(max(0, age(now)))", for: "Age")
        return fields
    }
}

/// How long a response is fresh, and what may be done with it afterwards.
struct Freshness: Sendable {
    /// The seconds that the response names; 0 if it names none.
    let explicit: Int
    /// The same, or a guess by the age of the content when the response was made.
    let guessed: Int
    /// Whether the response is only used after the server was asked (`no-cache`).
    let mustValidate: Bool
    /// Whether a stale response may be used at all.
    let allowsStale: Bool
    /// For how many seconds a stale response may be used if the server can't answer; nil if the response doesn't say.
    let staleIfError: Int?

    func lifetime(_ rule: SerializerRegistry.Policy.CacheRule) -> Int { rule == .explicit ? explicit : guessed }

    /// For how many more seconds the response is fresh enough for a request, by RFC 9111, section 5.2.1. Negative if the
    /// request accepts a stale response; nil if the server has to be asked.
    func timeToLive(at age: Int, for request: CacheDirectives, _ rule: SerializerRegistry.Policy.CacheRule) -> Int? {
        guard !mustValidate, !request.has("no-cache") else { return nil }
        let lifetime = lifetime(rule)
        // The request can ask for a younger response, or for one that stays fresh for a time.
        guard age < request.seconds("max-age") ?? .max else { return nil }
        guard lifetime - age - (request.seconds("min-fresh") ?? 0) <= 0 else { return lifetime - age }
        let isAccepted = allowsStale && request.has("max-stale") && age - lifetime <= request.staleness
        return isAccepted ? lifetime - age : nil
    }

    /// Whether a response that is not fresh may be used because the server can't answer (RFC 5861, section 4).
    func isOfUse(at age: Int, _ rule: SerializerRegistry.Policy.CacheRule) -> Bool {
        allowsStale && staleIfError.map { age - lifetime(rule) <= $0 } == true
    }
}

extension Double {
    /// The whole seconds, within 30 million years.
    fileprivate var wholeSeconds: Int { isNaN ? 0 : Int(Swift.min(Swift.max(self, -1e15), 1e15)) }
}
