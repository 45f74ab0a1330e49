import PatchbayRegistry

/// The manifest of `SerializerRegistry.standard`: the text of the `Plugins.json` at the root of the package. A test
/// compares this text with that file.
enum StandardManifest {
    static let source = ManifestSource.text(text, name: "built-in")

    static let text = """
        {
          "$schema": "./Plugins.schema.json",
          "manifestVersion": 1,
          "inherit": false,
          "policy": {
            "noMatch": "raw",
            "missingContentType": "raw",
            "invalidContentType": "raw",
            "acceptableStatus": ["2XX"],
            "empty": { "methods": ["HEAD"], "status": ["204", "205", "304"], "otherwise": "empty" },
            "limits": { "maxBodyBytes": 67108864 }
          },
          "aliases": {
            "image/pjpeg": "image/jpeg",
            "image/jpg": "image/jpeg",
            "application/ndjson": "application/x-ndjson",
            "application/x-jsonlines": "application/jsonl"
          },
          "plugins": [
            {
              "id": "xssi",
              "factory": "xssi",
              "enabled": false,
              "match": { "types": ["@json", "text/javascript"] }
            },
            {
              "id": "problem",
              "factory": "problem-json",
              "match": { "types": ["application/problem+json"], "status": ["4XX", "5XX"] }
            },
            {
              "id": "json",
              "factory": "json",
              "match": { "types": ["@json"] },
              "options": { "removeNulls": "none" }
            },
            {
              "id": "property-list",
              "factory": "property-list",
              "match": {
                "types": [
                  "application/x-plist", "application/x-apple-plist", "application/x-apple-binary-plist",
                  "text/x-apple-plist+xml", "+plist"
                ]
              }
            },
            {
              "id": "xml",
              "factory": "xml-document",
              "match": { "types": ["@xml"] }
            },
            {
              "id": "xml-parser",
              "factory": "xml-parser",
              "optional": true,
              "match": { "types": ["@xml"] }
            },
            {
              "id": "form",
              "factory": "form",
              "match": { "types": ["application/x-www-form-urlencoded"] }
            },
            {
              "id": "image",
              "factory": "image",
              "optional": true,
              "match": { "types": ["image/*"] },
              "limits": { "maxBodyBytes": 16777216 }
            },
            {
              "id": "javascript-json",
              "factory": "json",
              "match": { "types": ["text/javascript"] },
              "onFailure": "next",
              "writes": false
            },
            {
              "id": "text",
              "factory": "text",
              "match": { "types": ["text/*"] }
            },
            {
              "id": "ndjson",
              "factory": "ndjson",
              "match": { "types": ["application/x-ndjson", "application/jsonl"] }
            },
            {
              "id": "json-seq",
              "factory": "json-seq",
              "match": { "types": ["application/json-seq", "+json-seq"] }
            },
            {
              "id": "server-sent-events",
              "factory": "server-sent-events",
              "match": { "types": ["text/event-stream"], "status": ["200"], "wanted": "elements" }
            },
            {
              "id": "csv-rows",
              "factory": "csv-rows",
              "match": { "types": ["text/csv"], "wanted": "elements" }
            },
            {
              "id": "multipart-parts",
              "factory": "multipart-parts",
              "match": { "types": ["multipart/mixed", "multipart/form-data"], "wanted": "elements" }
            }
          ]
        }

        """
}
