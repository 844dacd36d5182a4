// SPDX-License-Identifier: Apache-2.0
/// Words with a record each, behind a filter: a directory that holds `filter.crv` and `store`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "crivo/build/options.hpp"
#include "crivo/filter.hpp"
#include "crivo/store.hpp"

namespace crivo::apps {

class WordIndex {
 public:
  /// Builds the directory; see make_directory().
  static void build(const std::map<std::string, std::string>& records,
                    const std::filesystem::path& directory, const FilterOptions& filter);

  explicit WordIndex(const std::filesystem::path& directory)
      : WordIndex(directory / "filter.crv", directory / "store") {}
  /// A filter and a store over the same words. Throws what Filter::open() and Store::open() do, and
  /// Error(corrupt) if the filter has fewer words, for then it lacks some.
  WordIndex(const std::filesystem::path& filter, const std::filesystem::path& store);

  /// Words with a record.
  std::uint64_t size() const noexcept { return store_.size(); }
  const Filter& filter() const noexcept { return filter_; }
  /// The exact answer: a word's record, valid until the next call. Throws Error(corrupt) if the
  /// record is damaged.
  std::optional<std::string_view> find(std::string_view word);

 private:
  std::filesystem::path store_path_;
  Filter filter_;
  Store store_;
  Store::Reader reader_;
};

}  // namespace crivo::apps
