/// Minimal perfect hash functions of the PHast family: sections of type file::kPhastSection.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "base/sink.hpp"
#include "hashing/hash128.hpp"
#include "stream/key_source.hpp"
#include "structures/mphf.hpp"
#include "structures/phast/parameters.hpp"

namespace crivo::phast {

/// Appends the function of `hashes` to `sink`, which must be at a multiple of 8 bytes. Returns its
/// strays, which are the keys that level 0 bumps (some 1.3 %), if they are wanted. Expected O(n);
/// beside leases it holds some 10 bytes a key of one partition per thread, and 26 bytes a bumped
/// key; strays, 16 more. The bytes depend on the hashes and the parameters alone. Throws
/// Error(bad_input) if kMaxLevels levels do not place all keys, which only hashes made for it bring
/// about.
std::vector<Hash128> build_phast(const Parameters& parameters, const stream::KeySource& hashes,
                                 bool wants_strays, const base::BuildContext& context,
                                 base::Sink& sink);

/// The function in `section`, whose bytes must outlive it. O(levels). Throws Error(corrupt).
std::unique_ptr<const mphf::Function> open_phast(base::ByteView section);

}  // namespace crivo::phast
