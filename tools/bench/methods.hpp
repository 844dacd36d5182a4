// SPDX-License-Identifier: Apache-2.0
/// The methods that the table compares: what is compiled in, and what shared libraries add.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/peer.h"
#include "bench/task.hpp"

namespace crivo::bench {

/// A method and where it comes from.
struct Method {
  crivo_bench_method calls;
  std::string library;  ///< "Crivo", "CMPH", ..., or the name of a peer's file
  /// Builds the structure once more, from keys that are hashed and sorted already, and returns the
  /// CPU time of that, in ns; null where a build does not begin so.
  double (*cpu_ns_from_hashes)(const void* built) = nullptr;
};

/// Every row of Crivo's registries.
std::vector<Method> crivo_mphfs();
std::vector<Method> crivo_filters();
std::vector<Method> crivo_maps();
/// Its default minimal perfect hash function, whose ranks index an array of values.
std::vector<Method> crivo_array_maps();
/// The C Minimal Perfect Hashing library: CHD, BDZ, BMZ, CHM, BRZ, FCH.
std::vector<Method> cmph_mphfs();
/// CHM, whose ranks index an array of values.
std::vector<Method> cmph_maps();
/// The trie that maps strings to ids; as a map, its ids index an array of values.
std::vector<Method> marisa_mphfs();
std::vector<Method> marisa_maps();
/// RocksDB's filters, in the table files that its public interface has them in.
std::vector<Method> rocksdb_filters();

/// The methods of a kind in a shared library as peer.h describes it, which stays loaded; none if it
/// has other kinds only. Throws Error(bad_input) that names `path` if it cannot be loaded, has no
/// kind, or a method of it lacks a call.
std::vector<Method> load_peer(const std::string& path, Kind kind);

/// All methods of a kind, of all libraries; throws Error(bad_input) if two have one name.
std::vector<Method> all_methods(Kind kind, const std::vector<std::string>& peers);
/// Those whose name or library a pattern matches (* stands for any letters); all if there is no
/// pattern. Throws Error(usage) for a pattern that matches none.
std::vector<Method> chosen(const std::vector<Method>& all,
                           const std::vector<std::string>& patterns);

}  // namespace crivo::bench
