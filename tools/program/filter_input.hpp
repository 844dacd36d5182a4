// SPDX-License-Identifier: Apache-2.0
/// FILTER arguments of commands that only read filters: "-" is standard input.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace crivo::cli {

/// Paths by which filters can be mapped while the object lives. Standard input is copied into a
/// temporary file, which keeps its name only where /proc, which has another for it, is not mounted.
class FilterInputs {
 public:
  /// `others` are what else the command reads. Throws Error(usage) if standard input is named more
  /// than once, Error(io) if it cannot be copied.
  explicit FilterInputs(std::vector<std::string> filters,
                        const std::vector<std::string>& others = {});

  const std::vector<std::string>& paths() const noexcept { return paths_; }

 private:
  class Copy {
   public:
    Copy();
    ~Copy();
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;

    std::FILE* file() const noexcept { return file_.get(); }
    const std::string& path() const noexcept { return path_; }

   private:
    struct Close {
      void operator()(std::FILE* file) const noexcept { (void)std::fclose(file); }
    };

    std::string name_;
    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
  };

  std::vector<std::string> paths_;
  std::optional<Copy> copy_;
};

}  // namespace crivo::cli
