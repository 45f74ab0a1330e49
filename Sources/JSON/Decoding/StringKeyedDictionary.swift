/// A dictionary whose keys are data, which no key strategy touches.
protocol StringKeyedDictionary {
    init(values decoder: ValueDecoder) throws
}

extension Dictionary: StringKeyedDictionary where Key == String, Value: Decodable {
    init(values decoder: ValueDecoder) throws {
        guard let members = decoder.json.object else {
            throw decoder.failure([String: Any].self, at: decoder.json.index, nil)
        }
        self.init(minimumCapacity: members.count)
        for (key, value) in members {
            decoder.session.audit?.ask(SnakeCase.camelCased(key), of: decoder.json)
            self[key] = try decoder.value(Value.self, at: value.index, PathKey.name(key))
        }
    }
}
