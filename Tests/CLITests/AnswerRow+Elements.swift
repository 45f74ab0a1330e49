extension AnswerRow {
    private static let events = """
        data: 1

        event: news
        id: 7
        data: {"a":

        data: 3
        retry: 10


        """
    private static let table = """
        name,n
        Ada,1
        "B, C",2

        """

    /// Responses that are elements, for `--stream` or without.
    static let elements: [AnswerRow] = [
        AnswerRow(
            "events", type: "text/event-stream",
            body: events,
            prints: #"""
                {"type":"message","data":"1","lastEventID":""}
                {"type":"news","data":"{\"a\":","lastEventID":"7"}
                {"type":"message","data":"3","lastEventID":"7"}

                """#),
        AnswerRow(
            "events with a charset", type: "text/event-stream; charset=utf-8",
            body: events,
            prints: #"""
                {"type":"message","data":"1","lastEventID":""}
                {"type":"news","data":"{\"a\":","lastEventID":"7"}
                {"type":"message","data":"3","lastEventID":"7"}

                """#),
        AnswerRow(
            "events with their head", type: "text/event-stream", body: "data: 1\n\n", words: ["-i"],
            prints: """
                HTTP 200 OK
                Content-Type: text/event-stream
                Content-Length: 9

                {"type":"message","data":"1","lastEventID":""}

                """),
        AnswerRow(
            "events, asked for one by one", type: "text/event-stream",
            body: events, words: ["--stream"], accept: .elements,
            prints: #"""
                {"type":"message","data":"1","lastEventID":""}
                {"type":"news","data":"{\"a\":","lastEventID":"7"}
                {"type":"message","data":"3","lastEventID":"7"}

                """#),
        AnswerRow(
            "events, their head only", type: "text/event-stream", body: "", words: ["-I"],
            prints: "HTTP/1.1 200 OK\nContent-Type: text/event-stream\nContent-Length: 0\n"),
        AnswerRow("no event", type: "text/event-stream", body: "", prints: ""),
        AnswerRow(
            "an event that is not ended", type: "text/event-stream", body: "data: 1\n\ndata: 2",
            prints: "{\"type\":\"message\",\"data\":\"1\",\"lastEventID\":\"\"}\n"),
        AnswerRow(
            "events with another status", status: 201, type: "text/event-stream", body: "data: 1\n\n", prints: nil),
        AnswerRow("events without content", status: 204, type: "text/event-stream", body: "", prints: ""),
        AnswerRow(
            "events with a status of an error", status: 503, type: "text/event-stream", body: "data: 1\n\n",
            prints: nil, fails: "the status is 503 Service Unavailable, which is not acceptable (2XX)", code: 5),
        AnswerRow(
            "an event over the limit", type: "text/event-stream", body: "data: 1\n\ndata: 123456789\n\n",
            words: ["--max-size", "8"], prints: "{\"type\":\"message\",\"data\":\"1\",\"lastEventID\":\"\"}\n",
            fails:
                "the entry server-sent-events cannot take text/event-stream with status 200: an element is longer than 8 bytes, the limit of the request (maximumBodyBytes)"
                + "; asked: text (declined), server-sent-events (failed), and 10 that do not cover text/event-stream",
            code: 6),
        AnswerRow(
            "events, raw", type: "text/event-stream",
            body: events, words: ["--raw"], accept: .anything, prints: nil),
        AnswerRow(
            "events into a file", type: "text/event-stream",
            body: events, words: ["-o", "out"], accept: .anything, prints: "",
            saves: """
                data: 1

                event: news
                id: 7
                data: {"a":

                data: 3
                retry: 10


                """),
        AnswerRow(
            "events by an entry of one's choice", type: "text/event-stream", body: "data: 1\n\n",
            words: ["--entry", "text"], prints: nil),
        AnswerRow(
            "events by their own entry, which makes one value of them", type: "text/event-stream", body: "data: 1\n\n",
            words: ["--entry", "server-sent-events"],
            prints: """
                [
                  {
                    "type": "message",
                    "data": "1",
                    "lastEventID": ""
                  }
                ]

                """),
        AnswerRow(
            "events that break off",
            raw: "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 99\r\n\r\ndata: 1\n\ndata: 2\n",
            prints: "{\"type\":\"message\",\"data\":\"1\",\"lastEventID\":\"\"}\n",
            fails: "the connection ended before the body was complete", code: 4),
        AnswerRow(
            "rows", type: "text/csv",
            body: table, prints: nil),
        AnswerRow(
            "rows, one by one", type: "text/csv",
            body: table, words: ["--stream"], accept: .elements,
            prints: """
                {"name":"Ada","n":"1"}
                {"name":"B, C","n":"2"}

                """),
        AnswerRow(
            "rows, one by one, each on a line", type: "text/csv",
            body: table, words: ["--stream", "--format", "json"], accept: .elements,
            prints: """
                {"name":"Ada","n":"1"}
                {"name":"B, C","n":"2"}

                """),
        AnswerRow(
            "rows that are none", type: "text/csv",
            body: """
                a,b
                "1

                """, prints: nil),
        AnswerRow(
            "parts", type: "multipart/mixed; boundary=b",
            body:
                "--b\r\nContent-Type: text/plain\r\n\r\none\r\n--b\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\r\n--b--\r\n",
            prints: """
                {"fields":[{"name":"Content-Type","value":"text/plain"}],"body":{"base64":"b25l"}}
                {"fields":[{"name":"Content-Type","value":"application/json"}],"body":{"base64":"eyJhIjoxfQ=="}}

                """),
        AnswerRow(
            "parts with another status", status: 202, type: "multipart/mixed; boundary=b",
            body:
                "--b\r\nContent-Type: text/plain\r\n\r\none\r\n--b\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\r\n--b--\r\n",
            prints: """
                {"fields":[{"name":"Content-Type","value":"text/plain"}],"body":{"base64":"b25l"}}
                {"fields":[{"name":"Content-Type","value":"application/json"}],"body":{"base64":"eyJhIjoxfQ=="}}

                """),
        AnswerRow(
            "parts with a status of an error", status: 500, type: "multipart/mixed; boundary=b",
            body:
                "--b\r\nContent-Type: text/plain\r\n\r\none\r\n--b\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\r\n--b--\r\n",
            prints: nil, fails: "the status is 500 Internal Server Error, which is not acceptable (2XX)", code: 5),
        AnswerRow(
            "parts without an end", type: "multipart/mixed; boundary=b", body: "--b\r\n\r\none\r\n", prints: "",
            fails:
                "the entry multipart-parts could not serialize multipart/mixed with status 200: the parts were refused: the body ends in part 1, before the last boundary"
                + asked("multipart-parts", and: 13, "multipart/mixed"), code: 6),
        AnswerRow(
            "parts without a boundary", type: "multipart/mixed",
            body:
                "--b\r\nContent-Type: text/plain\r\n\r\none\r\n--b\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\r\n--b--\r\n",
            prints: "",
            fails:
                "the entry multipart-parts could not serialize multipart/mixed with status 200: the parts were refused: Content-Type names no boundary"
                + asked("multipart-parts", and: 13, "multipart/mixed"), code: 6),
        AnswerRow(
            "parts into standard output", type: "multipart/mixed; boundary=b",
            body:
                "--b\r\nContent-Type: text/plain\r\n\r\none\r\n--b\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\r\n--b--\r\n",
            words: ["-o", "-"], accept: .anything, prints: nil),
    ]
}
