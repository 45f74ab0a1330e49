// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "patchbay",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        // A product has the same targets on every platform. On Apple's systems other than macOS, PatchbayCurl needs no
        // function of libcurl, and says that there is none.
        .library(
            name: "Patchbay",
            targets: [
                "Patchbay", "PatchbayJSON", "PatchbayRegistry", "PatchbayPlugins", "PatchbayManager", "PatchbayCurl",
            ]),
        .library(name: "PatchbayURLSession", targets: ["PatchbayURLSession"]),
        .library(name: "PatchbayMigration", targets: ["PatchbayMigration"]),
        .library(name: "PatchbayTesting", targets: ["PatchbayTesting"]),
        .executable(name: "patchbay", targets: ["PatchbayCLI"]),
    ],
    traits: [
        .trait(name: "FastJSON", description: "Parses JSON on Linux with simdjson (libsimdjson-dev)."),
        .trait(name: "Images", description: "Decodes images on Linux with gdk-pixbuf (libgdk-pixbuf-2.0-dev)."),
    ],
    targets: [
        .target(name: "PatchbayPlatform", dependencies: ["CPatchbayFiles"], path: "Sources/Platform"),
        .target(name: "CPatchbayFiles", path: "Sources/C/CPatchbayFiles"),
        .target(
            name: "PatchbayJSON",
            dependencies: [
                "PatchbayPlatform",
                .target(name: "CPatchbaySimdjson", condition: .when(platforms: [.linux], traits: ["FastJSON"])),
            ], path: "Sources/JSON"),
        .target(
            name: "CPatchbaySimdjson", path: "Sources/C/CPatchbaySimdjson",
            cxxSettings: [.define("PATCHBAY_FASTJSON", .when(platforms: [.linux], traits: ["FastJSON"]))],
            linkerSettings: [.linkedLibrary("simdjson", .when(platforms: [.linux], traits: ["FastJSON"]))]),
        .target(
            name: "PatchbayRegistry", dependencies: ["PatchbayPlatform", "PatchbayJSON"], path: "Sources/Registry"),
        .target(
            name: "PatchbayPlugins",
            dependencies: [
                "PatchbayPlatform", "PatchbayRegistry", "PatchbayJSON", "CPatchbayLibxml2",
                .target(name: "CPatchbayGdkPixbuf", condition: .when(platforms: [.linux], traits: ["Images"])),
            ], path: "Sources/Plugins"),
        .target(
            name: "CPatchbayGdkPixbuf", path: "Sources/C/CPatchbayGdkPixbuf",
            cSettings: [.define("PATCHBAY_IMAGES", .when(platforms: [.linux], traits: ["Images"]))]),
        .target(
            name: "CPatchbayLibxml2", path: "Sources/C/CPatchbayLibxml2",
            linkerSettings: [
                // On Linux it is libxml2.so.2, which this target loads.
                .linkedLibrary("xml2", .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS]))
            ]),
        .target(
            name: "PatchbayCodings", dependencies: ["PatchbayRegistry"], path: "Sources/Transports/Codings"),
        .target(
            name: "PatchbayManager",
            dependencies: ["PatchbayPlatform", "PatchbayRegistry", "PatchbayJSON", "PatchbayCodings"],
            path: "Sources/Manager"),
        .target(
            name: "CPatchbayCurl", path: "Sources/C/CPatchbayCurl",
            linkerSettings: [
                // On Linux it is libcurl.so.4, which Swift's own Foundation needs too; this target loads it.
                .linkedLibrary("curl", .when(platforms: [.macOS]))
            ]),
        .target(
            name: "PatchbayCurl",
            dependencies: [
                "PatchbayPlatform", "PatchbayManager", "PatchbayRegistry", "PatchbayCodings", "CPatchbayCurl",
            ], path: "Sources/Transports/Curl"),
        .target(
            name: "PatchbayURLSession",
            dependencies: ["PatchbayPlatform", "PatchbayManager", "PatchbayRegistry", "PatchbayCodings"],
            path: "Sources/Transports/URLSession"),
        .target(
            name: "Patchbay",
            dependencies: [
                "PatchbayPlatform", "PatchbayJSON", "PatchbayRegistry", "PatchbayPlugins", "PatchbayManager",
                .target(name: "PatchbayCurl", condition: .when(platforms: [.linux])),
                .target(
                    name: "PatchbayURLSession",
                    condition: .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
            ], path: "Sources/Patchbay"),
        .target(
            name: "PatchbayMigration",
            dependencies: [
                "PatchbayPlatform", "PatchbayManager", "PatchbayPlugins", "PatchbayRegistry", "PatchbayJSON",
                "PatchbayCodings",
                .target(name: "PatchbayCurl", condition: .when(platforms: [.linux, .macOS])),
            ],
            path: "Sources/Migration"),
        .target(
            name: "PatchbayTesting",
            dependencies: ["PatchbayPlatform", "PatchbayManager", "PatchbayRegistry", "PatchbayJSON"],
            path: "Sources/Testing"),
        .target(
            name: "PatchbayTools",
            dependencies: ["PatchbayPlatform", "PatchbayJSON", "PatchbayRegistry", "PatchbayPlugins"],
            path: "Sources/Tools"),
        .executableTarget(
            name: "PatchbayCLI", dependencies: ["PatchbayPlatform", "Patchbay", "PatchbayTools"],
            path: "Sources/CLI"),
        .executableTarget(
            name: "CBOR", dependencies: ["Patchbay", "PatchbayTesting"], path: "Examples/CBOR", exclude: ["cbor.json"],
            packageAccess: false),
        .executableTarget(
            name: "CustomHandler", dependencies: ["Patchbay", "PatchbayTesting"], path: "Examples/CustomHandler"),
        .executableTarget(
            name: "OrderByManifest", dependencies: ["Patchbay", "PatchbayTesting"], path: "Examples/OrderByManifest",
            exclude: ["json-first.json", "text-first.json"]),
        .executableTarget(name: "PerHost", dependencies: ["Patchbay", "PatchbayTesting"], path: "Examples/PerHost"),
        .target(
            name: "Adapters",
            dependencies: [
                "Patchbay", "StandInTracing", "StandInLogging", "StandInMetrics", "StandInHTTPTypes",
                "StandInOpenAPIRuntime", "StandInMCP",
            ], path: "Examples/Adapters", packageAccess: false),
        .target(name: "StandInTracing", path: "Examples/StandIns/Tracing"),
        .target(name: "StandInLogging", path: "Examples/StandIns/Logging"),
        .target(name: "StandInMetrics", path: "Examples/StandIns/Metrics"),
        .target(name: "StandInHTTPTypes", path: "Examples/StandIns/HTTPTypes"),
        .target(
            name: "StandInOpenAPIRuntime", dependencies: ["StandInHTTPTypes"], path: "Examples/StandIns/OpenAPIRuntime"),
        .target(name: "StandInMCP", dependencies: ["StandInLogging"], path: "Examples/StandIns/MCP"),
        .target(name: "TestSupport", dependencies: ["PatchbayManager", "PatchbayRegistry"], path: "Tests/Support"),
        .testTarget(name: "JSONTests", dependencies: ["PatchbayJSON", "TestSupport"]),
        .testTarget(name: "RegistryTests", dependencies: ["PatchbayRegistry", "PatchbayTools", "TestSupport"]),
        .testTarget(
            name: "PluginsTests",
            dependencies: [
                "PatchbayPlugins", "PatchbayMigration", "PatchbayTesting", "PatchbayTools", "CPatchbayLibxml2",
                "TestSupport",
            ]),
        .testTarget(name: "ImagesTests", dependencies: ["PatchbayPlugins", "PatchbayTesting", "TestSupport"]),
        .testTarget(
            name: "ManagerTests",
            dependencies: ["PatchbayManager", "PatchbayPlugins", "PatchbayTesting", "TestSupport"]),
        .target(name: "CTestResolver", path: "Tests/Resolver"),
        .target(name: "CTestFaults", path: "Tests/Faults"),
        .testTarget(
            name: "CurlTests",
            dependencies: [
                "PatchbayCurl", "PatchbayCodings", "Patchbay", "PatchbayMigration", "PatchbayTesting", "TestSupport",
                "CTestResolver", "CTestFaults",
            ]),
        .testTarget(
            name: "URLSessionTests",
            dependencies: [
                "PatchbayURLSession", "PatchbayCurl", "Patchbay", "PatchbayMigration", "PatchbayTesting", "TestSupport",
                "CTestResolver",
            ]),
        .executableTarget(
            name: "CallerIsolation",
            dependencies: [
                "Patchbay", "PatchbayCurl", "PatchbayMigration", "PatchbayURLSession", "PatchbayTesting", "TestSupport",
            ],
            path: "Tests/CallerIsolation"),
        .testTarget(
            name: "PatchbayTests",
            dependencies: [
                "Patchbay", "PatchbayCurl", "PatchbayMigration", "PatchbayTesting", "PatchbayTools", "TestSupport",
                "CallerIsolation",
            ]),
        .testTarget(
            name: "MigrationTests", dependencies: ["PatchbayMigration", "Patchbay", "PatchbayTesting", "TestSupport"]),
        .testTarget(name: "TestingTests", dependencies: ["PatchbayTesting", "PatchbayRegistry", "TestSupport"]),
        .testTarget(
            name: "CLITests",
            dependencies: ["PatchbayCLI", "Patchbay", "PatchbayMigration", "PatchbayTools", "TestSupport"]),
        .testTarget(name: "ProgramTests", dependencies: ["Patchbay", "TestSupport"]),
        .testTarget(name: "IntegrationTests", dependencies: ["Patchbay", "PatchbayMigration", "TestSupport"]),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "Adapters", "CBOR", "CustomHandler", "OrderByManifest", "PerHost", "Patchbay", "PatchbayTesting",
                "StandInTracing", "StandInLogging", "StandInMetrics", "StandInHTTPTypes", "StandInOpenAPIRuntime",
                "StandInMCP", "TestSupport",
            ],
            exclude: ["NewPackage"]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

// scripts/check sets it, so that Benchmarks, which has built these modules for release, builds the program too.
if Context.environment["PATCHBAY_CALLER_ISOLATION"] != nil {
    package.products.append(.executable(name: "CallerIsolation", targets: ["CallerIsolation"]))
}

// scripts/test sets it for the build with all traits, which has only the tests of what a trait can change.
if let names = Context.environment["PATCHBAY_TEST_TARGETS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

// One set for all: what a later language mode asks for.
for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}

// scripts/test sets it: the tests ask these so much that optimised code saves more time than the optimiser takes.
if let names = Context.environment["PATCHBAY_OPTIMIZED"]?.split(separator: " ").map(String.init) {
    for target in package.targets where names.contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-O"]))
    }
}
