// SPDX-License-Identifier: Apache-2.0
/// Bytes as a page group of a store: u8 codec, u16 length of a dictionary, the dictionary, u64 rank
/// of the group's last record, the group. Checks of units are put right first, or no mutation would
/// get past them. Then the group is refused, or each of its units is opened and its records taken.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "fuzz/fuzz_input.hpp"
#include "hashing/crc32c.hpp"
#include "records/backends/lmdb/group.hpp"
#include "records/unit.hpp"

namespace {

using namespace crivo;

constexpr std::uint64_t kLongestRaw = std::uint64_t{1} << 16;
constexpr std::size_t kHead = 1 + 2;

/// `unit` lies in `group`, whose bytes may be written.
void mend_check(std::span<std::byte> group, const records::GroupReader::Unit& unit) {
  if (unit.stored.size() < records::kUnitCheckSize) return;
  const base::ByteView checked = unit.stored.subspan(records::kUnitCheckSize);
  const auto at = static_cast<std::size_t>(unit.stored.data() - group.data());
  base::store_le(group.data() + at, hashing::crc32c()(checked, unit.first_rank));
}

/// Takes the records of an open unit; returns the last one's key.
std::string take_records(records::UnitReader& reader) {
  std::string_view key;
  std::string_view record;
  std::uint32_t taken = 0;
  while (reader.take(key, record)) ++taken;
  if (taken > reader.records() || (reader.is_finished() && taken != reader.records())) std::abort();
  return std::string(key);
}

/// A unit of one record gives it to its key and to no other.
void find_records(records::UnitReader& reader, const records::GroupReader::Unit& unit) {
  const std::string key =
      reader.open(unit.stored, unit.first_rank) ? take_records(reader) : std::string();
  if (!reader.by_record()) return;
  using records::Outcome;
  const Outcome own = reader.find(unit.stored, unit.first_rank, key).outcome;
  const Outcome other = reader.find(unit.stored, unit.first_rank, key + "x").outcome;
  const bool is_sound = reader.open(unit.stored, unit.first_rank);
  if (is_sound && (own != Outcome::found || other != Outcome::absent)) std::abort();
  if (!is_sound && (own == Outcome::found || other == Outcome::found)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  if (size < kHead + 8) return 0;
  const records::CodecType& type = records::codec_types()[data[0] % records::kCodecs];
  const std::size_t dictionary_size = base::load_le<std::uint16_t>(bytes + 1);
  if (size - kHead - 8 < dictionary_size) return 0;
  const fuzz::Input dictionary(data + kHead, dictionary_size);
  const std::size_t before = kHead + dictionary_size + 8;
  const std::uint64_t last_rank = base::load_le<std::uint64_t>(bytes + before - 8);
  const fuzz::Input input(data + before, size - before);
  fuzz::expect_use_or_refusal([&] {
    const auto codec = type.open(dictionary.view());
    records::UnitReader reader(type, *codec, kLongestRaw);
    records::GroupReader group;
    if (!group.open(input.view(), last_rank)) return;
    records::GroupReader::Unit unit;
    for (std::uint64_t rank = group.first_rank(); group.find(rank, unit); rank += unit.records) {
      if (unit.first_rank > rank || unit.records == 0) std::abort();
      mend_check(input.writable(), unit);
      find_records(reader, unit);
      if (unit.records > last_rank - rank) break;
    }
  });
  return 0;
}
