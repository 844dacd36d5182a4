// SPDX-License-Identifier: Apache-2.0
/// Stores on disk whose records are changed, for crivo-bench-updates.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bench/stores/record_set.hpp"

namespace crivo::bench {

using Pairs = std::span<const KeyAndRecord>;

/// A store on disk whose records are there already, and are changed.
class Updated {
 public:
  virtual ~Updated() = default;
  /// One durable commit.
  virtual void set(Pairs pairs) = 0;
  virtual std::string get(std::string_view key) = 0;
};

/// Empty ones, in a directory that they make.
std::unique_ptr<Updated> updated_lmdb(const std::filesystem::path& directory);
#ifdef CRIVO_BENCH_SQLITE
std::unique_ptr<Updated> updated_sqlite(const std::filesystem::path& directory);
#endif

}  // namespace crivo::bench
