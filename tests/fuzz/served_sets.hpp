// SPDX-License-Identifier: Apache-2.0
/// The sound parts and manifests that fuzz_manifest starts from: the same whenever they are made,
/// so that manifests of seed_corpus fit the fuzzer's own parts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "crivo/build/shards.hpp"

namespace crivo::fuzz {

/// Makes some indexes of 30,000 keys, and stores of 3000, in two parts each, in `directory`;
/// returns their manifests.
inline std::vector<std::filesystem::path> make_served_sets(const std::filesystem::path& directory) {
  BuildOptions options;
  options.resources.threads = 1;
  const auto deal = [&](const char* name, int count, const char* behind, bool records) {
    std::ofstream keys(directory / name);
    for (int i = 0; i < count; ++i) keys << "key " << i << behind << '\n';
    keys.close();
    const std::filesystem::path dealt = directory / (std::string(name) + "-dealt");
    partition_keys({{(directory / name).string()}, {}}, dealt, {.records = records}, options);
    finish_partition(dealt, options);
    return dealt;
  };
  const std::filesystem::path dealt = deal("keys", 30'000, "", false);
  const std::filesystem::path records = deal("records", 3000, "\tand its record", true);
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
  for (const char* const codec : {"none", "zstd"}) {
    add([&](const Share& shard, const std::filesystem::path& part) {
      build_store_part(records, shard, part, {.backend = "flat", .codec = codec}, options);
    });
  }
  return manifests;
}

}  // namespace crivo::fuzz
