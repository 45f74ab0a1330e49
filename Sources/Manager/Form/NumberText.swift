/// A number as forms write it: the fewest digits, and none after the point where there is nothing to say.
enum NumberText {
    static func text(of number: Double) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
