import Foundation
import PatchbayRegistry
import Testing

@testable import PatchbayPlugins

/// Answers of services that speak XML, as types.
@Suite struct XMLDecodingTests {
    private func decode<Value: Decodable & Sendable>(_ type: Value.Type, _ xml: String) throws -> Value {
        try XMLDecodingSerializer().decode(type, from: Sample.body(xml), Sample.head("application/xml"))
    }

    private func date(_ seconds: TimeInterval) -> Date { Date(timeIntervalSince1970: seconds) }

    // MARK: Object storage

    struct StorageError: Decodable, Equatable {
        enum Code: String, Decodable {
            case noSuchKey = "NoSuchKey"
            case accessDenied = "AccessDenied"
        }

        let code: Code
        let message: String
        let resource: URL?
        let requestID: String

        enum CodingKeys: String, CodingKey {
            case code = "Code"
            case message = "Message"
            case resource = "Resource"
            case requestID = "RequestId"
        }
    }

    @Test("The error of an object storage")
    func storageError() throws {
        let xml = """
            <?xml version="1.0" encoding="UTF-8"?>
            <Error>
              <Code>NoSuchKey</Code>
              <Message>The resource you requested does not exist</Message>
              <Resource>/a-bucket/photo.jpg</Resource>
              <RequestId>4442587FB7D0A2F9</RequestId>
            </Error>
            """
        let expected = StorageError(
            code: .noSuchKey, message: "The resource you requested does not exist",
            resource: URL(string: "/a-bucket/photo.jpg"), requestID: "4442587FB7D0A2F9")
        #expect(try decode(StorageError.self, xml) == expected)
        let unknown = xml.replacing("NoSuchKey", with: "SlowDown")
        #expect(throws: DecodingError.self) { try decode(StorageError.self, unknown) }
    }

    struct Listing: Decodable, Equatable {
        struct Object: Decodable, Equatable {
            struct Person: Decodable, Equatable {
                let id: String
                let displayName: String?
                enum CodingKeys: String, CodingKey {
                    case id = "ID"
                    case displayName = "DisplayName"
                }
            }

            let key: String
            let lastModified: Date
            let tag: String
            let size: Int
            let owner: Person?
            enum CodingKeys: String, CodingKey {
                case key = "Key"
                case lastModified = "LastModified"
                case tag = "ETag"
                case size = "Size"
                case owner = "Owner"
            }
        }

        struct Folder: Decodable, Equatable {
            let prefix: String
            enum CodingKeys: String, CodingKey { case prefix = "Prefix" }
        }

        let name: String
        let prefix: String
        let marker: String?
        let nextMarker: String?
        let maximumKeys: Int?
        let isTruncated: Bool
        let contents: [Object]
        let commonPrefixes: [Folder]
        enum CodingKeys: String, CodingKey {
            case name = "Name"
            case prefix = "Prefix"
            case marker = "Marker"
            case nextMarker = "NextMarker"
            case maximumKeys = "MaxKeys"
            case isTruncated = "IsTruncated"
            case contents = "Contents"
            case commonPrefixes = "CommonPrefixes"
        }
    }

