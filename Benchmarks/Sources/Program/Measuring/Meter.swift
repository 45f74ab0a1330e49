import Glibc

/// What is measured of a side.
enum Meter {
    /// Until it is done.
    case time
    /// What it keeps processors busy for, on all threads of this process, in the program and in the kernel.
    case processor

    /// Since some moment.
    var seconds: Double {
        var time = timespec()
        clock_gettime(self == .time ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
