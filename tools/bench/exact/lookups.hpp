// SPDX-License-Identifier: Apache-2.0
/// What lookups in exact sets and chains take, beside those in a ribbon filter of the members.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/exact/certificates.hpp"

namespace crivo::bench {

struct LookupOptions {
  std::uint64_t lookups = 1 << 20;  ///< keys of either sort that are asked for in a round
  std::uint64_t rounds = 20;
  std::vector<std::string> peers{};  ///< shared libraries of filters (tools/bench/peer.h)
};

/// Prints a table of sizes, and of lookups of others and members, one at a time and in batches: of
/// each set or chain, of a ribbon filter of the members, of peers' filters of 1 in 256, and of a
/// sorted list of the members' first 8 bytes. They are measured in turns: CPU time in ns, the least
/// of the rounds, and its ratio to the ribbon filter's. With groups a lookup by itself is that of
/// crivo::Exact::Group, as of one who holds the certificate's issuer.
void compare_lookups(const Certificates& certificates, const std::vector<std::uint32_t>& revoked,
                     const std::vector<std::filesystem::path>& sets, const LookupOptions& options);

}  // namespace crivo::bench
