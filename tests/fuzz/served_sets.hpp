// SPDX-License-Identifier: Apache-2.0
/// The sound parts and manifests that fuzz_manifest starts from: the same whenever they are made,
/// so that manifests of seed_corpus fit the fuzzer's own parts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "crivo/shards.hpp"

namespace crivo::fuzz {

/// Makes some indexes of 30,000 keys in two parts each, in `directory`; returns their manifests.
inline std::vector<std::filesystem::path> make_served_sets(const std::filesystem::path& directory) {
  BuildOptions options;
  options.resources.threads = 1;
  std::ofstream keys(directory / "keys");
  for (int i = 0; i < 30'000; ++i) keys << "key " << i << '\n';
  keys.close();
  const std::filesystem::path dealt = directory / "dealt";
  partition_keys({{(directory / "keys").string()}, {}}, dealt, {}, options);
  finish_partition(dealt, options);
  std::vector<std::filesystem::path> manifests;
  const auto add = [&](auto&& build) {
    const std::string name = "set" + std::to_string(manifests.size());
    std::vector<std::filesystem::path> parts;
    for (std::uint64_t i = 0; i < 2; ++i) {
      parts.push_back(directory / (name + "-part" + std::to_string(i)));
      build(Share{i, 2}, parts.back());
    }
    manifests.push_back(directory / name);
    write_manifest(parts, manifests.back(), options);
  };
  for (const char* const algorithm : {"fast", "tiny"}) {
    add([&](const Share& shard, const std::filesystem::path& part) {
      build_mphf_part(dealt, shard, part, {.algorithm = algorithm, .signature_bits = 8}, options);
    });
  }
  for (const char* const type : {"ribbon", "fuse", "bloom", "cuckoo"}) {
    add([&](const Share& shard, const std::filesystem::path& part) {
      build_filter_part(dealt, shard, part, {.type = type}, options);
    });
  }
  add([&](const Share& shard, const std::filesystem::path& part) {
    build_map_part(dealt, shard, part, {.signature_bits = 8}, options);
  });
  return manifests;
}

}  // namespace crivo::fuzz
