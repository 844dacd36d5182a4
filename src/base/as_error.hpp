// SPDX-License-Identifier: Apache-2.0
/// The border of the library: what crosses it is crivo::Error.
#pragma once

namespace crivo::base {

/// In a handler: throws what is being handled again, with what the standard library throws for want
/// of memory, threads or permission turned into Error(io). What a caller's own function threw is
/// left as it is. Needs no memory where there is none.
///
/// Every function of include/crivo that may throw is one try block that ends in
/// `catch (...) { base::rethrow_as_error(); }`.
[[noreturn]] void rethrow_as_error();

}  // namespace crivo::base
