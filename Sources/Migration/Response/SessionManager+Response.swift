public import PatchbayManager
public import PatchbayPlatform
import PatchbayRegistry

/// Calls that return a `Response` instead of throwing.
extension SessionManager {
    /// Sends the request. The value is of the given type; without `as:` the registry decides its type.
    ///
    /// For the type `ResponseBody` the value is the body as received, without a serializer.
    public nonisolated(nonsending) func response<Value: Sendable>(
        _ request: SessionRequest, as type: Value.Type = (any Sendable).self
    ) async -> Response<Value, SessionError> {
        do throws(SessionError) {
            return Response(try await send(request, as: type))
        } catch {
            return Response(error)
        }
    }

    /// Downloads to a file. The value is the URL of the file under its final name.
    public nonisolated(nonsending) func response(
        _ request: SessionRequest, to destination: DownloadDestination
    ) async -> Response<URL, SessionError> {
        do throws(SessionError) {
            return Response(try await download(request, to: destination))
        } catch {
            return Response(error)
        }
    }

    /// Downloads to a file and serializes the finished file, within the limits of its entry.
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
