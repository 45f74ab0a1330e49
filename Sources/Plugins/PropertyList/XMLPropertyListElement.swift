/// The elements of an XML property list.
enum XMLPropertyListElement: String {
    case plist, array, dict, key, string, integer, real, date, data
    case yes = "true"
    case no = "false"

    /// Nil for any other name.
    init?(_ name: XMLStartTag.Name) {
        self.init(rawValue: name.description)
    }
}
