extension ManifestVerdict {
    static let table = topLevel + policies + entries + matches + optionRows + hosts + wholeTables + unknowns

    static let topLevel: [ManifestVerdict] = [
        ManifestVerdict("the least", #"{ "manifestVersion": 1 }"#),
        ManifestVerdict("no version", "{}", .bad("")),
        ManifestVerdict("no object", "[]", .bad("")),
        ManifestVerdict("version 2", #"{ "manifestVersion": 2 }"#, .bad("/manifestVersion")),
        ManifestVerdict("version 1.0", #"{ "manifestVersion": 1.0 }"#),
        ManifestVerdict("version of text", #"{ "manifestVersion": "1" }"#, .bad("/manifestVersion")),
        .with(#""$schema": "./Plugins.schema.json""#),
        .with(#""$schema": 1"#, .bad("/$schema")),
        .with(#""inherit": true"#), .with(#""inherit": null"#), .with(#""inherit": "no""#, .bad("/inherit")),
        .with(#""x-mine": { "a": [null] }"#), .with(#""xmine": 1"#, .bad("/xmine")),
        .with(#""Plugins": []"#, .bad("/Plugins")),
        .with(#""plugins": []"#), .with(#""plugins": null"#), .with(#""plugins": {}"#, .bad("/plugins")),
        .with(#""plugins": [null]"#, .bad("/plugins/0")),
        .with(#""aliases": {}"#), .with(#""aliases": { "a/b": "c/d", "image/pjpeg": null }"#),
        .with(#""aliases": null"#),
        .with(#""aliases": { "a/b": 1 }"#, .bad("/aliases/a~1b")),
        .with(#""aliases": { "a/b": "C/d" }"#, .bad("/aliases/a~1b")),
        .with(#""aliases": { "a/b": "c/d;q=1" }"#, .bad("/aliases/a~1b")),
        .with(#""aliases": { "a/*": "c/d" }"#, .bad("/aliases/a~1*")),
        .with(#""aliases": { "ab": "c/d" }"#, .bad("/aliases/ab")),
        .with(#""aliases": { "x-note": 1 }"#, .bad("/aliases/x-note")),
        .with(#""aliases": []"#, .bad("/aliases")),
    ]

    static let policies: [ManifestVerdict] = [
        .with(#""policy": null"#), .with(#""policy": {}"#), .with(#""policy": []"#, .bad("/policy")),
        .with(
            #""policy": { "noMatch": "raw", "missingContentType": "error", "invalidContentType": "json", "x-a": 1 }"#),
        .with(#""policy": { "noMatch": null }"#),
        .with(#""policy": { "noMatch": "sniff" }"#, .bad("/policy/noMatch")),
        .with(#""policy": { "missingContentType": "sniff" }"#, .bad("/policy/missingContentType")),
        .with(#""policy": { "invalidContentType": "JSON" }"#, .bad("/policy/invalidContentType")),
        .with(#""policy": { "noMatch": "empty" }"#, .bad("/policy/noMatch")),
        .with(#""policy": { "noMatch": 0 }"#, .bad("/policy/noMatch")),
        .with(#""policy": { "nomatch": "raw" }"#, .bad("/policy/nomatch")),
        .with(#""policy": { "acceptableStatus": "any" }"#),
        .with(#""policy": { "acceptableStatus": ["2XX", "404", "500-503"] }"#),
        .with(#""policy": { "acceptableStatus": "2XX" }"#, .bad("/policy/acceptableStatus")),
        .with(#""policy": { "acceptableStatus": [] }"#, .bad("/policy/acceptableStatus")),
        .with(#""policy": { "acceptableStatus": [200] }"#, .bad("/policy/acceptableStatus/0")),
        .with(#""policy": { "acceptableStatus": ["2xx"] }"#, .bad("/policy/acceptableStatus/0")),
        .with(#""policy": { "acceptableStatus": ["200", "503-500"] }"#, .bad("/policy/acceptableStatus/1")),
        .with(#""policy": { "acceptableStatus": ["600"] }"#, .bad("/policy/acceptableStatus/0")),
        .with(#""policy": { "empty": { "methods": [], "status": [], "otherwise": "error" } }"#),
        .with(#""policy": { "empty": { "methods": [1] } }"#, .bad("/policy/empty/methods/0")),
        .with(#""policy": { "empty": { "status": ["99"] } }"#, .bad("/policy/empty/status/0")),
        .with(#""policy": { "empty": { "otherwise": "raw" } }"#, .bad("/policy/empty/otherwise")),
        .with(#""policy": { "empty": { "other": "raw" } }"#, .bad("/policy/empty/other")),
        .with(#""policy": { "empty": "raw" }"#, .bad("/policy/empty")),
        .with(#""policy": { "limits": { "maxBodyBytes": 0 } }"#),
        .with(#""policy": { "limits": { "maxBodyBytes": 1e3 } }"#),
        .with(#""policy": { "limits": { "maxBodyBytes": 9223372036854775807 } }"#),
        .with(#""policy": { "limits": { "maxBodyBytes": 9223372036854775808 } }"#, .bad("/policy/limits/maxBodyBytes")),
        .with(#""policy": { "limits": { "maxBodyBytes": -1 } }"#, .bad("/policy/limits/maxBodyBytes")),
        .with(#""policy": { "limits": { "maxBodyBytes": 1.5 } }"#, .bad("/policy/limits/maxBodyBytes")),
        .with(#""policy": { "limits": { "maxBodyBytes": "1 MiB" } }"#, .bad("/policy/limits/maxBodyBytes")),
        .with(#""policy": { "limits": { "maxBodyBytes": null }, "accept": "none" }"#),
        .with(#""policy": { "accept": "never" }"#, .bad("/policy/accept")),
    ]

    static let entries: [ManifestVerdict] = [
        .entry(#""x-why": "because""#), .entry(#""match": null, "limits": null, "options": null, "onFailure": null"#),
        .entry(#""optional": true, "enabled": false, "onFailure": "raw", "limits": { "maxBodyBytes": 1 }"#),
        .entry(#""optional": 1"#, .bad("/plugins/0/optional")),
        .entry(#""enabled": "yes""#, .bad("/plugins/0/enabled")),
        .entry(#""onFailure": "nxt""#, .bad("/plugins/0/onFailure")), .entry(#""mach": {}"#, .bad("/plugins/0/mach")),
        .entry(#""limits": { "maxBodySize": 1 }"#, .bad("/plugins/0/limits/maxBodySize")),
        .entry(#""options": []"#, .bad("/plugins/0/options")),
        .with(#""plugins": [{ "id": "json", "enabled": false }]"#),
        .with(#""plugins": [{ "id": "text", "factory": "form" }]"#),
        .with(#""plugins": [{ "id": "0.a_b-c", "factory": "text" }]"#),
        .with(#""plugins": [{ "factory": "text" }]"#, .bad("/plugins/0")),
        .with(#""plugins": [{ "id": 7, "factory": "text" }]"#, .bad("/plugins/0/id")),
        .with(#""plugins": [{ "id": "", "factory": "text" }]"#, .bad("/plugins/0/id")),
        .with(#""plugins": [{ "id": "-a", "factory": "text" }]"#, .bad("/plugins/0/id")),
        .with(#""plugins": [{ "id": "A", "factory": "text" }]"#, .bad("/plugins/0/id")),
        .with(#""plugins": [{ "id": "raw", "factory": "text" }]"#, .bad("/plugins/0/id")),
        .with(#""plugins": [{ "id": "raw2", "factory": "text" }]"#),
        .with(#""plugins": [{ "id": "a", "factory": 1 }]"#, .bad("/plugins/0/factory")),
    ]

    static let matches: [ManifestVerdict] = [
        .entry(#""match": {}"#),
        .entry(#""match": { "types": ["text/csv;charset=\"a;b\"", "@JSON", "+Json", " */* "] }"#),
        .entry(#""match": { "types": ["application/*+json", "TEXT/*", "a/b;q=1 ; r=2"], "status": ["4XX", "500"] }"#),
        .entry(#""match": { "types": [] }"#, .bad("/plugins/0/match/types")),
        .entry(#""match": { "types": "text/csv" }"#, .bad("/plugins/0/match/types")),
        .entry(#""match": { "types": ["text/csv", "json"] }"#, .bad("/plugins/0/match/types/1")),
        .entry(#""match": { "types": ["@jsn"] }"#, .bad("/plugins/0/match/types/0")),
        .entry(#""match": { "types": ["*/json"] }"#, .bad("/plugins/0/match/types/0")),
        .entry(#""match": { "types": ["text/a*"] }"#, .bad("/plugins/0/match/types/0")),
        .entry(#""match": { "types": ["a/b;q"] }"#, .bad("/plugins/0/match/types/0")),
        .entry(#""match": { "types": ["a/b;"] }"#, .bad("/plugins/0/match/types/0")),
        .entry(#""match": { "types": [null] }"#, .bad("/plugins/0/match/types/0")),
        .entry(#""match": { "type": ["a/b"] }"#, .bad("/plugins/0/match/type")),
        .entry(#""match": { "status": [] }"#, .bad("/plugins/0/match/status")),
        .entry(#""match": { "status": "any" }"#, .bad("/plugins/0/match/status")),
        .entry(#""match": { "types": ["text/\#(String(repeating: "a", count: 251))"] }"#),
        .entry(
            #""match": { "types": ["text/\#(String(repeating: "a", count: 252))"] }"#, .bad("/plugins/0/match/types/0")),
    ]

    static let optionRows: [ManifestVerdict] = [
        .options("json", #"{ "keys": "snakeCase", "dates": null, "fragments": false, "x-a": 1 }"#),
        .options("json", #"{ "kees": "asIs" }"#, .bad("/plugins/0/options/kees")),
        .options("json", #"{ "keys": "camelCase" }"#, .bad("/plugins/0/options/keys")),
        .options("problem-json", #"{ "fragments": "no" }"#, .bad("/plugins/0/options/fragments")),
        .options("json", #"{ "nonConformingFloats": "error" }"#),
        .options(
            "json", #"{ "nonConformingFloats": { "positiveInfinity": "+", "negativeInfinity": "-", "nan": "?" } }"#),
        .options("json", #"{ "nonConformingFloats": "convert" }"#, .bad("/plugins/0/options/nonConformingFloats")),
        .options(
            "json", #"{ "nonConformingFloats": { "positiveInfinity": "+", "negativeInfinity": "-" } }"#,
            .bad("/plugins/0/options/nonConformingFloats")),
        .options("text", #"{ "charset": "windows-1252", "lossy": true }"#),
        .options("text", #"{ "charset": "" }"#, .bad("/plugins/0/options/charset")),
        .options("text", #"{ "keys": "asIs" }"#, .bad("/plugins/0/options/keys")),
        .options("property-list", "{}"),
        .options("property-list", #"{ "format": "xml" }"#, .bad("/plugins/0/options/format")),
        .options("xml-document", #"{ "doctype": "refuse", "maxDepth": 10000, "maxNodes": 1 }"#),
        .options("xml-parser", #"{ "maxDepth": 10001 }"#, .bad("/plugins/0/options/maxDepth")),
        .options("xml-parser", #"{ "maxAttributes": 0 }"#, .bad("/plugins/0/options/maxAttributes")),
        .options("xml-parser", #"{ "doctype": "maybe" }"#, .bad("/plugins/0/options/doctype")),
        .options("form", #"{ "maxFields": 1.0 }"#),
        .options("form", #"{ "maxFields": 0 }"#, .bad("/plugins/0/options/maxFields")),
        .options("xssi", #"{ "prefix": "while(1);" }"#),
        .options("xssi", #"{ "prefix": "" }"#, .bad("/plugins/0/options/prefix")),
        .options("image", #"{ "inflate": false, "scale": 0.5, "frames": "all" }"#),
        .options("image", #"{ "scale": 0 }"#, .bad("/plugins/0/options/scale")),
        .options("image", #"{ "scale": 16.5 }"#, .bad("/plugins/0/options/scale")),
        .options("image", #"{ "frames": "last" }"#, .bad("/plugins/0/options/frames")),
        .with(#""plugins": [{ "id": "new", "factory": "json", "enabled": false, "options": { "kees": 1 } }]"#),
    ]

    static let hosts: [ManifestVerdict] = [
        .with(#""hosts": {}"#), .with(#""hosts": null"#), .with(#""hosts": []"#, .bad("/hosts")),
        .with(#""hosts": { "a.example": {}, "*.B.example.:8080": null, "[::1]:80": { "x-a": 1 }, "192.0.2.1": {} }"#),
        .with(#""hosts": { "options": null, "x-host": null }"#),
        .with(#""hosts": { "x-host": 1 }"#, .bad("/hosts/x-host")),
        .with(#""hosts": { "*": {} }"#, .bad("/hosts/*")), .with(#""hosts": { "": {} }"#, .bad("/hosts/")),
        .with(#""hosts": { "https://a.example": {} }"#, .bad("/hosts/https:~1~1a.example")),
        .with(#""hosts": { "a..example": {} }"#, .bad("/hosts/a..example")),
        .with(#""hosts": { "a.*.example": {} }"#, .bad("/hosts/a.*.example")),
        .with(#""hosts": { "*.192.0.2.1": {} }"#, .bad("/hosts/*.192.0.2.1")),
        .with(#""hosts": { "a.example:0": {} }"#, .bad("/hosts/a.example:0")),
        .with(#""hosts": { "a.example:65536": {} }"#, .bad("/hosts/a.example:65536")),
        .with(#""hosts": { "bücher.example": {} }"#, .bad("/hosts/bücher.example")),
        .with(
            #""hosts": { "a.example": { "plugins": [{ "id": "new", "factory": "text" }], "policy": { "noMatch": "new" } } }"#
        ),
        .with(
            #""hosts": { "a.example": { "plugins": [{ "id": "new" , "factory": "text", "mach": 1 }] } }"#,
            .bad("/hosts/a.example/plugins/0/mach")),
        .with(#""hosts": { "a.example": { "use": ["json", "text"] } }"#),
        .with(#""hosts": { "a.example": { "use": [] } }"#),
        .with(#""hosts": { "a.example": { "use": null, "inherit": false, "policy": null, "plugins": null } }"#),
        .with(#""hosts": { "a.example": { "use": ["json"], "inherit": true } }"#),
        .with(#""hosts": { "a.example": { "use": ["json"], "inherit": false } }"#, .bad("/hosts/a.example/inherit")),
        .with(#""hosts": { "a.example": { "use": "json" } }"#, .bad("/hosts/a.example/use")),
        .with(#""hosts": { "a.example": { "use": [1] } }"#, .bad("/hosts/a.example/use/0")),
        .with(#""hosts": { "a.example": { "entries": [] } }"#, .bad("/hosts/a.example/entries")),
        .with(#""hosts": { "a.example": { "policy": { "noMatch": 1 } } }"#, .bad("/hosts/a.example/policy/noMatch")),
    ]

    /// With `"inherit": false` nothing lies under the manifest, so that null removes nothing and each entry is complete.
    static let wholeTables: [ManifestVerdict] = [
        .with(#""inherit": false"#), .with(#""inherit": false, "plugins": [{ "id": "json", "factory": "json" }]"#),
        .with(
            #""inherit": false, "plugins": [{ "id": "json", "factory": "json", "options": { "keys": null }, "x-a": null }]"#
        ),
        .with(#""inherit": false, "plugins": [{ "id": "json" }]"#, .bad("/plugins/0")),
        .with(#""inherit": false, "plugins": [{ "id": "json", "factory": null }]"#, .bad("/plugins/0/factory")),
        .with(#""inherit": false, "plugins": null"#, .bad("/plugins")),
        .with(#""inherit": false, "policy": null"#, .bad("/policy")),
        .with(#""inherit": false, "policy": { "empty": { "methods": null } }"#, .bad("/policy/empty/methods")),
        .with(#""inherit": false, "aliases": { "a/b": null }"#, .bad("/aliases/a~1b")),
        .with(#""inherit": false, "hosts": { "options": null }"#, .bad("/hosts/options")),
        .with(
            #""inherit": false, "hosts": { "x-host": { "policy": { "accept": null } } }"#,
            .bad("/hosts/x-host/policy/accept")),
        .with(
            #""inherit": false, "hosts": { "a.example": { "plugins": [{ "id": "a", "factory": "text", "match": { "types": null } }] } }"#,
            .bad("/hosts/a.example/plugins/0/match/types")),
        .with(
            #""inherit": false, "hosts": { "a.example": { "plugins": [{ "id": "a" }] } }"#,
            .bad("/hosts/a.example/plugins/0")),
    ]

    static let unknowns: [ManifestVerdict] = [
        .with(#""x-a": 1, "x-a": 2"#, .unknown(.duplicateKey)),
        .with(#""x-a": \#(String(repeating: "[", count: 65))\#(String(repeating: "]", count: 65))"#, .unknown(.depth)),
        ManifestVerdict(
            "a large manifest", #"{ "manifestVersion": 1, "x-a": "\#(String(repeating: "a", count: 1 << 20))" }"#,
            .unknown(.size)),
        .with(
            #""plugins": [{ "id": "a", "factory": "text" }, { "id": "a", "factory": "form" }]"#, .unknown(.duplicateID)),
        .with(
            #""hosts": { "a.example": { "plugins": [{ "id": "json", "factory": "text" }] } }"#, .unknown(.duplicateID)),
        .with(
            "\"plugins\": [\((0..<1000).map { "{\"id\":\"a\($0)\",\"factory\":\"json\",\"enabled\":false}" }.joined(separator: ","))]",
            .unknown(.tooManyEntries)),
        .with(#""policy": { "noMatch": "nobody" }"#, .unknown(.unknownID)),
        .with(#""hosts": { "a.example": { "use": ["nobody"] } }"#, .unknown(.unknownID)),
        .with(#""plugins": [{ "id": "a", "factory": "jsn" }]"#, .unknown(.unknownFactory)),
        .with(#""plugins": [{ "id": "a" }]"#, .unknown(.missingFactory)),
        .with(#""plugins": [{ "id": "json", "options": { "kees": 1 } }]"#, .unknown(.foreignOptions)),
        .options("text", #"{ "charset": "utf-7" }"#, .unknown(.refusedByFactory)),
        .options("xml-parser", #"{ "maxCharacters": 67108865 }"#, .unknown(.refusedByFactory)),
        .with(#""hosts": { "a.example": {}, "A.example.": {} }"#, .unknown(.duplicateHost)),
        .with(#""aliases": { "a/b": "c/d", "c/d": "e/f" }"#, .unknown(.aliasChain)),
        .entry(#""match": { "types": ["image/pjpeg"] }"#, .unknown(.aliasChain)),
        .with(
            #""plugins": [{ "id": "a", "factory": "text", "match": { "types": ["text/*"] } }, { "id": "b", "factory": "text", "match": { "types": ["text/csv"] } }]"#,
            .unknown(.hiddenEntry)),
        .entry(#""match": { "types": ["a/b;q=1;Q=2"] }"#, .unknown(.duplicateParameter)),
        .with(#""hosts": { "[::1::]": {} }"#, .unknown(.address)),
        .entry(#""match": { "types": ["a/b;q=\"\#(String(repeating: "é", count: 125))\""] }"#, .unknown(.bytes)),
        ManifestVerdict(
            "null over nothing", #"{ "manifestVersion": 1, "policy": null }"#, .unknown(.nothingUnder), alone: true),
    ]
}
