// What somebody writes who comes from AFNetworking or Alamofire: built beside `Calls.swift`, in Swift 5 and Swift 6 mode. Nothing here
// is run.
import Foundation
import Patchbay
import PatchbayMigration

func callbacks(
    _ manager: SessionManager, _ url: URL, _ title: String, _ page: Int, _ draft: Draft?, _ form: MultipartFormData
) {
    manager.get(url, as: User.self, success: { _ in }, failure: { _ in })
    manager.get("search", query: ["q": "a"], success: { _ in }, failure: { _ in })
    manager.post("posts", parameters: ["title": "Tea"]) { _ in
    } failure: { _ in
    }
    manager.post("posts", parameters: ["title": title, "page": page]) { _ in
    } failure: { _ in
    }
    manager.post("posts", as: User.self, parameters: draft, success: { _ in }, failure: { _ in })
    manager.put("posts/1", multipart: form, success: { _ in }, failure: { _ in })
    manager.task(SessionRequest("a")).whenDone { _ in }.resume()
}

func responses(_ manager: SessionManager) async -> Response<User, SessionError> {
    // No call of one name is in the way of the other.
    _ = try? await manager.get("users/1", as: User.self)
    return await manager.response(SessionRequest("users/1"), as: User.self)
}

func settings(_ configuration: inout SessionConfiguration) {
    configuration.requestSerializer = .alamofireForm.with { $0.rules.arrays = .noBrackets }
    configuration.interceptors = [RetryPolicy.alamofire]
    configuration.observers = [NotificationObserver()]
}
