// SPDX-License-Identifier: Apache-2.0
/// A file beside bytes that come one after the other and should be the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/build/reproduce.hpp"
#include "file/container.hpp"
#include "file/mapped_file.hpp"

namespace crivo {

class BytesComparison {
 public:
  /// Of the file `path`; `container` is what it holds, or null where it is none. Throws Error(io).
  BytesComparison(const std::filesystem::path& path, const file::Container* container);

  /// Compares the next bytes.
  void see(base::ByteView bytes);
  /// What was found, when all was seen.
  std::optional<Difference> finish() const;

 private:
  /// A section, or what is before or behind all of them.
  struct Range {
    std::string name;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::optional<std::uint64_t> found{};  ///< the first byte of it that differs
  };
  void note(std::uint64_t byte);

  std::string path_;
  file::MappedFile file_;
  std::vector<Range> ranges_;  ///< in their order in the file, with no holes between them
  std::uint64_t seen_ = 0;
  std::uint64_t kept_ = 0;  ///< bytes seen since pages were let go
};

}  // namespace crivo
