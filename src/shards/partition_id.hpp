// SPDX-License-Identifier: Apache-2.0
/// By what a partition, and the file of one of its tasks, are known again.
#pragma once

#include <optional>
#include <vector>

#include "build/build_frame.hpp"
#include "build/map_input.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/build/shards.hpp"
#include "file/content_id.hpp"

namespace crivo::index {

/// An input file as it stands there; nothing for one that is no regular file.
using Stamp = std::optional<input::InputStamp>;

/// The partition is known by this: the whole input's names and sizes, and all that was chosen, with
/// the files of `rows` before any is read; null where keys have none.
file::ContentId plan_id(const KeyInput& input, const std::vector<Stamp>& stamps,
                        const PartitionOptions& partition, const BuildOptions& options,
                        const input::RowFiles* rows);

/// The state of a task's files, and what it has of them; zero where it cannot be told, as of keys
/// in memory.
file::ContentId input_id(const KeyInput& input, const std::vector<Stamp>& stamps,
                         const std::optional<input::InputPart>& part);

}  // namespace crivo::index
