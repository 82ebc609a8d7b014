// swift-tools-version:6.0
// SwiftPM is for development and tests; CMakeLists.txt builds what ships.
import PackageDescription

/// The library must survive dlopen, fork checks and static linking of the Swift runtime, so it links neither
/// Swift Concurrency nor Dispatch nor string processing: their implicit imports are off.
let libraryFlags: [SwiftSetting] = [
    .unsafeFlags([
        "-Xfrontend", "-disable-implicit-concurrency-module-import",
        "-Xfrontend", "-disable-implicit-string-processing-module-import",
    ])
]

/// What CMakeLists.txt builds with, so that benchmarks measure what ships: without the first flag a generic type of one
/// room, as `Window` is, runs unspecialised in all others, four times as slowly.
let releaseFlags: [SwiftSetting] = [
    .unsafeFlags(["-cross-module-optimization", "-enforce-exclusivity=unchecked"], .when(configuration: .release))
]

/// Tests run many seeds and stories, and take a third of the time when what they test is optimised (SM_OPTIMIZED). Its
/// assertions and the check of exclusive access stay.
/// `isHot`: optimised. A room that neither seeds nor stories use is not: it compiles in a third of the time so.
func testFlags(isHot: Bool) -> [SwiftSetting] {
    if Context.environment["SM_OPTIMIZED"] == nil { return [] }
    let optimised = isHot ? ["-O", "-assert-config", "Debug"] : []
    return [.unsafeFlags(["-wmo", "-num-threads", "2"] + optimised, .when(configuration: .debug))]
}

/// A room of the library: plain Swift over system C libraries.
/// `place`: shelf and name below Sources/, "Base/SyncJSON".
func room(_ place: String, _ dependencies: [Target.Dependency], isHot: Bool = true) -> Target {
    .target(
        name: String(place.split(separator: "/")[1]), dependencies: dependencies, path: "Sources/" + place,
        swiftSettings: libraryFlags + releaseFlags + testFlags(isHot: isHot))
}

/// The tests of one room, under the same name.
func tests(of room: String, _ more: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .testTarget(
        name: room + "Tests", dependencies: [.init(stringLiteral: room), "TestSupport"] + more, exclude: exclude,
        swiftSettings: testFlags(isHot: false))
}