    private static func listing(_ contents: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>a-bucket</Name><Prefix/><Marker></Marker>
        <MaxKeys> 1000 </MaxKeys><IsTruncated>false</IsTruncated>\(contents)</ListBucketResult>
        """
    }

    private static let object = """
        <Contents><Key>a &amp; b.jpg</Key><LastModified>2009-10-12T17:50:30.500Z</LastModified>\
        <ETag>&quot;fba9dede5f27731c&quot;</ETag><Size>434234</Size><StorageClass>STANDARD</StorageClass>\
        <Owner><ID>75aa57f0</ID></Owner></Contents>
        """

    @Test("A listing: with no object, with one, and with several", arguments: [0, 1, 3])
    func listing(_ count: Int) throws {
        let prefixes = "<CommonPrefixes><Prefix>photos/</Prefix></CommonPrefixes>"
        let objects = Array(repeating: Self.object, count: count)
        let listing = try decode(Listing.self, Self.listing(objects.joined(separator: prefixes) + prefixes))
        let object = Listing.Object(
            key: "a & b.jpg", lastModified: date(1_255_369_830.5), tag: "\"fba9dede5f27731c\"", size: 434_234,
            owner: .init(id: "75aa57f0", displayName: nil))
        #expect(
            listing
                == Listing(
                    name: "a-bucket", prefix: "", marker: "", nextMarker: nil, maximumKeys: 1000, isTruncated: false,
                    contents: Array(repeating: object, count: count),
                    commonPrefixes: Array(repeating: .init(prefix: "photos/"), count: max(count, 1))))
    }

    // MARK: WebDAV (RFC 4918)

    struct Multistatus: Decodable, Equatable {
        struct Response: Decodable, Equatable {
            let href: String
            let propstat: [Properties]
        }

        struct Properties: Decodable, Equatable {
            let prop: Values
            let status: String
        }

        struct Values: Decodable, Equatable {
            let displayname: String?
            let getcontentlength: Int?
            let getlastmodified: Date?
            let resourcetype: Kind?
        }

        struct Kind: Decodable, Equatable {
            struct Mark: Decodable, Equatable {}
            let collection: Mark?
        }

        let response: [Response]
    }

    @Test("Properties of WebDAV, whatever its prefix", arguments: ["D:", "d:", "ns0:", ""])
    func multistatus(_ prefix: String) throws {
        let declaration = prefix.isEmpty ? "xmlns" : "xmlns:\(prefix.dropLast())"
        let xml = """
            <D:multistatus \(declaration)="DAV:">
              <D:response>
                <D:href>/files/</D:href>
                <D:propstat><D:prop>
                  <D:displayname>Files</D:displayname><D:resourcetype><D:collection/></D:resourcetype>
                  <D:getlastmodified>Mon, 12 Jan 1998 09:25:56 GMT</D:getlastmodified>
                </D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>
                <D:propstat><D:prop><D:getcontentlength/></D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>
              </D:response>
              <D:response>
                <D:href>/files/a</D:href>
                <D:propstat><D:prop><D:getcontentlength>4525</D:getcontentlength><D:resourcetype/></D:prop>
                <D:status>HTTP/1.1 200 OK</D:status></D:propstat>
              </D:response>
            </D:multistatus>
            """.replacing("D:", with: prefix)
        typealias Values = Multistatus.Values
        let nothing = Values(displayname: nil, getcontentlength: nil, getlastmodified: nil, resourcetype: nil)
        let folder = Values(
            displayname: "Files", getcontentlength: nil, getlastmodified: date(884_597_156),
            resourcetype: .init(collection: .init()))
        let file = Values(
            displayname: nil, getcontentlength: 4525, getlastmodified: nil, resourcetype: .init(collection: nil))
        #expect(
            try decode(Multistatus.self, xml)
                == Multistatus(response: [
                    .init(
                        href: "/files/",
                        propstat: [
                            .init(prop: folder, status: "HTTP/1.1 200 OK"),
                            .init(prop: nothing, status: "HTTP/1.1 404 Not Found"),
                        ]),
                    .init(href: "/files/a", propstat: [.init(prop: file, status: "HTTP/1.1 200 OK")]),
                ]))
    }

    // MARK: RSS 2.0

    struct RSS: Decodable {
        struct Channel: Decodable {
            let title: String
            let link: URL
            let selfLink: Link
            let ttl: Int?
            let item: [Item]

            enum CodingKeys: String, CodingKey {
                case title, link
                case selfLink = "atom:link"
                case ttl, item
            }
        }

        struct Link: Decodable {
            let href: URL
            let rel: String
        }

        struct Item: Decodable {
            struct Enclosure: Decodable {
                let url: URL
                let length: Int
                let type: String
            }

            struct Identity: Decodable {
                let isPermaLink: Bool?
                let text: String

                enum CodingKeys: String, CodingKey {
                    case isPermaLink = "@isPermaLink"
                    case text = "#text"
                }
            }

            let title: String
            let description: String?
            let pubDate: Date
            let guid: Identity
            let enclosure: Enclosure?
            let category: [String]
            let creator: String?
        }

        let version: Double
        let channel: Channel
    }

    @Test("A feed")
    func feed() throws {
        let xml = """
            <?xml version="1.0"?>
            <?xml-stylesheet href="feed.css"?>
            <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
            <channel>
              <title>News &amp; more</title> <link> https://origin.test/ </link>
              <atom:link href="https://origin.test/feed" rel="self"/> <ttl></ttl>
              <item>
                <title>One</title><description><![CDATA[<p>Tea &amp; milk</p>]]></description>
                <pubDate>Sat, 07 Sep 2002 00:00:01 GMT</pubDate><guid isPermaLink="false">urn:1</guid>
                <enclosure url="https://origin.test/1.mp3" length="12216320" type="audio/mpeg"/>
                <category>a</category><category>b</category><dc:creator>Ada</dc:creator>
              </item>
              <item><title/><pubDate>7 Sep 02 02:30 +0230</pubDate><guid>urn:2</guid></item>
            </channel></rss>
            """
        let feed = try decode(RSS.self, xml)
        #expect(feed.version == 2)
        #expect(feed.channel.title == "News & more")
        #expect(feed.channel.link == URL(string: "https://origin.test/"))
        #expect(feed.channel.selfLink.href == URL(string: "https://origin.test/feed"))
        #expect(feed.channel.selfLink.rel == "self")
        #expect(feed.channel.ttl == nil)
        try #require(feed.channel.item.count == 2)
        let (one, two) = (feed.channel.item[0], feed.channel.item[1])
        #expect(one.title == "One")
        #expect(one.description == "<p>Tea &amp; milk</p>")
        #expect(one.pubDate == date(1_031_356_801))
        #expect(one.guid.isPermaLink == false)
        #expect(one.guid.text == "urn:1")
        #expect(one.enclosure?.url == URL(string: "https://origin.test/1.mp3"))
        #expect(one.enclosure?.length == 12_216_320)
        #expect(one.enclosure?.type == "audio/mpeg")
        #expect(one.category == ["a", "b"])
        #expect(one.creator == "Ada")
        #expect(two.title == "")
        #expect(two.description == nil)
        #expect(two.pubDate == date(1_031_356_800))
        #expect(two.guid.isPermaLink == nil)
        #expect(two.enclosure == nil)
        #expect(two.category == [])
    }

    @Test("Part of a tree decodes as the whole does")
    func parts() throws {
        let tree = try XMLDocumentSerializer().serialize(
            Sample.body("<a><b><c>1</c></b></a>"), Sample.head(nil))
        #expect(try tree.decode([String: [String: Int]].self) == ["b": ["c": 1]])
        #expect(try tree.root["b"]?.decode([String: Int].self) == ["c": 1])
        #expect(try tree.root["b"]?["c"]?.decode(Int.self) == 1)
    }
}
