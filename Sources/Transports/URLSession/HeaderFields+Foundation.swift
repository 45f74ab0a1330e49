import Foundation
import PatchbayRegistry

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HeaderFields {
    /// The fields of a response, sorted by name because Foundation keeps no order.
    init(_ response: HTTPURLResponse) {
        let fields = response.allHeaderFields.compactMap { name, value -> Field? in
            guard let name = name.base as? String, let value = value as? String else { return nil }
            return Field(name: name, value: value)
        }
        self.init(fields.sorted { $0.name < $1.name })
    }
}
