#pragma once

// Name look-up for the tests, in place of the system's: `hang.test` is never answered, `missing.test` does not exist, names
// that begin with `loopback` are 127.0.0.1, `two-families.test` is ::1 and then 127.0.0.1, `two-addresses.test` is 127.0.0.2 and
// then 127.0.0.1, and everything else is as it was.

/// Whether the tests have this resolver: not on every platform, and not under a sanitizer.
int patchbay_test_resolver_is_there(void);
/// How many look-ups of `hang.test` have begun.
int patchbay_test_resolver_hanging(void);
