// SPDX-License-Identifier: Apache-2.0
/// Keys that tests sign with.
#pragma once

namespace crivo::test {

/// A pair of minisign's form without a password, for tests alone.
inline constexpr const char* kSecretKey =
    "untrusted comment: minisign secret key\n"
    "RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAARyc/orBNS+aiXKc8cYni"
    "ospazyCItX4oPUzUWu91SRhcLDsopL7x3lRMroU845vhmL/"
    "ENdfnHq2SFKJlGsDZdMuTwT6zPX7pF2WyXDOd1eg9C363m1TH"
    "Uw/L2cU2jGsAavCsMNSwcPw=\n";
inline constexpr const char* kPublicKey =
    "RWRHJz+isE1L5lRMroU845vhmL/ENdfnHq2SFKJlGsDZdMuTwT6zPX7p";

}  // namespace crivo::test
