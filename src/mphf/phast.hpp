/// Minimal perfect hash functions of the PHast family: sections of type file::kPhastSection.
#pragma once

#include <cstdint>
#include <memory>

#include "file/bytes.hpp"
#include "file/sink.hpp"
#include "mphf/function.hpp"
#include "mphf/parameters.hpp"
#include "stream/key_source.hpp"
#include "util/progress.hpp"

namespace crivo::mphf {

/// Appends the function of `hashes` to `sink`, which must be at a multiple of 8 bytes. Expected
/// O(n); beside the hashes it holds some 10 bytes a key of one partition (under 2^20 keys) per
/// thread, and 32 bytes a bumped key (1.3 % of them). The bytes depend on the hashes and the
/// parameters alone. Throws Error(bad_input) if kMaxLevels levels do not place all keys, which only
/// hashes made for it bring about.
void build_phast(const Parameters& parameters, const stream::KeySource& hashes,
                 const util::BuildContext& context, file::Sink& sink);

/// The function in `section`, whose bytes must outlive it. O(levels). Throws Error(corrupt).
std::unique_ptr<const Function> open_phast(file::ByteView section);

}  // namespace crivo::mphf
