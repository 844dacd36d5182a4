// SPDX-License-Identifier: Apache-2.0
/// Whether a test runs under a sanitizer that stands in for calls of the system.
#pragma once

namespace crivo::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CRIVO_TEST_SANITIZED true  // gcc's
#elif defined(__has_feature)
#define CRIVO_TEST_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define CRIVO_TEST_SANITIZED false
#endif

/// Under AddressSanitizer and ThreadSanitizer: mlock() does nothing there, for one.
inline constexpr bool kSanitized = CRIVO_TEST_SANITIZED;

#undef CRIVO_TEST_SANITIZED

}  // namespace crivo::test
