// SPDX-License-Identifier: Apache-2.0
/// Options that ask for keys in a row, of what has its keys in order.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "crivo/index.hpp"

namespace crivo::cli {

/// --prefix, --range or --lower-bound.
class RangeOption {
 public:
  /// `what` is what has them, for the help.
  void add_to(CLI::App& command, const std::string& what);

  bool is_given() const noexcept { return !values_.empty(); }
  /// For messages: "--prefix ap".
  std::string text() const;
  /// Asks the index. Throws what OpenIndex::query() does.
  void ask(OpenIndex& index, const OpenIndex::Visit& visit) const {
    index.query(name_, values_, visit);
  }
  /// Changes each value.
  template <typename Change>
  void change(const Change& to) {
    for (std::string& value : values_) value = to(value);
  }

 private:
  std::string name_;
  std::vector<std::string> values_;
};

}  // namespace crivo::cli
