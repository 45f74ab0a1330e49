import Patchbay

extension AnswerRow {
    /// Text, bytes, statuses, and what breaks off.
    static let others: [AnswerRow] = [
        AnswerRow("text", type: "text/plain", body: "Grüße\r\n", prints: nil),
        AnswerRow(
            "text, line by line", type: "text/plain", body: "a\nb", words: ["--stream"], accept: .elements,
            prints: "a\nb\n"),
        AnswerRow(
            "text in Latin-1", type: "text/plain; charset=iso-8859-1", body: [0x47, 0x72, 0xFC, 0xDF, 0x65] as [UInt8],
            prints: "Grüße"),
        AnswerRow(
            "text that is none", type: "text/plain; charset=utf-8", body: [0xFF, 0xFE, 0xFD] as [UInt8], prints: nil,
            fails:
                "the entry text could not serialize text/plain with status 200: the body is not valid UTF-16LE at byte 2"
                + asked("text", and: 8, "text/plain"), code: 6),
        AnswerRow("a page", type: "text/html", body: "<p>x", prints: nil),
        AnswerRow(
            "XML", type: "application/xml", body: #"<?xml version="1.0"?><a b="1"><c>x</c><c/></a>"#,
            prints: "<a b=\"1\"><c>x</c><c/></a>\n"),
        AnswerRow(
            "a property list", type: "application/x-plist",
            body: #"<?xml version="1.0"?><plist version="1.0"><dict><key>a</key><integer>1</integer></dict></plist>"#,
            prints: """
                {
                  "a": 1
                }

                """),
        AnswerRow(
            "a form", type: "application/x-www-form-urlencoded", body: "a=1&b=x+y",
            prints: """
                [
                  {
                    "name": "a",
                    "value": "1"
                  },
                  {
                    "name": "b",
                    "value": "x y"
                  }
                ]

                """),
        AnswerRow(
            "an image of a format that no entry reads", type: "image/avif",
            body: [
                0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 0x01, 0x00, 0x01, 0x00, 0x80, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0x00,
                0x00, 0x00, 0x21, 0xF9, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x2C, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00,
                0x01, 0x00, 0x00, 0x02, 0x02, 0x44, 0x01, 0x00, 0x3B,
            ] as [UInt8], prints: nil),
        AnswerRow(
            "a type that nobody knows", type: "application/x-unheard-of", body: [0x00, 0xFF, 0x01, 0xFE] as [UInt8],
            prints: nil),
        AnswerRow("bytes", type: "application/octet-stream", body: [0x00, 0xFF, 0x01, 0xFE] as [UInt8], prints: nil),
        AnswerRow("no type", type: nil, body: "x", prints: nil),
        AnswerRow("a type that is none", type: "json", body: "1", prints: nil),
        AnswerRow("no content", status: 204, type: nil, body: "", prints: ""),
        AnswerRow("no bytes", type: nil, body: "", prints: ""),
        AnswerRow(
            "a problem", status: 404, type: "application/problem+json", body: #"{"title":"Gone","status":404}"#,
            prints: """
                {
                  "type": "about:blank",
                  "title": "Gone",
                  "status": 404
                }

                """, fails: "the status is 404 Not Found, which is not acceptable (2XX)", code: 5),
        AnswerRow(
            "an error in JSON", status: 500, type: "application/json", body: #"{"why":1}"#,
            prints: """
                {
                  "why": 1
                }

                """, fails: "the status is 500 Internal Server Error, which is not acceptable (2XX)", code: 5),
        AnswerRow(
            "an error in JSON that is none", status: 500, type: "application/json", body: "{", prints: nil,
            fails:
                "the status is 500 Internal Server Error, which is not acceptable (2XX)\n  its body: the entry json could not serialize application/json with status 500: line 1, column 2: expected a key before the end of the text; asked: json (failed), and 1 that does not cover application/json",
            code: 5),
        AnswerRow(
            "an error in text", status: 418, type: "text/plain", body: "short and stout\n", prints: nil,
            fails: "the status is 418, which is not acceptable (2XX)", code: 5),
        AnswerRow(
            "an error in bytes", status: 502, type: "application/x-unheard-of", body: [0x00, 0xFF] as [UInt8],
            prints: nil, fails: "the status is 502 Bad Gateway, which is not acceptable (2XX)", code: 5),
        AnswerRow(
            "an error into a file", status: 404, type: "text/plain", body: "gone", words: ["-o", "out"],
            accept: .anything, prints: nil, fails: "the status is 404 Not Found, which is not acceptable (2XX)", code: 5
        ),
        AnswerRow(
            "a redirect that is not followed", status: 302, type: "text/plain", fields: ["Location": "/b"],
            body: "there", words: ["--no-redirects"], prints: nil,
            fails: "the status is 302 Found, which is not acceptable (2XX)", code: 5),
        AnswerRow(
            "not modified", status: 304, type: "application/json", body: "", words: ["-H", "If-None-Match: \"1\""],
            prints: "", fails: "the resource has not changed (status 304)", code: 6),
        AnswerRow(
            "an unasked part", status: 206, type: "application/json", fields: ["Content-Range": "bytes 0-0/2"],
            body: "1", prints: "", fails: "the server sent a part, and was asked for the whole", code: 4),
        AnswerRow(
            "events, a part that was not asked for", status: 206, type: "text/event-stream",
            fields: ["Content-Range": "bytes 0-8/20"], body: "data: 1\n\n", prints: "",
            fails: "the server sent a part, and was asked for the whole", code: 4),
        AnswerRow(
            "a body that breaks off",
            raw: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n[1,", prints: "",
            fails: "the connection ended before the body was complete", code: 4),
        AnswerRow(
            "no response", raw: "", prints: "", fails: "the host closed the connection without a response", code: 4),
        AnswerRow(
            "two lengths",
            raw: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n1",
            prints: "", fails: "the response is malformed: its Content-Length values differ", code: 4),
        AnswerRow(
            "chunks and trailers",
            raw:
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n9\r\ndata: 1\n\n\r\n0\r\nX-End: 1\r\n\r\n",
            prints: "{\"type\":\"message\",\"data\":\"1\",\"lastEventID\":\"\"}\n"),
    ]
}
