/// A serializer that takes a body out of what it is wrapped in: encryption, an envelope, a prefix.
///
/// When its entry is chosen the look-up goes on with the entries behind it, over the bytes inside and under their media type.
/// The serializers there see a head with that type in place of the Content-Type received. Each entry unwraps once in a
/// look-up. A typed call goes through it whatever the type is, and Accept is derived as if it were not there.
public protocol UnwrappingSerializer: ResponseSerializer where Output == ResponseBody {
    /// The bytes inside and their media type, or any error: then the `onFailure` of the entry applies.
    func unwrap(_ body: ResponseBody, _ head: ResponseHead) throws -> (ResponseBody, MediaType)
}

extension UnwrappingSerializer {
    /// The bytes inside, for a caller that wants nothing more of them.
    public func serialize(_ body: ResponseBody, _ head: ResponseHead) throws -> ResponseBody {
        try unwrap(body, head).0
    }
}
