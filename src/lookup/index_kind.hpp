// SPDX-License-Identifier: Apache-2.0
/// A kind of index: what a reader does with files of one kind and not with others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "crivo/index.hpp"
#include "crivo/inspect.hpp"
#include "file/container.hpp"

namespace crivo::index {

struct IndexKind {
  file::Kind kind;
  std::string_view name;

  /// Opens the file as it is, for lookups by the program and for `dump`.
  std::unique_ptr<OpenIndex> (*open)(const std::filesystem::path& path,
                                     const OpenOptions& options) = nullptr;
  /// Opens the structure as a lookup would, and adds what it says. Throws Error(corrupt). Null for
  /// a kind whose index is one file among others.
  void (*describe)(const file::Container& container, FileInfo& info) = nullptr;
  /// Verifies what no sum of the file tells: other files that it names, or what holds a structure
  /// together. Throws Error(corrupt). Null where there is nothing.
  void (*verify_more)(const file::Container& container, unsigned threads,
                      const std::function<void(std::uint64_t)>& progress) = nullptr;
};

/// Null for a kind of file that is no index, such as a part.
const IndexKind* find_index_kind(file::Kind kind) noexcept;

/// Throws Error(usage) for a kind that is described with other files, such as the index of a store,
/// and for one in which no keys are looked up.
const IndexKind& index_kind_of(const file::Container& container);

}  // namespace crivo::index
