// SPDX-License-Identifier: Apache-2.0
/// The file of a part (formats/parts.md): what one shard adds to each section of the whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "build/run.hpp"
#include "crivo/build/shards.hpp"
#include "file/container.hpp"
#include "file/mapped_file.hpp"
#include "records/build/part_records.hpp"
#include "stream/hash_source.hpp"

namespace crivo::index {

/// Whether the keys of a structure of 2^bits partitions are unbuilt in the parts of so many shards:
/// there are fewer partitions than shards (unbuilt_keys.hpp). Those of a store never are, as how
/// its records are cut into blocks depends on their ranks, which unbuilt keys have only when all is
/// merged; nor those of rows, where a key may be there more than once.
constexpr bool are_unbuilt(file::Kind kind, unsigned partition_bits,
                           std::uint64_t shards) noexcept {
  return kind != file::Kind::store && kind != file::Kind::rows && partition_bits < 64 &&
         std::uint64_t{1} << partition_bits < shards;
}
/// Whether the keys of a file of this kind have values.
constexpr bool has_values(file::Kind kind) noexcept {
  return kind == file::Kind::map;
}

/// The pieces that the part has of a section, each a Part of some partitions in their order; or
/// unbuilt keys, as the notes of pieces of no partition.
struct SectionShare {
  std::uint32_t type = 0;       ///< of the section
  unsigned partition_bits = 0;  ///< of its Assembly
  stream::PartitionRun run{};   ///< the shard's partitions; none where keys are unbuilt
  std::uint64_t lead = 0;  ///< zero bytes before the first body, so that its place in a page is
                           ///< Assembly::place_in_page()
  struct Piece {
    std::uint64_t partitions = 0;  ///< that begin with it: 0 only of unbuilt keys, and of records,
                                   ///< of which one may be in many pieces
    std::uint64_t body_bytes = 0;
    std::uint64_t note_bytes = 0;
    std::uint64_t signature_bytes = 0;
  };
  std::vector<Piece> pieces{};
};

struct PartHead {
  file::Kind kind = file::Kind::mphf;  ///< of the whole
  Share shard{};
  unsigned value_width = 0;              ///< of a map, and of the numbers of rows
  file::Metadata choices{};              ///< of the whole's Recipe
  std::vector<SectionShare> sections{};  ///< of a store the last one is of the records
  std::uint64_t ranks = 0;               ///< of a store: those that the part has
  std::uint64_t places = 0;              ///< of rows: those that all keys of the whole are in

  /// Those that are built of hashes.
  std::span<const SectionShare> functions() const noexcept {
    return std::span(sections).first(sections.size() - (kind == file::Kind::store ? 1 : 0));
  }
};
base::Bytes encode(const PartHead& head);

/// A part, mapped.
class PartFile {
 public:
  /// Throws Error(usage) if it is no part; Error(corrupt, io). Messages begin with the path.
  explicit PartFile(const std::filesystem::path& path);

  const std::string& name() const noexcept { return container_.name(); }
  const file::Container& container() const noexcept { return container_; }
  const PartHead& head() const noexcept { return head_; }
  /// Those of the whole's Recipe, as they stand in the part; empty where it has none.
  base::ByteView counts() const;
  /// The records of a store's ranks. Throws Error(corrupt) if they are not there.
  records::SlottedUnits units() const;

  /// Lets go of the pages that were read.
  void forget() const noexcept { file_.forget(); }
  /// Container::verify, which lets go of the pages as it goes on.
  void verify(unsigned threads, const std::function<void(std::uint64_t)>& progress) const;

  struct Piece {
    PartView part;
    base::ByteView signatures;
  };
  /// Calls use(piece) for the pieces of section `index`, and lets go of the pages that they were
  /// in.
  void for_each_piece(std::size_t index, const std::function<void(const Piece&)>& use) const;
  /// Calls use(entry) for those of units(), which are of this codec, in the same way.
  void for_each_entry(const records::CodecType& codec,
                      const std::function<void(const records::PartEntry&)>& use) const;

 private:
  file::MappedFile file_;
  file::Container container_;
  PartHead head_;
};

}  // namespace crivo::index
