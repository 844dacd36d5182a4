/// BMZ: minimal perfect hashing over random graphs that may have cycles (Botelho, Menoti, Ziviani,
/// "A new algorithm for constructing minimal perfect hash functions", UFMG TR004/04, 2004), from
/// the dissertation's future work. The order is not preserved. The bytes are specified in
/// formats/seeds.md.
#pragma once

#include <cstdint>
#include <memory>

#include "file/bytes.hpp"
#include "file/sink.hpp"
#include "mphf/function.hpp"
#include "stream/key_source.hpp"
#include "util/progress.hpp"

namespace crivo::seeds {

/// Writes the function of `hashes`. On one thread; expected O(n), and 32 bytes of memory a key and
/// 13 a vertex, of which there are 1.15 a key. Throws Error(bad_input) if no graph will do.
void build_bmz(const stream::KeySource& hashes, const mphf::BuildChoices& choices,
               const util::BuildContext& context, file::Sink& sink);

/// Checks the section in O(1); throws Error(corrupt).
std::unique_ptr<const mphf::Function> open_bmz(file::ByteView section);

}  // namespace crivo::seeds
