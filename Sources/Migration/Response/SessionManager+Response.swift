public import PatchbayManager
public import PatchbayPlatform
import PatchbayRegistry

/// Calls that give a `Response` instead of throwing.
extension SessionManager {
    /// Sends the request; the value is of the given type, and without `as:` the registry decides what it is.
    ///
    /// `ResponseBody` as the type gives the response as it came, without a serializer.
    public nonisolated(nonsending) func response<Value: Sendable>(
        _ request: SessionRequest, as type: Value.Type = (any Sendable).self
    ) async -> Response<Value, SessionError> {
        do throws(SessionError) {
            return Response(try await send(request, as: type))
        } catch {
            return Response(error)
        }
    }

    /// Fetches a file; the value is its URL, once it has its name.
    public nonisolated(nonsending) func response(
        _ request: SessionRequest, to destination: DownloadDestination
    ) async -> Response<URL, SessionError> {
        do throws(SessionError) {
            return Response(try await download(request, to: destination))
        } catch {
            return Response(error)
        }
    }

    /// The same, and serializes the finished file, within the limits of its entry.
    public nonisolated(nonsending) func response<Value: Sendable>(
        _ request: SessionRequest, to destination: DownloadDestination, as type: Value.Type
    ) async -> Response<Download<Value>, SessionError> {
        do throws(SessionError) {
            return Response(try await download(request, to: destination, as: type))
        } catch {
            return Response(error)
        }
    }
}

extension Response where Failure == SessionError {
    init(_ reply: Reply<Value>) {
        self.init(
            request: reply.head.request, head: reply.head, body: reply.body, timeline: reply.timeline,
            result: .success(reply.value))
    }

    init(_ error: SessionError) {
        self.init(
            request: error.request, head: error.head, body: error.body, timeline: error.timeline,
            result: .failure(error))
    }
}
