// SPDX-License-Identifier: Apache-2.0
/// Where the bytes of a file that is built go.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "crivo/export.hpp"

namespace crivo {

/// A path, or a function that takes the bytes.
class CRIVO_API Output {
 public:
  using Write = std::function<void(std::span<const std::byte> bytes)>;

  // NOLINTBEGIN(google-explicit-constructor): a path is what most outputs are
  Output(std::filesystem::path path) : path_(std::move(path)) {}
  Output(const std::string& path) : path_(path) {}
  Output(const char* path) : path_(path) {}
  // NOLINTEND(google-explicit-constructor)

  /// `write` is called with the whole file, piece by piece from front to back, when it is finished:
  /// till then it is in the temporary directory. A build that fails calls it never; what it throws
  /// goes through the build.
  static Output to(Write write) { return Output(std::move(write)); }
  /// The file is appended to `bytes`, which must outlive the build.
  static Output to(std::vector<std::byte>& bytes) {
    return to([&bytes](std::span<const std::byte> more) {
      bytes.insert(bytes.end(), more.begin(), more.end());
    });
  }

  /// Empty where a function takes the bytes.
  const std::filesystem::path& path() const noexcept { return path_; }
  /// Null for a path.
  const Write& write() const noexcept { return write_; }
  /// What messages call it.
  std::string name() const { return write_ ? "(output)" : path_.string(); }

 private:
  explicit Output(Write write) : write_(std::move(write)) {}

  std::filesystem::path path_;
  Write write_;
};

}  // namespace crivo
