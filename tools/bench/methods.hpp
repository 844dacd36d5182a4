/// The methods that the table compares: what is compiled in, and what shared libraries add.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/peer.h"

namespace crivo::bench {

/// A method and where it comes from.
struct Method {
  crivo_bench_method calls;
  std::string library;  ///< "Crivo", "CMPH", ..., or the name of a peer's file
  /// Of a build that begins by hashing and sorting the keys: the CPU time of the rest, in ns; else
  /// null.
  double (*cpu_ns_from_hashes)(const void* built) = nullptr;
};

/// Every row of the registry of minimal perfect hash functions.
std::vector<Method> crivo_methods();
/// The C Minimal Perfect Hashing library: CHD, BDZ, BMZ, CHM, BRZ, FCH.
std::vector<Method> cmph_methods();
/// The trie that maps strings to ids.
std::vector<Method> marisa_methods();

/// The methods of a shared library as peer.h describes it, which stays loaded. Throws
/// Error(bad_input) that names `path` if it cannot be loaded, has no such function, or a method of
/// it lacks a call.
std::vector<Method> load_peer(const std::string& path);

}  // namespace crivo::bench
