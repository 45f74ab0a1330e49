import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One text in every content coding, made with other programs than libcurl.
struct CodedBody: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The value of Content-Encoding.
    let coding: String
    let bytes: [UInt8]

    private init(_ name: String, coding: String? = nil, _ lines: String...) {
        testDescription = name
        self.coding = coding ?? name
        bytes = Data(base64Encoded: lines.joined()).map { Array($0) } ?? []
    }

    /// The last coding by its plain name, and what it makes of other bytes.
    var stored: String { storing.rawValue }
    func store(_ bytes: [UInt8]) -> [UInt8] { storing.code(bytes) }
    private var storing: StoredCoding {
        StoredCoding.allCases.first { coding.hasSuffix($0.rawValue) } ?? .gzip
    }

    static let text = (0..<40).map { "line \($0) of the same words\n" }.joined()

    static let all = [
        CodedBody(
            "gzip",
            "H4sIAAAAAAACA3XTSwoCUQxFwbmryBJM4nc5gq9RaG2wBbcvzq3xGd0Kme/PEdtYpnjfRqyXx4jP8rqum/kXUqEUWmGnsFc4",
            "KBwVTgpnDvR0bk+OT65Pzk/uTwIkBZIESYOiQfn+NCgaFA2KBkWDokHRoGjQNGgatJ+ABk2DpkHToGnQNOh/Bl8Dt/ZEBgQA",
            "AA=="),
        CodedBody(
            "deflate",
            "eJx100sKAlEMRcG5q8gSTOJ3OYKvUWhtsAW3L86t8RndCpnvzxHbWKZ430asl8eIz/K6rpv5F1KhFFphp7BXOCgcFU4KZw70",
            "dG5Pjk+uT85P7k8CJAWSBEmDokH5/jQoGhQNigZFg6JB0aBo0DRoGrSfgAZNg6ZB06Bp0DTofwZfu3hXqA=="),
        CodedBody(
            "raw deflate", coding: "deflate",
            "ddNLCgJRDEXBuavIEkzidzmCr1FobbAFty/OrfEZ3QqZ788R21imeN9GrJfHiM/yuq6b+RdSoRRaYaewVzgoHBVOCmcO9HRu",
            "T45Prk/OT+5PAiQFkgRJg6JB+f40KBoUDYoGRYOiQdGgaNA0aBq0n4AGTYOmQdOgadA06H8GXw=="),
        CodedBody(
            "br",
            "GwUEAIzUTnfiTFQ6OCQNsL1OKpi9IQ4OABoeqTCDSIKNMb5bENq1veq6V2oSSxKIJDKFhpaO/on5P2A0mS02tnb0GdtgNJkt",
            "NrZ29JnaYDSZLTa2dtUD"),
        CodedBody(
            "zstd",
            "KLUv/WAGA2UEAPQDbGluZSAwIG9mIHRoZSBzYW1lIHdvcmRzCjEyMzQ1Njc4OTExMTExMTExMTIyMjIyMjIyMjIzMzMzMzMz",
            "MzMzKCCAo9IOtCx3YYtYbmEXWc7CFrHcwiyy3MIuspyFLfLlDliYgRYpYDkCLWyARQS0XAALA5BF/r+Av30gAwp4QAZK8EAG",
            "lAFuLMQx"),
        CodedBody(
            "gzip, br",
            "C0iAH4sIAAAAAAACA3XTSwoCUQxFwbmryBJM4nc5gq9RaG2wBbcvzq3xGd0Kme/PEdtYpnjfRqyXx4jP8rqum/kXUqEUWmGn",
            "sFc4KBwVTgpnDvR0bk+OT65Pzk/uTwIkBZIESYOiQfn+NCgaFA2KBkWDokHRoGjQNGgatJ+ABk2DpkHToGnQNOh/Bl8Dt/ZE",
            "BgQAAAM="),
    ]
}
