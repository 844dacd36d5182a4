/// FCH: minimal perfect hashing by buckets that are turned into place (Fox, Chen, Heath, "A faster
/// algorithm for constructing minimal perfect hash functions", SIGIR 1992), with the dissertation's
/// beta = 3.5. The bytes are specified in formats/seeds.md.
#pragma once

#include <cstdint>
#include <memory>

#include "file/bytes.hpp"
#include "file/sink.hpp"
#include "keys/sorted_hashes.hpp"
#include "mphf/function.hpp"
#include "util/progress.hpp"

namespace crivo::seeds {

/// Writes the function of `hashes`. On one thread; 24 bytes of memory a key and 4.5 a bucket's
/// share. The time is exponential in the size of the largest buckets, which grow as log n, and in
/// practice some 4 us a key for 10^7 keys. Throws Error(bad_input) if no attempt succeeds.
void build_fch(const keys::SortedHashes& hashes, const mphf::BuildChoices& choices,
               const util::BuildContext& context, file::Sink& sink);

/// Checks the section in O(1); throws Error(corrupt).
std::unique_ptr<const mphf::Function> open_fch(file::ByteView section);

}  // namespace crivo::seeds
