// SPDX-License-Identifier: Apache-2.0
/// What inspect and verify do with the files of each kind.
#pragma once

#include "crivo/inspect.hpp"
#include "faces/check_answers.hpp"
#include "file/container.hpp"
#include "opening/rank_index.hpp"

namespace crivo::index {

/// A kind of file that is described by itself. To add one: implement these, and add a row.
struct FileKind {
  file::Kind kind;
  /// Opens the structure as a lookup would, and adds what it says. Throws Error(corrupt).
  void (*describe)(const file::Container& container, FileInfo& info);
  /// What check_mphf() and its like do. Null where no keys are looked up.
  std::uint64_t (*check)(const file::Container& container, const KeyInput& input,
                         const CheckOptions& options, const base::BuildContext& context) = nullptr;
};

/// Throws Error(usage) for a kind that is described with other files, such as the index of a store.
const FileKind& find_file_kind(const file::Container& container);

/// Adds the algorithm that built an index of ranks, its parameters and its signatures.
void describe_ranks(const RankIndex& ranks, FileInfo& info);

}  // namespace crivo::index
