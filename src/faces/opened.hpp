// SPDX-License-Identifier: Apache-2.0
/// Each kind's OpenIndex, opened as the rows of kinds.cpp do.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "crivo/index.hpp"
#include "crivo/inspect.hpp"

namespace crivo::index {

std::unique_ptr<OpenIndex> open_mphf(const std::filesystem::path& path, const OpenOptions& options);
std::unique_ptr<OpenIndex> open_filter(const std::filesystem::path& path,
                                       const OpenOptions& options);
std::unique_ptr<OpenIndex> open_map(const std::filesystem::path& path, const OpenOptions& options);
std::unique_ptr<OpenIndex> open_store(const std::filesystem::path& path,
                                      const OpenOptions& options);
std::unique_ptr<OpenIndex> open_exact(const std::filesystem::path& path,
                                      const OpenOptions& options);

/// What kinds do alike by a structure of their own class.
template <typename Structure>
class Opened : public OpenIndex {
 public:
  Opened(std::string_view kind, const std::filesystem::path& path, const OpenOptions& options)
      : OpenIndex(path.string(), kind), structure_(Structure::open(path, options)) {}

  std::uint64_t size() const noexcept final { return structure_.size(); }
  FileInfo info() const final { return structure_.info(); }
  void verify(const Resources& resources) const final { structure_.verify(resources); }

 protected:
  const Structure& structure() const noexcept { return structure_; }

 private:
  Structure structure_;
};

/// What an exact set can be asked beside keys.
inline constexpr std::array kExactQueries{
    QueryInfo{.name = "at",
              .value_name = "NAME=VALUE",
              .help = "of an exact set: every key is of this epoch, and \"outside\" unless the set "
                      "covers it (name KEYS then, - for standard input)"}};

/// How many keys are looked up before the first of them is answered.
inline constexpr std::size_t kAnswerBlock = 1024;

/// Calls use(some) for blocks of the keys, in order.
template <typename Use>
void for_each_answer_block(std::span<const std::string_view> keys, Use&& use) {
  while (!keys.empty()) {
    const auto some = keys.first(std::min(kAnswerBlock, keys.size()));
    use(some);
    keys = keys.subspan(some.size());
  }
}

}  // namespace crivo::index
