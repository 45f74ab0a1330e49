import PatchbayRegistry

extension DownloadResumption {
    /// Whether a response of status 206 is the rest of the file (RFC 9110, section 15.3.7).
    /// - Returns: where the bytes of the response end, and the length of the whole.
    func check(_ head: ResponseHead) throws(Refusal) -> (end: Int, length: Int) {
        guard !head.fields.hasContentCoding else { throw Refusal("the response has a content coding") }
        guard let range = ContentRange(head.fields), range.first == start else {
            throw Refusal("the response has no Content-Range that begins at byte \(start)")
        }
        guard validator.agrees(with: head.fields) else {
            throw Refusal("the response is of another version: its \(validator.name) is missing or differs")
        }
        guard let length = range.complete ?? expectedBytes, length == expectedBytes ?? length, range.last < length
        else {
            throw Refusal("the response does not say the length of the file, or another than before")
        }
        return (range.last + 1, length)
    }
}
