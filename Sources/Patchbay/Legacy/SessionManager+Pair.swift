import Foundation
public import PatchbayManager
import PatchbayRegistry

extension SessionManager {
    /// Sends the request and answers as AFNetworking's completion handlers are answered: object, error, or both.
    ///
    /// The registry is asked for nothing but the policy's limit of the body; the serializer judges status and media type. A call
    /// that ends without a response has a `SessionError` as its error.
    public nonisolated(nonsending) func pair<Object: Sendable>(
        _ request: SessionRequest, _ serializer: LegacySerializer<Object>
    ) async -> LegacyPair<Object> {
        var request = request
        request.acceptableStatus = .any
        let response = await response(request, as: ResponseBody.self)
        if let error = response.error { return LegacyPair(object: nil, error: error as NSError) }
        return serializer.pair(response.head, response.body)
    }
}
