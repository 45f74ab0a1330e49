import Dispatch
import Foundation
import Patchbay
import PatchbayMigration

/// What the guide for those who come from AFNetworking or Alamofire shows of Patchbay, for `GuideTests` to compare.
enum GuideExamples {
    struct Login: Encodable { let name: String }
    struct Complaint: Decodable { let reason: String }
    struct NoETag: Error {}
    struct SignIn {
        func renew(_ old: BearerScheme.Credential) async throws -> BearerScheme.Credential { old }
    }

    static func request(_ server: URL) async throws {
        let manager = SessionManager(baseURL: server)
        let user = try await manager.get("users/1", as: User.self)  // the status is checked
        let reply = try await manager.send("users/1")  // no type: the response decides it
        print(user.name, (reply.value as? JSON)?["name"]?.string ?? "nobody")
    }

    static func callback(_ manager: SessionManager) {
        manager.get(
            "users/1", as: User.self,
            success: { reply in print(reply.value.name) },
            failure: { error in print(error) })
    }

    @MainActor final class Screen {
        var name = ""
        func show(_ error: SessionError) { name = "\(error)" }
    }

    @MainActor static func mainActor(_ manager: SessionManager, _ screen: Screen) {
        manager.get(
            "users/1", as: User.self,
            success: { reply in MainActor.assumeIsolated { screen.name = reply.value.name } },
            failure: { error in MainActor.assumeIsolated { screen.show(error) } })
    }

    static func parameters(
        _ manager: SessionManager, _ configuration: inout SessionConfiguration, _ login: Login, _ title: String,
        _ page: Int, _ note: String?
    ) async throws {
        // A form by AFNetworking's rules: tags[]=green&tags[]=hot&title=Tea, with the brackets escaped
        _ = try await manager.post("posts", parameters: ["title": "Tea", "tags": ["green", "hot"]])
        _ = try await manager.get("search", parameters: ["q": "tea", "page": 2])  // the same pairs, in the query
        let hits = try await manager.get("search", as: [User].self, parameters: ["q": "tea"])  // as: before parameters:
        _ = try await manager.post("posts", parameters: ["title": title, "page": page, "note": note])  // variables
        _ = try await manager.post("sessions", parameters: login)  // what an Encodable value encodes
        _ = try await manager.send(SessionRequest("sessions", body: login))  // JSON, for this call
        var request = SessionRequest("POST", "posts", parameters: ["title": title, "page": page])
        request.serializer = .json  // JSON parameters, for this call
        _ = try await manager.send(request)
        _ = try await manager.send("search?page=2", query: ["q": "green tea"])  // ?page=2&q=green%20tea
        configuration.requestSerializer = .json  // JSON, for every call of managers made with it
        configuration.requestSerializer = .alamofireForm  // a form by Alamofire's rules
        configuration.requestSerializer = .alamofireForm.with { $0.rules.arrays = .noBrackets }  // by rules of yours
        print(hits.count)
    }

    enum Router {
        case list(page: Int)
        case show(id: String)
        case create(Login)

        func request() -> SessionRequest {
            switch self {
            case .list(let page): SessionRequest("users", query: ["page": page])
            case .show(let id): SessionRequest("users/{id}", path: ["id": id])
            case .create(let login): SessionRequest("users", body: login)  // a POST
            }
        }
    }

    static func routed(_ manager: SessionManager) async throws -> User {
        let user = try await manager.send(Router.show(id: "7").request(), as: User.self).value
        return user
    }

    static func failure(_ manager: SessionManager) async throws {
        do throws(SessionError) {
            _ = try await manager.get("users/2", as: User.self)
        } catch {
            guard error.head?.status == 404 else { throw error }
            print(error.value ?? "no body")  // decoded by the registry
            print(try error.decode(as: Complaint.self).reason)  // or as a type of yours
        }
    }

    static func order(_ server: URL) async throws {
        let file = URL(filePath: "/etc/patchbay/overlay.json")  // the manifest above, as a file
        let registry = try SerializerRegistry([.file(file)])  // over the standard table
        let manager = SessionManager(baseURL: server, registry: registry)
        let reply = try await manager.send("page")
        print(reply.entry ?? "raw", reply.decision)  // the entry that made the value, and what each entry said
    }

    static func mislabelled(_ manager: SessionManager) async throws -> String {
        var request = SessionRequest("users/1")
        request.using = .entry("json")
        let user = try await manager.send(request, as: User.self).value
        return user.name
    }

    static func decoder(_ manager: SessionManager) async throws -> User {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        var request = SessionRequest("users/1")
        request.using = .serializer(JSONSerializer(decoder: decoder))
        let user = try await manager.send(request, as: User.self).value
        return user
    }

    static func serializer(_ manager: SessionManager) async throws {
        let lines = ClosureResponseSerializer { body, _ in body.data.count { $0 == UInt8(ascii: "\n") } }
        var request = SessionRequest("log")
        request.using = .serializer(lines)
        let count = try await manager.send(request, as: Int.self).value
        // Several serializers over one response, at any time:
        let reply = try await manager.send("log")
        let (again, text) = (try reply.serialize(with: lines), try reply.decode(as: String.self))
        print("\(count) \(again) \(text)")
    }

    static func validation() throws -> SessionRequest {
        var request = SessionRequest("report")
        request.acceptableStatus = ["200-203", 404]  // in place of the policy's 2XX
        request.responseValidators = [
            .contentType(["application/json"]),
            ResponseValidator { head, _ in
                guard head.fields["ETag"] != nil else { throw NoETag() }
            },
        ]
        return request
    }

