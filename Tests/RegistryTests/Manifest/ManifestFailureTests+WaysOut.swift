@testable import PatchbayRegistry

extension ManifestFailureTests {
    /// Faults of somebody who expects another grammar: each sentence names what to write instead.
    static let waysOut: [Case] = [
        Case(
            .invalidHost, members(#""hosts": { "*": { "policy": { "noMatch": "error" } } }"#),
            #"Plugins.json:2: /hosts/*: "*" would match every host, which is what "plugins" and "policy" at the top level of a manifest are for"#
        ),
        Case(
            .unknownKey,
            members(#""hosts": { "b.example": { "limits": { "maxBodyBytes": 9 }, "noMatch": "raw", "types": [] } }"#),
            #"Plugins.json:2: /hosts/b.example/limits: the key "limits" is not known here; it is a key of "policy""#,
            #"Plugins.json:2: /hosts/b.example/noMatch: the key "noMatch" is not known here; it is a key of "policy""#,
            #"Plugins.json:2: /hosts/b.example/types: the key "types" is not known here; it is a key of "match""#),
        Case(
            .unknownKey, members(#""limits": { "maxBodyBytes": 9 }, "without": ["a"], "maxBodyBytes": 9"#),
            #"Plugins.json:2: /limits: the key "limits" is not known here; it is a key of "policy""#,
            #"Plugins.json:2: /without: the key "without" is not known here; it is a key of a section of "hosts""#,
            #"Plugins.json:2: /maxBodyBytes: the key "maxBodyBytes" is not known here; it is a key of "limits""#),
        Case(
            .unknownKey, entries(#"{"id":"a","factory":"json","priority":3,"order":1}"#),
            #"Plugins.json:2: /plugins/0/priority: the key "priority" is not known here; the first entry of the list that covers a response reads it, and "place" moves an entry"#,
            #"Plugins.json:2: /plugins/0/order: the key "order" is not known here; it is a key of the top level"#),
        Case(
            .unknownKey,
            entries(
                #"{"id":"a","factory":"json","match":{"hosts":["b.example"],"host":"b.example","factory":"json"}}"#),
            #"Plugins.json:2: /plugins/0/match/hosts: the key "hosts" is not known here; an entry for one host stands in the section of "hosts" for it"#,
            #"Plugins.json:2: /plugins/0/match/host: the key "host" is not known here; an entry for one host stands in the section of "hosts" for it"#,
            #"Plugins.json:2: /plugins/0/match/factory: the key "factory" is not known here; it is a key of an entry"#),
        Case(
            .invalidStatus, entries(#"{"id":"a","factory":"json","match":{"status":["4XX-5XX",">=500"]}}"#),
            #"Plugins.json:2: /plugins/0/match/status/0: "4XX-5XX" is no status; write "4XX", "5XX""#,
            #"Plugins.json:2: /plugins/0/match/status/1: ">=500" is no status; write "5XX""#),
        Case(
            .invalidJSON, "{ 'manifestVersion': 1 }",
            "Plugins.json:1: column 3: JSON has its texts in double quotes, not in single ones"),
        Case(
            .invalidJSON, #"{ "manifestVersion": 1, "x-note": 'it' }"#,
            "Plugins.json:1: column 35: JSON has its texts in double quotes, not in single ones"),
        Case(
            .reservedID, entries(#"{"id":"next","factory":"json"}"#),
            #"Plugins.json:2: /plugins/0/id: the id "next" is a word of the policy and cannot name an entry; take another, such as "next-entry""#
        ),
        Case(
            .invalidHost,
            members(#""hosts": { "b example": {}, "300.1.1.1": {}, "10.0.0.0/8": {}, "[2001:db8::]/32": {} }"#),
            #"Plugins.json:2: /hosts/b example: "b example" has a space (U+0020), which no host name has"#,
            #"Plugins.json:2: /hosts/300.1.1.1: "300.1.1.1" ends in a number, and is no IPv4 address"#,
            #"Plugins.json:2: /hosts/10.0.0.0~18: "10.0.0.0/8" is a range of addresses, and a key is one host; write each address"#,
            #"Plugins.json:2: /hosts/[2001:db8::]~132: "[2001:db8::]/32" is a range of addresses, and a key is one host; write each address"#
        ),
        Case(
            .unknownHost,
            members(#""hosts": { "*.b.example": {}, "*.c.example": {}, "d.example": { "extends": "*.other.test" } }"#),
            #"Plugins.json:2: /hosts/d.example/extends: there is no section of the hosts "*.other.test"; there are "*.b.example", "*.c.example""#
        ),
        Case(
            .invalidHost,
            members(
                #""hosts": { "*.b.example": {}, "d.example": { "extends": "b.example" }, "e.example": { "extends": "e.test.org" } }"#
            ),
            #"Plugins.json:2: /hosts/d.example/extends: "b.example" is one host, and what a section extends is that of a wildcard; did you mean "*.b.example"?"#,
            #"Plugins.json:2: /hosts/e.example/extends: "e.test.org" is one host, and what a section extends is that of a wildcard; there are "*.b.example""#
        ),
        Case(
            .unknownEntry,
            entries(#"{"id":"a","factory":"json"}"#, #""hosts": { "b.example": { "order": ["a"] } }"#),
            #"Plugins.json:3: /hosts/b.example/order/0: there is no entry "a" in this list; it is an entry of another list, at /plugins/0 of Plugins.json, whose entries "use" orders here"#
        ),
        Case(
            .invalidOption,
            entries(#"{"id":"a","factory":"json","options":{"depth":"7","kees":1,"keys":3,"x-note":1}}"#),
            #"Plugins.json:2: /plugins/0/options/keys: the factory "json" cannot read this option: expected String"#,
            #"Plugins.json:2: /plugins/0/options/depth: the factory "json" cannot read this option: expected Int"#,
            #"Plugins.json:2: /plugins/0/options/kees: the factory "json" has no option "kees"; known are depth, keys; did you mean "keys"?"#
        ),
    ]
}
