#pragma once

// Calls that fail when a test says so: those that the C door of libcurl makes, and those that libcurl makes itself. Calls of
// anything else, such as the tests' own servers, are never counted and never fail.

enum patchbay_fault {
    /// Of the door: ENOSPC, or what the test says.
    PATCHBAY_FAULT_EPOLL_CTL,
    PATCHBAY_FAULT_EPOLL_CREATE,
    PATCHBAY_FAULT_EVENTFD,
    /// Allocations of the door.
    PATCHBAY_FAULT_DOOR_MEMORY,
    /// Of libcurl.
    PATCHBAY_FAULT_SOCKET,
    PATCHBAY_FAULT_FCNTL,
    /// Allocations of libcurl, after patchbay_faults_start_libcurl.
    PATCHBAY_FAULT_LIBCURL_MEMORY,
};

/// Whether the tests can have calls fail: not on every platform, and not under a sanitizer.
int patchbay_faults_are_there(void);
/// Has the n-th such call from now on fail, and as many as `count` in all, with this errno; no other kind fails any more.
void patchbay_faults_begin(enum patchbay_fault call, int number, int count, int error);
/// Ends that. Returns how many calls have failed.
int patchbay_faults_end(void);
/// How many calls have failed since the begin.
int patchbay_faults_so_far(void);
/// How many such calls there were since the begin, those that did not fail included.
int patchbay_faults_seen(void);
/// Loads libcurl and makes it ready with allocators that can fail, before anybody else does. Returns 0 when it is.
int patchbay_faults_start_libcurl(void);
