// SPDX-License-Identifier: Apache-2.0
/// How the functions of the classic papers are built, but FCH (structures/classic/functions.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/progress.hpp"
#include "base/sink.hpp"
#include "stream/hash_source.hpp"
#include "structures/build/mphf.hpp"
#include "structures/build/static_function.hpp"
#include "structures/classic/section.hpp"

namespace crivo::classic {

/// Writes MWHC's function that gives each of `hashes` the rank that the choices have for it, or, if
/// they have none, its place. On one thread; O(n), and 28 bytes of memory a key and 8 a vertex for
/// r = 2, 36 and 8 for r = 3. Throws Error(bad_input) if no graph is acyclic.
void build_mwhc2(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
                 const base::BuildContext& context, base::Sink& sink);
void build_mwhc3(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
                 const base::BuildContext& context, base::Sink& sink);

/// Writes MWHC's function that gives each of `hashes` its value: 2.09 or 1.23 times its bits a key.
/// On one thread; O(n), and 40 or 48 bytes of memory a key. Throws Error(bad_input) if no graph is
/// acyclic, Error(usage) if there are more than kMaxKeys hashes.
void build_mwhc2_map(const stream::HashSource& hashes, const map::Parameters& parameters,
                     const retrieval::ValueSource& values, const base::BuildContext& context,
                     base::Sink& sink);
void build_mwhc3_map(const stream::HashSource& hashes, const map::Parameters& parameters,
                     const retrieval::ValueSource& values, const base::BuildContext& context,
                     base::Sink& sink);

/// The bits that the section of n keys takes for each. O(1).
double mwhc_map_bits_per_key(unsigned arity, std::uint64_t n, unsigned width) noexcept;

/// Writes BMZ's function of `hashes`. On one thread; expected O(n), and 32 bytes of memory a key
/// and 13 a vertex, of which there are 1.15 a key. Throws Error(bad_input) if no graph will do.
void build_bmz(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
               const base::BuildContext& context, base::Sink& sink);

/// Writes BDZ's function of `hashes`. The edges are those of MWHC-3, not of three parts of the
/// vertices as its authors have them: to a third of the vertices the dissertation's range for
/// Jenkins's hash is too uneven. On one thread; O(n), and 32 bytes of memory a key and 5 a
/// vertex, of which there are 1.23 a key. Throws Error(bad_input) if no graph is acyclic.
void build_bdz(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
               const base::BuildContext& context, base::Sink& sink);

void write(const SectionHeader& header, base::Sink& sink);

/// Throws Error(usage) if there are more keys than kMaxKeys.
void check_keys(std::uint64_t keys);

/// Throws Error(bad_input): no function was found in so many attempts.
[[noreturn]] void fail_attempts(std::string_view what, std::uint64_t keys, std::uint64_t attempts);

/// Appends entries of 4 bytes.
void write_entries(std::span<const std::uint32_t> entries, base::Sink& sink);

}  // namespace crivo::classic
