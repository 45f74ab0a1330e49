import Testing

@testable import PatchbayManager

@Suite struct SecretsTests {
    @Test(arguments: [
        ("https://example.com/a?page=2#top", "https://example.com/a?page=2#top"),
        ("https://ada:pw@example.com/", "https://***@example.com/"),
        ("https://ada@x@example.com/a@b", "https://***@example.com/a@b"),
        ("ada:pw@example.com/a", "***@example.com/a"),
        ("http://h/?token=1&page=2&Api_Key=3", "http://h/?token=***&page=2&Api_Key=***"),
        ("http://h/?X-Amz-Signature=a=b;password=c", "http://h/?X-Amz-Signature=***;password=***"),
        ("http://h/#access_token=1&state=2", "http://h/#access_token=***&state=2"),
        ("http://h?sig=1", "http://h?sig=***"),
        ("not a url", "not a url"), ("", ""), ("://", "://"), ("@", "***@"),
    ])
    func `credentials in a URL are masked`(_ text: String, _ masked: String) {
        #expect(Secrets.masked(text) == masked)
    }
}
