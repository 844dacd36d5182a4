// SPDX-License-Identifier: Apache-2.0
/// BMZ: minimal perfect hashing over random graphs that may have cycles (Botelho, Menoti, Ziviani,
/// "A new algorithm for constructing minimal perfect hash functions", UFMG TR004/04, 2004), from
/// the dissertation's future work. The order is not preserved. The bytes are specified in
/// formats/seeds.md.
#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "base/sink.hpp"
#include "stream/hash_source.hpp"
#include "structures/mphf.hpp"

namespace crivo::classic {

/// Writes the function of `hashes`. On one thread; expected O(n), and 32 bytes of memory a key and
/// 13 a vertex, of which there are 1.15 a key. Throws Error(bad_input) if no graph will do.
void build_bmz(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
               const base::BuildContext& context, base::Sink& sink);

/// Checks the section in O(1); throws Error(corrupt).
std::unique_ptr<const mphf::Function> open_bmz(base::ByteView section);

}  // namespace crivo::classic
