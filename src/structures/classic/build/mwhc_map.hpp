// SPDX-License-Identifier: Apache-2.0
/// How maps over MWHC graphs are built (structures/classic/mwhc_map.hpp).
#pragma once

#include <cstdint>

#include "base/progress.hpp"
#include "base/sink.hpp"
#include "stream/hash_source.hpp"
#include "structures/build/static_function.hpp"

namespace crivo::classic {

/// Writes the function that gives each of `hashes` its value: 2.09 or 1.23 times its bits a key. On
/// one thread; O(n), and 40 or 48 bytes of memory a key. Throws Error(bad_input) if no graph is
/// acyclic, Error(usage) if there are more than kMaxKeys hashes.
void build_mwhc2_map(const stream::HashSource& hashes, const map::Parameters& parameters,
                     const retrieval::ValueSource& values, const base::BuildContext& context,
                     base::Sink& sink);
void build_mwhc3_map(const stream::HashSource& hashes, const map::Parameters& parameters,
                     const retrieval::ValueSource& values, const base::BuildContext& context,
                     base::Sink& sink);

/// What the section of n keys takes for each. O(1).
double mwhc_map_bits_per_key(unsigned arity, std::uint64_t n, unsigned width) noexcept;

}  // namespace crivo::classic
