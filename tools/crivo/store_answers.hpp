// SPDX-License-Identifier: Apache-2.0
/// A store's answers for many keys, in the order of the keys.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crivo/store.hpp"

namespace crivo::cli {

/// Gathers keys, and has them looked up together on every core: the more, the fewer blocks of
/// records are decompressed again. Memory: under 500 MB, or what 64 MB of keys and their records
/// take if that is less.
class StoreAnswers {
 public:
  /// `path` is the store's, for messages.
  StoreAnswers(const Store& store, const std::string& path)
      : store_(store), path_(path), reader_(store) {}

  /// Copies the keys.
  void add(std::span<const std::string_view> keys);
  /// Whether no more should be added before they are answered.
  bool full() const noexcept;

  /// Gets each key's record, or null if there is none.
  using Visit = std::function<void(std::string_view key, const std::string_view* record)>;
  /// Answers all keys added since the last call, in order. Throws Error(corrupt) at a record that
  /// is damaged.
  void answer(const Visit& visit);

 private:
  const Store& store_;
  const std::string& path_;
  Store::Reader reader_;
  std::string texts_;
  std::vector<std::size_t> ends_;  ///< of the keys in texts_
};

}  // namespace crivo::cli
