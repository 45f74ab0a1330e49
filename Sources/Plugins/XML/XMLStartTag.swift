import PatchbayPlatform

/// A start tag as libxml2 tells it: valid as long as the event is handled.
struct XMLStartTag {
    /// A name as written: `atom:link`, or one without a prefix.
    struct Name: CustomStringConvertible {
        let prefix: XMLBytes?
        let local: XMLBytes

        var description: String {
            let local = String(decoding: local, as: UTF8.self)
            return prefix.map { "\(String(decoding: $0, as: UTF8.self)):\(local)" } ?? local
        }
    }

    let name: Name
    private let namespaces: UnsafeBufferPointer<UnsafePointer<UInt8>?>
    private let attributes: UnsafeBufferPointer<UnsafePointer<UInt8>?>

    /// - Parameters:
    ///   - namespaces: prefix and URI of each declaration.
    ///   - attributes: local name, prefix, URI, start and end of the value of each.
    init(
        _ local: UnsafePointer<UInt8>, prefix: UnsafePointer<UInt8>?,
        namespaces: UnsafeBufferPointer<UnsafePointer<UInt8>?>, attributes: UnsafeBufferPointer<UnsafePointer<UInt8>?>
    ) {
        name = Name(prefix: prefix.map { XMLBytes(untilZero: $0) }, local: XMLBytes(untilZero: local))
        self.namespaces = namespaces
        self.attributes = attributes
    }

    /// How many attributes there are, namespace declarations included.
    var attributeCount: Int { namespaces.count / 2 + attributes.count / 5 }

    /// Gives each namespace declaration, then each attribute, with its value.
    func forEachAttribute<Failure: Error>(_ take: (Name, XMLBytes) throws(Failure) -> Void) throws(Failure) {
        for index in stride(from: 0, to: namespaces.count - 1, by: 2) {
            let prefix = namespaces[index].map { XMLBytes(untilZero: $0) }
            let name = prefix.map { Name(prefix: Self.xmlns, local: $0) } ?? Name(prefix: nil, local: Self.xmlns)
            try take(name, XMLBytes(untilZero: namespaces[index + 1]))
        }
        for index in stride(from: 0, to: attributes.count - 4, by: 5) {
            let prefix = attributes[index + 1].map { XMLBytes(untilZero: $0) }
            let name = Name(prefix: prefix, local: XMLBytes(untilZero: attributes[index]))
            guard let start = attributes[index + 3], let end = attributes[index + 4] else { continue }
            try take(name, XMLBytes(start: start, count: end - start))
        }
    }

    /// The value of the attribute with this name in this namespace; nil where there is none. Declarations are not asked.
    func attribute(_ local: StaticString, namespace: StaticString) -> XMLBytes? {
        for index in stride(from: 0, to: attributes.count - 4, by: 5) {
            guard XMLBytes(untilZero: attributes[index]).elementsEqual(XMLBytes(local)),
                XMLBytes(untilZero: attributes[index + 2]).elementsEqual(XMLBytes(namespace)),
                let start = attributes[index + 3], let end = attributes[index + 4]
            else { continue }
            return XMLBytes(start: start, count: end - start)
        }
        return nil
    }

    private static var xmlns: XMLBytes { XMLBytes("xmlns") }
}

extension XMLBytes {
    /// The bytes of a string of libxml2, which ends with a zero byte; none for NULL.
    init(untilZero start: UnsafePointer<UInt8>?) {
        let length = start.map { strlen(UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self)) }
        self.init(start: start, count: length ?? 0)
    }

    init(_ text: StaticString) {
        self.init(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}
