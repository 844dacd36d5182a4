// SPDX-License-Identifier: Apache-2.0
/// A kind of index: what a reader does with files of one kind and not with others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "crivo/error.hpp"
#include "crivo/index.hpp"
#include "crivo/inspect.hpp"
#include "crivo/value_form.hpp"
#include "file/container.hpp"

namespace crivo::index {

/// Throws Error(usage) for a part of a sharded build, and for its keys, which no key is looked up
/// in; and for the bytes of a manifest.
inline void refuse_part(const file::Container& container) {
  if (container.header().kind == file::Kind::manifest) {
    throw Error(
        ErrorKind::usage,
        container.name() + ": a manifest needs the part files beside it; open it by its path");
  }
  if (!file::is_step(container.header().kind)) return;
  throw Error(ErrorKind::usage,
              container.name() + (container.header().kind == file::Kind::part
                                      ? ": a part of a build in shards; merge the parts first"
                                      : ": a file of a partition; build from its directory"));
}

/// "an MPHF", "a filter" and so on.
inline std::string noun_of(file::Kind kind) {
  return std::string(file::find_kind(kind)->noun);
}

/// Throws Error(usage) unless the container holds `kind`; also for a part.
inline void require_kind(const file::Container& container, file::Kind kind) {
  refuse_part(container);
  if (container.header().kind != kind) {
    throw Error(ErrorKind::usage, container.name() + ": is " + noun_of(container.header().kind) +
                                      ", not " + noun_of(kind));
  }
}
inline file::Container of_kind(file::Container container, file::Kind kind) {
  require_kind(container, kind);
  return container;
}

/// The name in messages for bytes that a program has in memory.
inline constexpr const char* kBytesName = "(bytes)";

/// Opens `path`, which must hold `kind`.
inline file::Container open_kind(const std::filesystem::path& path, file::Kind kind,
                                 file::Loading loading = file::Loading::for_a_pass) {
  return of_kind(file::Container::open(path, loading), kind);
}

/// Opens bytes, which must hold `kind`.
inline file::Container open_kind(base::ByteView bytes, file::Kind kind, file::Loading loading) {
  return of_kind(file::Container::open(bytes, kBytesName, loading), kind);
}

/// The form of a map's values.
inline ValueForm value_form(const file::Header& header) noexcept {
  return {ValueType{static_cast<std::uint8_t>(static_cast<int>(header.value_type) - 1)},
          header.value_scale};
}
/// Sets the header's fields to a form of values.
inline void set_value_form(const ValueForm& form, file::Header& header) noexcept {
  header.value_type =
      file::ValueTypeId{static_cast<std::uint16_t>(static_cast<int>(form.type) + 1)};
  header.value_scale = static_cast<std::uint16_t>(form.scale);
}

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
