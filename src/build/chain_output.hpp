// SPDX-License-Identifier: Apache-2.0
/// Writing a chain of any kind.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/error.hpp"
#include "file/container.hpp"
#include "file/metadata.hpp"
#include "file/output_target.hpp"

namespace crivo::exact {

inline file::IfExists if_exists(bool replace) noexcept {
  return replace ? file::IfExists::replace : file::IfExists::refuse;
}

/// What a chain is to have.
struct NewChain {
  file::Digest state{};
  std::vector<const file::Container*> files{};  ///< in order, which must outlive it
  std::uint64_t keys = 0;
  base::Bytes removed{};  ///< the section of removed names, of layers
  file::Metadata metadata{};
};

/// A chain that is made of what there is before, or takes its place at once. All who change it wait
/// for each other.
class ChainOutput {
 public:
  /// Throws Error(usage, io), as OutputTarget does.
  ChainOutput(const std::filesystem::path& before, const std::filesystem::path& chain, bool replace,
              Progress* progress);

  /// Whether the chain takes the place of what was before.
  bool replaces() const noexcept { return lock_.has_value(); }
  /// The path to open what was before by: nobody changes it from here on.
  const std::filesystem::path& before() const noexcept {
    return replaces() ? target_.place() : before_;
  }
  /// Throws Error(usage) if the chain would take the place of that file.
  void refuse_input(const std::filesystem::path& path) const {
    target_.refuse_inputs({path.string()});
  }
  /// As it was given, and where it leads to.
  const std::filesystem::path& path() const noexcept { return target_.path(); }
  const std::filesystem::path& place() const noexcept { return target_.place(); }
  /// Where its files lie, or below.
  std::filesystem::path folder() const;

  /// Writes the chain; returns its bytes with those of its files. Throws Error(usage) for a file
  /// that lies elsewhere, Error(io).
  std::uint64_t publish(const NewChain& chain, std::vector<Warning>& warnings);

 private:
  std::filesystem::path before_;
  file::OutputTarget target_;
  std::optional<file::OutputLock> lock_;
};

}  // namespace crivo::exact
