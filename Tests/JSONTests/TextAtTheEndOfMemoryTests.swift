#if os(Linux)
    import Glibc
    import PatchbayJSON
    import Testing

    /// Texts that end where readable memory ends, each in a process of its own, since reading on would be a crash.
    @Suite(.timeLimit(.minutes(5))) struct TextAtTheEndOfMemoryTests {
        @Test func readsNoFurther() async {
            await #expect(processExitsWith: .success) {
                let page = 4096
                let pages = try #require(
                    mmap(nil, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
                try #require(mprotect(pages + 2 * page, page, PROT_NONE) == 0)
                let string = String(repeating: "é", count: 400)
                for gap in [0, 1, 8, 31, 32, 63, 64, 65, 100] {
                    for last in ["1", "1.5", "true", "\"x\"", "\"\(string)\"", "[]", "{\"k\":-1e-9}"] {
                        let text = Array("[\"\(string)\",\(last)]".utf8)
                        let place = pages + 2 * page - gap - text.count
                        place.copyMemory(from: text, byteCount: text.count)
                        let json = try JSON(parsing: UnsafeRawBufferPointer(start: place, count: text.count))
                        try #require(json.count == 2)
                        let elsewhere = try JSON(parsing: text)
                        try #require(json == elsewhere)
                    }
                }
            }
        }
    }
#endif
