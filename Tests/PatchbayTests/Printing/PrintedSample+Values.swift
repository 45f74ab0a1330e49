import Foundation
import Patchbay
import PatchbayMigration
import PatchbayRegistry
import TestSupport
import Testing

@testable import PatchbayManager

extension PrintedSample {
    /// What describes a registry, a request or a transfer, and the like.
    static func values() throws -> [PrintedSample] {
        let start = Date(timeIntervalSince1970: 0)
        var timings = ExchangeTimings()
        timings.nameLookup = .milliseconds(12)
        timings.firstByte = .milliseconds(120)
        timings.total = .milliseconds(131)
        timings.httpVersion = "2"
        timings.reusedConnection = true
        let fired = OneShot()
        fired.fire()
        let film = URL(filePath: "/home/ada/film.mp4")
        let url = URL(filePath: "/home/ada/dump.csv")
        let response = ResponseHead(status: 200, fields: [:], url: url, request: RequestHead(url: url))
        let registry = try SerializerRegistry(
            sources: [
                ManifestSource.text(
                    #"{ "manifestVersion": 1, "plugins": [{ "id": "j", "factory": "json", "match": { "types": ["@json"] } }] }"#,
                    name: "Plugins.json")
            ], factories: .standard)
        let route = try #require(registry.routes(host: nil).first)
        var policy = SerializerRegistry.Policy()
        policy.noMatch = .entry("json")
        let issue = try #require(throws: ManifestFailure.self) {
            try SerializerRegistry(sources: [.text("[]", name: "a.json")], factories: .standard)
        }
        let unknown = try #require(throws: JSON.UnknownKeysFailure.self) {
            try JSON(parsing: #"{"a": 1}"#).decodeRefusingUnknownKeys(Named.self)
        }
        return [
            PrintedSample(
                "CallTimeline", CallTimeline(start: start, ended: .milliseconds(120)),
                "latency 0.120 s, request 0.120 s, serialization 0.000 s, total 0.120 s"),
            PrintedSample(
                "ExchangeTimings", timings,
                "name 0.012 s, first byte 0.120 s, total 0.131 s, HTTP/2, connection used again"),
            PrintedSample("OneShot", fired, "fired"),
            PrintedSample(
                "TransferProgress", TransferProgress(completedBytes: 5_000, totalBytes: 10_000),
                "5,000 of 10,000 bytes"),
            PrintedSample(
                "TransferProgress", TransferProgress(completedBytes: 1, totalBytes: nil, isFinished: true),
                "1 byte, finished"),
            PrintedSample("Download", Download(file: film, value: ["word": "hush"] as JSON), "film.mp4, JSON"),
            PrintedSample("DownloadDestination", DownloadDestination.file(film), "film.mp4"),
            PrintedSample("DownloadDestination", DownloadDestination.folder(film), "a file in film.mp4"),
            PrintedSample("DownloadDestination", DownloadDestination.temporary, "a temporary file"),
            PrintedSample("SuggestedFileName", SuggestedFileName(response), "dump.csv"),
            PrintedSample("RetryDecision", RetryDecision.retryAfter(.seconds(1)), "try again after 1.0 seconds"),
            PrintedSample(
                "RetryDecision", RetryDecision.doNotRetryWithError(AuthenticationFailure.missingCredential),
                "do not try again: there is no credential"),
            PrintedSample("SessionError.Code", SessionError.Code.status, "status"),
            PrintedSample("FormatFailure.Code", FormatFailure.Code.malformed, "malformed"),
            PrintedSample(
                "FormatFailure",
                FormatFailure("csv", .malformed, "it is no row", line: 3, cause: Quoting(word: PrintedSample.secret)),
                "csv, line 3: it is no row"),
            PrintedSample("TransportFailure.Code", TransportFailure.Code.lostConnection, "lostConnection"),
            PrintedSample("JSON.UnknownKeysFailure.Key", unknown.keys[0], "/a: unknown key (known here: name)"),
            PrintedSample("LegacyPair", LegacyPair<JSON>(object: ["word": "hush"], error: nil), "JSON, no error"),
            PrintedSample(
                "LegacyPair", LegacyPair<JSON>(object: nil, error: NSError(domain: "a", code: -1011)),
                "no object, error -1011"),
            PrintedSample(
                "SerializationResult",
                SerializationResult<JSON>(outcome: .entry, value: ["word": "hush"], entry: "json", attempts: []),
                "JSON, made by json"),
            PrintedSample("SerializerRegistry", registry, "registry \(registry.digest): j"),
            PrintedSample(
                "ManifestFailure.Issue", try #require(registry.notes.first { $0.message.contains("form") }),
                #"factories: no entry uses the factory "form""#),
            PrintedSample("RegistryEntry", route, "j: @json with status any"),
            PrintedSample(
                "RegistryEntry.Availability", RegistryEntry.Availability.switchedOff,
                "switched off"),
            PrintedSample(
                "SerializerRegistry.Policy", policy,
                "noMatch: json; missingContentType: raw; invalidContentType: raw; acceptableStatus: 2XX; "
                    + "empty: HEAD or 204, 205, 304, otherwise empty; at most 67,108,864 bytes; accept: derived; "
                    + "requestContentType: application/json; cache: standard"),
            PrintedSample("SerializerRegistry.Policy.Fallback", policy.noMatch, "json"),
            PrintedSample(
                "SerializerRegistry.Policy.EmptyBody", policy.empty, "HEAD or 204, 205, 304, otherwise empty"),
            PrintedSample("ManifestSource", ManifestSource.text("[]", name: "a.json"), "a.json, 2 bytes"),
            PrintedSample("ManifestSource", ManifestSource.file(URL(filePath: "/home/ada/a.json")), "a.json"),
            PrintedSample("ManifestFailure.Issue", issue.issues[0], issue.description),
            PrintedSample("SerializerFactories", SerializerFactories(), ""),
            PrintedSample(
                "LookupOverride",
                LookupOverride(using: .entry("json"), excluding: ["b", "a"], acceptableStatus: .successful),
                "using the entry json, without a, b, accepting 2XX"),
            PrintedSample("LookupOverride", LookupOverride.none, "no change"),
            PrintedSample("LookupOverride.Using", LookupOverride.Using.entry("json"), "the entry json"),
            PrintedSample("SessionRequest.Using", SessionRequest.Using.entry("json"), "the entry json"),
            PrintedSample(
                "SessionRequest.Using",
                SessionRequest.Using.factory("text", options: ["x-key": JSON(PrintedSample.secret)]),
                "the factory text"),
            PrintedSample("WantedValue", WantedValue.type(JSON.self), "JSON"),
            PrintedSample(
                "Decision.Candidate", try #require(registry.explain(contentType: "a/b").candidates.first),
                "j: declined: a/b is outside @json"),
        ]
    }

    private struct Quoting: Error {
        let word: String
    }

    private struct Named: Decodable {
        let name: String?
    }
}
