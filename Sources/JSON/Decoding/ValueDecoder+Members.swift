extension ValueDecoder {
    /// The word of the value under a key in the object of this decoder; nil without such a key.
    ///
    /// The search starts after the last found key, because types request keys in nearly the order of documents.
    func word(ofMember name: String) -> Int? {
        session.audit?.ask(name, of: json)
        if session.isSnakeCase {
            let words = convertedMembers ?? camelCasedMembers()
            convertedMembers = words
            return words[name]
        }
        var name = name
        return name.withUTF8 { name in
            let tape = json.tape
            let last = tape.end(of: json.index) - 1
            let latest = latestMember
            // Only an object without members has no first member.
            guard latest < last else { return nil }
            if tape.isString(at: latest, equalTo: name) { return latest + 1 }
            if tape.count(at: json.index) > 64 { return wordInLarge(name, last) }
            return search(name, from: tape.end(of: latest + 1), to: last)
                ?? search(name, from: json.index + 1, to: latest)
        }
    }

    private func search(_ name: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int? {
        let tape = json.tape
        var cursor = start
        while cursor < end {
            if tape.isString(at: cursor, equalTo: name) {
                latestMember = cursor
                return cursor + 1
            }
            cursor = tape.end(of: cursor + 1)
        }
        return nil
    }

    /// Tries the next member, then the sorted keys.
    private func wordInLarge(_ name: UnsafeBufferPointer<UInt8>, _ last: Int) -> Int? {
        let tape = json.tape
        let next = tape.end(of: latestMember + 1)
        if next < last && tape.isString(at: next, equalTo: name) {
            latestMember = next
            return next + 1
        }
        let sorted = sortedMembers ?? KeyIndex(tape, object: json.index)
        sortedMembers = sorted
        guard let word = sorted.value(forKey: name) else { return nil }
        latestMember = word - 1
        return word
    }

    /// The words of the values by converted key. If two converted keys are equal, the last member is used, as for
    /// duplicate keys.
    private func camelCasedMembers() -> [String: Int] {
        let tape = json.tape
        var words: [String: Int] = [:]
        for key in tape.items(of: json.index) { words[SnakeCase.camelCased(tape.string(at: key))] = key + 1 }
        return words
    }
}
