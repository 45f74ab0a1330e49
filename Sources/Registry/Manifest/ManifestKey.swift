package import PatchbayJSON

/// One key of the manifest: what may stand under it, what holds without it, and what it means.
package struct ManifestKey: Sendable {
    /// Who has to write the key.
    package enum Need: Sendable, Hashable {
        case nobody
        /// One of the manifests that lie over each other.
        case someManifest
        /// Each object that it may stand in. Null is no value for it.
        case everyObject
    }

    package let name: String
    package let value: ManifestValue
    /// What holds where the key is left out; nil where nothing does.
    package let standard: JSON?
    /// One sentence, which the schema shows to an editor and the reference to a reader.
    package let meaning: String
    package let need: Need
    /// Whether null may stand under it in an overlay, and takes away what an earlier manifest says.
    package let isRemovable: Bool

    package init(
        _ name: String, _ value: ManifestValue, default standard: JSON? = nil, _ meaning: String, need: Need = .nobody,
        removable: Bool = true
    ) {
        self.name = name
        self.value = value
        self.standard = standard
        self.meaning = meaning
        self.need = need
        isRemovable = removable && need != .everyObject
    }
}

/// An object of the manifest, by its keys: what the reader takes and what the schema says. Keys that start with `x-` may stand in
/// every one.
package struct ManifestObject: Sendable {
    /// What the schema calls it.
    package let name: String
    package let keys: [ManifestKey]

    package init(_ name: String, _ keys: [ManifestKey]) {
        self.name = name
        self.keys = keys
    }

    package var names: [String] { keys.map(\.name) }
}

/// A kind of value.
package indirect enum ManifestValue: Sendable {
    case bool
    /// A string of at least so many characters.
    case text(minimum: Int = 0)
    /// A string of one character of ASCII, and no line end.
    case character
    case pattern(ManifestPattern)
    /// The name of a factory.
    case factory
    /// One of these words, or where there is another kind a value of that.
    case words([String], or: ManifestValue? = nil)
    case integer(ClosedRange<Int>)
    /// Above the first number, up to the second.
    case number(above: Double, through: Double)
    case list(ManifestValue, atLeast: Int = 0, atMost: Int? = nil, isSet: Bool = false)
    case object(ManifestObject)
    /// An object whose keys are names of this pattern, in no order.
    case map(ManifestPattern, ManifestValue, atMost: Int? = nil)
    /// The options of the entry's factory.
    case options
}

/// A factory that is built in, whether or not it is in this build.
package struct FactoryDescription: Sendable {
    package let name: String
    package let options: ManifestObject

    package init(_ name: String, _ options: ManifestObject) {
        self.name = name
        self.options = options
    }
}
