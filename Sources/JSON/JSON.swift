public struct JSON: Sendable, Hashable { public static let null = JSON() }
