import Patchbay

extension AnswerRow {
    private static let lines = """
        {"a":1}

        [2]
        "x"

        """

    /// Responses that make one value.
    static let values: [AnswerRow] = [
        AnswerRow(
            "JSON", type: "application/json", body: #"{"b":1e2,"a":[true,null,"ü"]}"#,
            prints: """
                {
                  "b": 100.0,
                  "a": [
                    true,
                    null,
                    "ü"
                  ]
                }

                """),
        AnswerRow(
            "a list in JSON", type: "application/json", body: #"[1,{"a":2}]"#,
            prints: """
                [
                  1,
                  {
                    "a": 2
                  }
                ]

                """),
        AnswerRow(
            "JSON, as the document", type: "application/json", body: "[1]", words: ["--format", "json"],
            prints: """
                {
                  "status": 200,
                  "url": "http://127.0.0.1:PORT/a",
                  "fields": [
                    {
                      "name": "Content-Type",
                      "value": "application/json"
                    },
                    {
                      "name": "Content-Length",
                      "value": "3"
                    }
                  ],
                  "contentType": {
                    "essence": "application/json",
                    "parameters": {},
                    "serialized": "application/json"
                  },
                  "entry": "json",
                  "outcome": "entry",
                  "type": "JSON",
                  "value": [
                    1
                  ],
                  "tried": [
                    {
                      "entry": "problem",
                      "verdict": "declined",
                      "reason": "application/json is outside application/problem+json"
                    },
                    {
                      "entry": "json",
                      "verdict": "chosen",
                      "reason": "covers application/json with status 200"
                    }
                  ],
                  "timeline": {},
                  "error": null
                }

                """),
        AnswerRow(
            "JSON, explained", type: "application/json", body: "1", words: ["--explain"], prints: "1\n",
            notes:
                "problem: declined: application/json is outside application/problem+json\njson: chosen: covers application/json with status 200\n"
        ),
        AnswerRow(
            "JSON with its head", type: "application/json; charset=utf-8", fields: ["X-A": "1"], body: #""x""#,
            words: ["-i"],
            prints: """
                HTTP/1.1 200 OK
                Content-Type: application/json; charset=utf-8
                X-A: 1
                Content-Length: 3

                "x"

                """),
        AnswerRow(
            "JSON, element by element", type: "application/json", body: #"[1,{"a":2}]"#, words: ["--stream"],
            accept: .elements,
            prints: """
                1
                {"a":2}

                """),
        AnswerRow(
            "JSON that is none", type: "application/json", body: #"{"a":"#, prints: nil,
            fails:
                "the entry json could not serialize application/json with status 200: line 1, column 6: expected a value before the end of the text; asked: json (failed), and 1 that does not cover application/json",
            code: 6),
        AnswerRow("JSON without bytes", type: "application/json", body: "", prints: ""),
        AnswerRow(
            "JSON over the limit", type: "application/json", body: "[1,2,3,4,5]", words: ["--max-size", "4"],
            prints: "", fails: "the body is larger than 4 bytes, the limit of the request (maximumBodyBytes)", code: 6),
        AnswerRow(
            "JSON, raw", type: "application/json", body: "[ 1 ]", words: ["--raw"], accept: .anything, prints: nil),
        AnswerRow(
            "JSON into standard output", type: "application/json", body: "[ 1 ]", words: ["-o", "-"], accept: .anything,
            prints: nil),
        AnswerRow(
            "JSON into a file", type: "application/json", body: "[ 1 ]", words: ["-o", "out"], accept: .anything,
            prints: "", saves: "[ 1 ]"),
        AnswerRow(
            "JSON, by an entry of one's choice", type: "application/json", body: "[ 1 ]", words: ["--entry", "text"],
            prints: nil),
        AnswerRow(
            "JSON, its head only", type: "application/json", body: "", words: ["-I"],
            prints: "HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: 0\n"),
        AnswerRow(
            "lines of JSON", type: "application/x-ndjson",
            body: lines,
            prints: """
                [
                  {
                    "a": 1
                  },
                  [
                    2
                  ],
                  "x"
                ]

                """),
        AnswerRow(
            "lines of JSON, one by one", type: "application/x-ndjson",
            body: lines, words: ["--stream"], accept: .elements,
            prints: """
                {"a":1}
                [2]
                "x"

                """),
        AnswerRow(
            "lines of JSON, one by one, each on a line", type: "application/x-ndjson",
            body: lines, words: ["--stream", "--format", "json"], accept: .elements,
            prints: """
                {"a":1}
                [2]
                "x"

                """),
        AnswerRow(
            "lines of JSON with a bad one", type: "application/x-ndjson", body: "1\n{\n2\n", prints: nil,
            fails:
                "the entry ndjson could not serialize application/x-ndjson with status 200: line 2, column 2: expected a key before the end of the text"
                + asked("ndjson", and: 9, "application/x-ndjson"), code: 6),
        AnswerRow(
            "lines of JSON with a bad one, one by one", type: "application/x-ndjson", body: "1\n{\n2\n",
            words: ["--stream"], accept: .elements, prints: "1\n",
            fails:
                "the entry ndjson could not serialize application/x-ndjson with status 200: line 2, column 2: expected a key before the end of the text"
                + asked("ndjson", and: 9, "application/x-ndjson"), code: 6),
        AnswerRow(
            "a sequence of JSON", type: "application/json-seq", body: "\u{1E}{\"a\":1}\n\u{1E}[2]\n",
            prints: """
                [
                  {
                    "a": 1
                  },
                  [
                    2
                  ]
                ]

                """),
        AnswerRow(
            "a sequence of JSON, one by one", type: "application/json-seq", body: "\u{1E}{\"a\":1}\n\u{1E}[2]\n",
            words: ["--stream"], accept: .elements,
            prints: """
                {"a":1}
                [2]

                """),
    ]
}
