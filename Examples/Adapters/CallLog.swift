// Log messages of swift-log: one for each call, and one for each retry. With the level `trace`, one for each event.
//
//     configuration.observers.append(CallLog(Logger(label: "api")))
//
// A message and its metadata have no field value, no query and no byte of a body, and `***` for segments of the path
// that look like tokens.

import Foundation
import Patchbay
import StandInLogging  // In your package: import Logging

struct CallLog: SessionObserver {
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    func observe(_ event: SessionEvent) async {
        logger.log(level: event.level, "\(event)", metadata: event.metadata)
    }
}

extension SessionEvent {
    fileprivate var level: Logger.Level {
        switch stage {
        case .finished(.success): .info
        case .finished(.failure(let error)): error.code == .cancelled ? .info : .error
        case .retrying: .notice
        default: .trace
        }
    }

    fileprivate var metadata: Logger.Metadata {
        var metadata = attributes.mapValues { value in
            Logger.MetadataValue.string(value.string ?? value.int.map { "\($0)" } ?? "")
        }
        // The log has the time at which it got the message.
        metadata["time"] = .string(time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        return metadata
    }
}