    static func upload(_ manager: SessionManager, _ film: URL, _ photo: URL, _ png: Data) async throws {
        try await manager.upload(.file(film), to: "films")
        var form = MultipartFormData()
        form.append("Tea", name: "title")
        form.append(file: photo, name: "photo")  // read while it is sent, never held whole
        form.append(png, name: "thumbnail", fileName: "small.png", type: "image/png")  // bytes
        try await manager.upload(.multipart(form), to: "photos")
        try await manager.upload(.multipart(form), to: "photos/1", method: "PUT")  // any method
        var request = SessionRequest("films", method: "POST", content: .file(film))  // for all it can be told
        request.onUploadProgress = { progress in print(progress) }
        _ = try await manager.send(request)
        let call = manager.uploadTask(request).resume()  // goes on by itself
        _ = try await call.reply
    }

    static func download(_ manager: SessionManager, _ folder: URL, _ films: URL) async throws -> URL {
        let request = SessionRequest("releases/latest")
        let destination = DownloadDestination.folder(folder).creatingFolders().replacingFile()
        let file = try await manager.download(request, to: destination).value
        // Chosen by the head. The closure may block. The options are those of the destination that it returns, except resumable().
        let chosen = DownloadDestination.chosen { head in
            head.fields["X-Kind"] == "film" ? .folder(films) : .folder(folder)
        }
        print(chosen)
        return file
    }

    static func resume(_ manager: SessionManager, _ request: SessionRequest, _ film: URL) async throws -> URL {
        do throws(SessionError) {
            return try await manager.download(request, to: .file(film).resumable()).value
        } catch {
            guard let rest = error.resumption else { throw error }  // Codable: the program can store it
            return try await manager.download(request, to: .file(film).resuming(rest)).value
        }
    }

    static func progress(_ show: @escaping @Sendable (Double) -> Void) -> SessionRequest {
        var request = SessionRequest("film")
        request.onDownloadProgress = { progress in show(progress.fractionCompleted ?? 0) }  // ends at exactly 1
        return request
    }

    static func interceptors(_ configuration: inout SessionConfiguration, _ signIn: SignIn) {
        let token = BearerScheme.Credential(token: "abc", refreshToken: "def", expires: Date() + 3600)
        let bearer = BearerScheme { old in try await signIn.renew(old) }  // before it expires, and after a 401
        configuration.interceptors = [AuthenticationInterceptor(bearer, credential: token), RetryPolicy.alamofire]
        var policy = RetryPolicy()
        policy.limit = 5  // at most five retries
        policy.maximumPause = .seconds(120)  // a longer Retry-After ends the call
        configuration.interceptors[1] = policy
        configuration.interceptors.append(
            ClosureInterceptor(
                adapt: { request in
                    var request = request
                    request.headers["X-Request-Id"] = UUID().uuidString
                    return request
                },
                retry: { _, error in error.head?.status == 425 ? .retryAfter(.seconds(5)) : .doNotRetry }))
    }

    static func redirects(
        _ configuration: inout SessionConfiguration, _ ask: @escaping @Sendable (String) -> Bool
    ) {
        configuration.redirects = RedirectHandler { next, head in
            next.fields["X-From"] = head.url.host()
            return ask(next.url.absoluteString)  // may block
        }
        configuration.maximumRedirects = 5
        configuration.credentialFields.append("X-Session")  // dropped at another origin, like Authorization
    }

    static func cache(_ configuration: inout SessionConfiguration) -> SessionRequest {
        configuration.cache = .memory(bytes: 32 << 20)  // or .folder(url, bytes: 1 << 30), which outlives the program
        var request = SessionRequest("users/1")
        request.headers["Cache-Control"] = "max-stale"  // for all requests: configuration.headers
        return request
    }

    @MainActor final class Picture {
        private(set) var bytes: Data?  // the view shows UIImage(data: bytes), or its placeholder
        private(set) var isLoading = false  // the view starts and stops its spinner
        private var loading: Task<Void, Never>?

        func load(_ target: String, _ manager: SessionManager) {
            loading?.cancel()  // the picture of the row that the cell had before
            (bytes, isLoading) = (nil, true)
            loading = Task {
                let picture = try? await manager.get(target, as: Data.self)
                guard !Task.isCancelled else { return }
                (bytes, isLoading) = (picture, false)
            }
        }
    }

    static func observers(_ configuration: inout SessionConfiguration) {
        configuration.observers = [
            ClosureObserver { event in
                guard case .finished(let result) = event.stage, let task = event.task else { return }
                print(task, (try? result.get())?.timeline.serialized ?? .zero)
            },
            NotificationObserver(),  // posts com.alamofire.networking.task.complete and the others
        ]
    }

    static func task(_ manager: SessionManager, _ queue: DispatchQueue) {
        let call = manager.task(SessionRequest("users/1"), as: User.self)
        call.whenDone(on: queue) { result in print(result) }  // any number of times, also after the end
        call.resume()  // and then `try await call.reply`
        call.task.suspend()
        call.task.resume()
        call.cancel()
    }

    static func pair(_ manager: SessionManager) async {
        let pair = await manager.pair(SessionRequest("users/2"), .json)
        if let error = pair.error, error.hasCode(LegacyError.statusCode, in: LegacyError.domain) {
            print(pair.object?["message"]?.string ?? "no message")  // a 404 and its JSON
        }
    }
}
