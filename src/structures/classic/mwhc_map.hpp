// SPDX-License-Identifier: Apache-2.0
/// MWHC as a static function: its vertices have values of any width in place of ranks
/// (formats/seeds.md, type 50).
#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "base/sink.hpp"
#include "stream/hash_source.hpp"
#include "structures/retrieval/value_source.hpp"
#include "structures/static_function.hpp"

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

/// Checks the section in O(1); throws Error(corrupt).
std::unique_ptr<const map::StaticFunction> open_mwhc_map(base::ByteView section);

}  // namespace crivo::classic
