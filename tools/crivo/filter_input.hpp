// SPDX-License-Identifier: Apache-2.0
/// FILTER arguments of commands that only read filters: "-" is standard input.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace crivo::cli {

/// Paths by which filters can be mapped while the object lives. Standard input is copied into a
/// temporary file without a name.
class FilterInputs {
 public:
  /// `others` are what else the command reads. Throws Error(usage) if standard input is named more
  /// than once, Error(io) if it cannot be copied.
  explicit FilterInputs(std::vector<std::string> filters,
                        const std::vector<std::string>& others = {});

  const std::vector<std::string>& paths() const noexcept { return paths_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { (void)std::fclose(file); }
  };

  std::vector<std::string> paths_;
  std::unique_ptr<std::FILE, Close> copy_;
};

}  // namespace crivo::cli
