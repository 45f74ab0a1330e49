// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because it needs libraries that Patchbay does not: scripts/bench and
// scripts/pins install them, build it and run it.

// The look-up and a single serializer are no public API: the programs that measure them see the names that Patchbay's own targets see.
// The package manager calls a package after its folder.
let checkout = Context.packageDirectory.split(separator: "/").dropLast().last ?? ""
let patchbay = String(checkout.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
let inside = SwiftSetting.unsafeFlags(["-package-name", patchbay])

let package = Package(
    name: "patchbay-benchmarks",
    platforms: [.macOS(.v15)],
    traits: [
        .default(enabledTraits: ["FastJSON"]),
        .trait(name: "FastJSON", description: "Measures Patchbay with its trait of this name."),
    ],
    dependencies: [
        .package(
            name: "patchbay", path: "..",
            traits: ["Images", .trait(name: "FastJSON", condition: .when(traits: ["FastJSON"]))])
    ],
    targets: [
        .executableTarget(
            name: "patchbay-benchmarks",
            dependencies: [
                .product(name: "Patchbay", package: "patchbay"), "CurlPeer", "ImagePeer", "Requests", "SimdjsonPeer",
            ],
            path: "Sources/Program", packageAccess: false, swiftSettings: [inside]),
        .executableTarget(
            name: "patchbay-cost",
            dependencies: [.product(name: "Patchbay", package: "patchbay"), "CurlPeer", "Requests"],
            path: "Sources/Cost"),
        .executableTarget(
            name: "patchbay-pins",
            dependencies: [
                .product(name: "Patchbay", package: "patchbay"), .product(name: "PatchbayTesting", package: "patchbay"),
                "PinnedCounts",
            ],
            path: "Sources/Pins", packageAccess: false, swiftSettings: [inside]),
        .target(name: "Requests", path: "Sources/Requests"),
        .executableTarget(name: "bare-program", path: "Sources/Bare"),
        .executableTarget(
            name: "hello", dependencies: [.product(name: "Patchbay", package: "patchbay")], path: "Sources/Hello"),
        .target(name: "CurlPeer", path: "Sources/Peers/CurlPeer", linkerSettings: [.linkedLibrary("curl")]),
        .target(
            name: "ImagePeer", path: "Sources/Peers/ImagePeer",
            linkerSettings: [
                .linkedLibrary("gdk_pixbuf-2.0"), .linkedLibrary("gobject-2.0"), .linkedLibrary("glib-2.0"),
            ]),
        .target(name: "SimdjsonPeer", path: "Sources/Peers/SimdjsonPeer", linkerSettings: [.linkedLibrary("simdjson")]),
        .target(name: "PinnedCounts", path: "Sources/Peers/PinnedCounts"),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