let package = Package(
    name: "syncmanager",
    products: [
        .library(name: "syncmanager", type: .dynamic, targets: ["SyncManager"]),
        .library(name: "syncmanager-testing", type: .dynamic, targets: ["SyncTesting"]),
        .executable(name: "syncmanager-server", targets: ["syncmanager-server"]),
        .executable(name: "syncmanager-inspect", targets: ["syncmanager-inspect"]),
    ],
    targets: [
        .systemLibrary(name: "CSQLite", path: "Sources/C/CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CJansson", path: "Sources/C/CJansson", providers: [.apt(["libjansson-dev"])]),
        .systemLibrary(name: "CCurl", path: "Sources/C/CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CWslay", path: "Sources/C/CWslay", providers: [.apt(["libwslay-dev"])]),
        .systemLibrary(name: "CMicrohttpd", path: "Sources/C/CMicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CZlib", path: "Sources/C/CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CLinux", path: "Sources/C/CLinux"),
        .systemLibrary(name: "CSyncManager", path: "Sources/C/CSyncManager"),

        room("Base/SyncBytes", ["CLinux"]),
        room("Base/SyncJSON", ["SyncBytes", "CJansson", "CLinux"]),
        room("Base/SyncSQLite", ["SyncBytes", "CSQLite", "CLinux"]),
        room("Client/SyncModel", ["SyncJSON", "SyncBytes"]),
        room("Base/SyncTree", ["SyncJSON", "SyncBytes"]),
        room("Base/SyncText", []),
        room("Client/SyncRealtime", ["SyncTree", "SyncModel", "SyncJSON", "SyncBytes"]),
        room("Client/SyncStore", ["SyncModel", "SyncSQLite", "SyncText", "SyncJSON", "SyncBytes", "CLinux"]),
        room("Client/SyncStreams", ["SyncTree", "SyncModel", "SyncJSON", "SyncBytes"]),
        room("Client/SyncResources", ["SyncStreams", "SyncTree", "SyncModel", "SyncJSON", "SyncBytes"]),
        room(
            "Client/SyncEngine",
            [
                "SyncModel", "SyncStore", "SyncStreams", "SyncRealtime", "SyncResources", "SyncTree", "SyncJSON",
                "SyncBytes",
            ]),
        room("Client/SyncSendbird", ["SyncModel", "SyncJSON", "SyncBytes"]),
        room("Client/SyncMatrix", ["SyncModel", "SyncJSON", "SyncBytes"], isHot: false),
        room("Base/SyncWebSocket", ["SyncBytes", "CWslay", "CLinux"]),
        room("Base/SyncThreads", ["CLinux"], isHot: false),
        room("Client/SyncNetwork", ["SyncBytes", "SyncWebSocket", "SyncThreads", "CCurl", "CLinux"], isHot: false),
        room(
            "Client/SyncManager",
            [
                "SyncEngine", "SyncStreams", "SyncStore", "SyncSendbird", "SyncMatrix", "SyncNetwork",
                "SyncWebSocket", "SyncThreads", "SyncRealtime", "SyncResources", "SyncTree", "SyncModel", "SyncJSON",
                "SyncBytes", "CLinux", "CSyncManager",
            ]),
        room("Client/SyncInspect", ["SyncStore", "SyncModel", "SyncSQLite", "SyncBytes", "CLinux"], isHot: false),
        room("Server/ServerBase", ["SyncJSON", "SyncBytes", "CLinux"]),
        room("Server/ServerChat", ["ServerBase", "SyncSQLite", "SyncJSON", "SyncBytes"]),
        room("Server/ServerHTTP", ["ServerBase", "SyncWebSocket", "SyncJSON", "SyncBytes", "CMicrohttpd", "CLinux"]),
        room(
            "Server/ServerRealtime",
            ["ServerHTTP", "ServerBase", "SyncTree", "SyncJSON", "SyncBytes", "SyncWebSocket"]),
        room("Server/ServerRoutes", ["ServerChat", "ServerHTTP", "ServerBase", "SyncJSON", "SyncBytes"]),
        room(
            "Server/ServerTools",
            ["ServerChat", "ServerRealtime", "ServerHTTP", "ServerBase", "SyncTree", "SyncJSON", "SyncBytes", "CZlib"]),
        room(
            "Server/SyncServer",
            [
                "ServerRoutes", "ServerTools", "ServerChat", "ServerRealtime", "ServerHTTP", "ServerBase",
                "SyncWebSocket", "SyncSQLite", "SyncTree", "SyncJSON", "SyncBytes", "CLinux",
            ]),
        // Devices, network and server in one process, in virtual time: for the simulation and for tests of programs.
        room(
            "Testing/SyncSimulation",
            ["SyncManager", "SyncServer", "SyncNetwork", "SyncModel", "SyncJSON", "SyncBytes"]),
        room(
            "Testing/SyncTesting",
            ["SyncSimulation", "SyncManager", "SyncServer", "SyncNetwork", "SyncThreads", "SyncModel", "SyncJSON"],
            isHot: false),
        .executableTarget(
            name: "syncmanager-server", dependencies: ["SyncServer"], path: "Sources/Server/syncmanager-server",
            swiftSettings: libraryFlags),
        .executableTarget(
            name: "syncmanager-inspect", dependencies: ["SyncInspect"], path: "Sources/Client/syncmanager-inspect",
            swiftSettings: libraryFlags),
        .executableTarget(
            name: "sync-benchmark", dependencies: ["SyncEngine", "SyncStore", "SyncSendbird", "SyncModel"],
            path: "benchmarks/engine", swiftSettings: libraryFlags + releaseFlags),
        .executableTarget(
            name: "stream-benchmark", dependencies: ["SyncStreams", "SyncModel"],
            path: "benchmarks/streams", swiftSettings: libraryFlags + releaseFlags),

        // What tests of several rooms use.
        .target(
            name: "TestSupport", dependencies: ["SyncSendbird", "SyncSimulation", "SyncModel", "SyncBytes"],
            path: "Tests/TestSupport", swiftSettings: testFlags(isHot: true)),
        tests(of: "SyncBytes"),
        tests(of: "SyncJSON"),
        tests(of: "SyncModel", ["SyncBytes"]),
        tests(of: "SyncTree", ["SyncJSON"]),
        tests(of: "SyncText"),
        tests(of: "SyncSQLite"),
        tests(of: "SyncRealtime", ["SyncTree", "SyncModel", "SyncServer"]),
        tests(of: "SyncStore", ["SyncModel", "SyncSQLite", "SyncText", "SyncBytes", "CSQLite"], exclude: ["Fixtures"]),
        tests(of: "SyncStreams", ["SyncTree", "SyncModel", "SyncJSON"]),
        tests(of: "SyncResources", ["SyncStreams", "SyncTree", "SyncModel", "SyncJSON", "SyncBytes"]),
        tests(
            of: "SyncEngine",
            ["SyncSendbird", "SyncStore", "SyncRealtime", "SyncTree", "SyncModel", "SyncBytes", "CSQLite"]),
        tests(of: "SyncSendbird"),
        tests(of: "SyncMatrix", ["SyncModel", "SyncJSON", "SyncBytes"]),
        tests(of: "SyncWebSocket"),
        tests(of: "SyncThreads"),
        // The server is built to be run as a program of its own.
        tests(of: "SyncNetwork", ["SyncWebSocket", "syncmanager-server"]),
        tests(of: "SyncManager", ["SyncEngine", "SyncStore", "SyncTree", "SyncModel", "SyncThreads", "SyncJSON"]),
        tests(of: "ServerRoutes", ["ServerChat", "ServerHTTP", "ServerBase", "SyncJSON", "SyncBytes"]),
        tests(of: "SyncServer", ["ServerChat", "ServerBase", "SyncTree", "SyncJSON", "SyncBytes"]),
        // The whole stack but threads and sockets, in virtual time: docs/dev/simulation.md.
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "SyncEngine", "SyncStreams", "SyncSendbird", "SyncStore", "SyncRealtime", "SyncResources", "SyncTree",
                "SyncModel", "SyncSQLite", "SyncJSON", "SyncServer", "SyncManager", "SyncNetwork", "SyncSimulation",
                "TestSupport", "CSQLite",
            ],
            swiftSettings: testFlags(isHot: true)),
    ],
    swiftLanguageModes: [.v6]
)
