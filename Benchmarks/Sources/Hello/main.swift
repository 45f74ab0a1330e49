// What scripts/weight weighs: a program that makes one typed request.
import Patchbay

struct User: Decodable, Sendable { let id: Int, name: String }

let user = try await SessionManager().get(CommandLine.arguments.last ?? "", as: User.self)
print("\(user.name) is number \(user.id)")
