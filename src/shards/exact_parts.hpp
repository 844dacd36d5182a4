// SPDX-License-Identifier: Apache-2.0
/// Parts of exact sets and of their deltas: what a shard leaves of its share of the universe, of
/// which the merge builds (formats/parts.md, "Parts of exact sets and deltas").
#pragma once

#include <cstdint>
#include <functional>

#include "build/build_frame.hpp"
#include "build/built_file.hpp"
#include "crivo/build/options.hpp"
#include "shards/part_set.hpp"
#include "shards/universe_directory.hpp"

namespace crivo::index {

/// The numbers of a part's two lists.
inline constexpr std::size_t kMembersList = 0;   ///< of an exact set
inline constexpr std::size_t kUniverseList = 1;  ///< of it, the keys that are left
inline constexpr std::size_t kFlipsList = 0;     ///< of a delta
inline constexpr std::size_t kOthersList = 1;    ///< of it

/// A hash with a number, 24 bytes in a list.
using UseListed = std::function<void(const Hash128& hash, std::uint64_t number)>;

/// Writes the two lists of a part, each ascending by hashes, and its head.
class ListedPart {
 public:
  /// Begins the part of a shard that has the hashes of range_of_shard().
  ListedPart(file::PendingFile& file, file::Kind kind, const Share& shard, unsigned bits,
             file::Metadata choices);

  /// The next list: fill(add) calls add(hash, number) for each of it.
  void add_list(const std::function<void(const UseListed& add)>& fill);
  base::Sink& begin_section(std::uint32_t type) { return writer_.begin_section(type); }
  /// `header` is the whole file's.
  file::ContainerWriter::Written finish(file::Header header);

 private:
  file::ContainerWriter writer_;
  PartHead head_;
  std::size_t next_ = 0;  ///< list
};

/// How many bits those hashes have in common that a shard of so many has.
unsigned list_bits(std::uint64_t shards) noexcept;
/// The hashes of a shard.
HashRange range_of_shard(unsigned bits, const Share& shard) noexcept;

/// Whether a part has lists or whole groups, and no pieces of sections.
bool is_listed(const PartFile& part) noexcept;
/// Calls use(hash, number) for all of a list.
void for_each_listed(const PartFile& part, std::size_t list, const UseListed& use);

/// Checks the parts' headers, which must be alike. Throws Error(corrupt).
void check_lists(const Parts& parts);

/// merge_parts() of such parts, once they are verified.
BuildSummary merge_exact(const Parts& parts, const BuildOptions& options, BuildFrame& frame,
                         BuiltFile& file);
BuildSummary merge_delta(const Parts& parts, const BuildOptions& options, BuildFrame& frame,
                         BuiltFile& file);

}  // namespace crivo::index
