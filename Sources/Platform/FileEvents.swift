/// Tells when something may have happened to files: to themselves, or in any folder on the way to them, along every link.
///
/// On Linux the kernel tells (inotify(7)); elsewhere nobody does. What has happened is not asked: a full queue loses that, and
/// the files are to be looked at in any case.
package struct FileEvents: ~Copyable {
    package enum Wake: Sendable { case event, time, end }

    /// Whether everything that happens to the files is told.
    package private(set) var isComplete = false
    /// -1 where there is none.
    private let queue: Int32
    private let maximumWatches: Int
    private var watches: Set<Int32> = []

    /// - Parameter maximumWatches: how many files and folders the kernel is asked to tell of; it has a limit of its own.
    package init(maximumWatches: Int = .max) {
        self.maximumWatches = maximumWatches
        #if os(Linux)
            queue = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        #else
            queue = -1
        #endif
    }

    deinit { if queue >= 0 { close(queue) } }

    /// Waits for something to happen, for the time to be over, or for the other end of a pipe to be closed.
    ///
    /// - Parameter isListening: whether what happens ends the wait; if not, the next one ends for it.
    package borrowing func wait(_ time: Duration, orEnd end: Int32, isListening: Bool) -> Wake {
        var watched = [
            pollfd(fd: end, events: Int16(POLLIN), revents: 0),
            // One below zero is passed over.
            pollfd(fd: isListening ? queue : -1, events: Int16(POLLIN), revents: 0),
        ]
        // Where a signal has interrupted it, the next look comes too early, which does no harm.
        poll(&watched, nfds_t(watched.count), Int32(clamping: Int64((time / .milliseconds(1)).rounded(.up))))
        if watched[0].revents != 0 { return .end }
        return watched[1].revents != 0 ? .event : .time
    }

    #if os(Linux)
        /// Names that come or go, and permissions. What is written into the files of a folder is not told: it may be one of logs.
        private static let folderEvents = UInt32(
            IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
        )
        private static let fileEvents = UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
        /// As many links as the kernel follows (path_resolution(7)).
        private static let maximumLinks = 40

        /// Forgets what has happened so far, and asks to be told of what will happen to these files.
        ///
        /// - Parameter paths: absolute ones, of files that may be missing.
        package mutating func follow(_ paths: [String]) {
            guard queue >= 0 else { return }
            forgetEvents()
            isComplete = true
            var followed: Set<Int32> = []
            for path in paths { follow(path, &followed) }
            for watch in watches.subtracting(followed) { inotify_rm_watch(queue, watch) }
            watches = followed
        }

        private borrowing func forgetEvents() {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            // So many turns at most: more may come all the time, and ends the next wait.
            for _ in 0..<16 {
                guard read(queue, &buffer, buffer.count) > 0 else { return }
            }
        }

        /// Walks as the kernel does. Each folder is watched before a name in it is read, so that nothing can happen in between
        /// unheard.
        private mutating func follow(_ path: String, _ followed: inout Set<Int32>) {
            var names = Self.names(path)
            var folder = ""
            var links = 0
            guard watch("/", Self.folderEvents, &followed) else { return }
            while let name = names.popLast() {
                guard name != ".." else {
                    // No component of the folder is a link any more, so that its parent is what stands before the last.
                    folder = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)])
                    continue
                }
                let item = folder + "/" + name
                if let target = Self.target(ofLink: item) {
                    links += 1
                    guard links <= Self.maximumLinks else { return }
                    if target.hasPrefix("/") { folder = "" }
                    names += Self.names(target)
                } else if names.isEmpty {
                    _ = watch(item, Self.fileEvents | UInt32(IN_DONT_FOLLOW), &followed)
                } else {
                    guard watch(item, Self.folderEvents, &followed) else { return }
                    folder = item
                }
            }
        }

        /// False where there is nothing of this name, for which its folder is watched.
        private mutating func watch(_ path: String, _ events: UInt32, _ followed: inout Set<Int32>) -> Bool {
            guard followed.count < maximumWatches else {
                isComplete = false
                return true
            }
            // Two files can have one folder, and what is a file to one may be a folder to the other: neither takes events from
            // the other.
            let watch = inotify_add_watch(queue, path, events | UInt32(IN_MASK_ADD))
            guard watch < 0 else {
                followed.insert(watch)
                return true
            }
            guard errno != ENOENT, errno != ENOTDIR else { return false }
            isComplete = false
            return true
        }

        /// The names of a path, the first one last.
        private static func names(_ path: String) -> [String] {
            path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
        }

        /// Where a link points to; nil where there is no link.
        private static func target(ofLink path: String) -> String? {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(path, &buffer, buffer.count)
            return count > 0 ? String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
        }
    #else
        package mutating func follow(_ paths: [String]) {}
    #endif
}
