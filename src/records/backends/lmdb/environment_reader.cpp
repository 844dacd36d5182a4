// SPDX-License-Identifier: Apache-2.0
/// Lookups in an environment.
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/cpu.hpp"
#include "records/backends/lmdb/environment.hpp"
#include "records/backends/lmdb/liblmdb.hpp"

namespace crivo::records {

namespace {

/// A batch descends the tree, then reads a group's directory, then a place in it, then the unit:
/// so many keys before the last.
constexpr std::size_t kDescentsAhead = 30;
constexpr std::size_t kDirectoriesAhead = 20;
constexpr std::size_t kUnitsAhead = 10;
constexpr std::size_t kRing = 32;
static_assert(kDescentsAhead < kRing);

}  // namespace

EnvironmentReader::EnvironmentReader(const Environment& environment)
    : environment_(environment), unit_(environment.codec_) {
  int result = mdb_txn_begin(environment.environment_, nullptr, MDB_RDONLY, &transaction_);
  if (result != 0) throw_lmdb_error(environment.path_, result);
  result = mdb_cursor_open(transaction_, environment.database_, &cursor_);
  if (result != 0) {
    mdb_txn_abort(transaction_);
    throw_lmdb_error(environment.path_, result);
  }
}

EnvironmentReader::~EnvironmentReader() {
  mdb_cursor_close(cursor_);
  mdb_txn_abort(transaction_);
}

bool EnvironmentReader::find_group(std::uint64_t rank, StoredGroup& group) noexcept {
  MDB_val key{sizeof rank, &rank};
  MDB_val value{};
  if (guarded_get(cursor_, key, value, MDB_SET_RANGE) != 0) return false;
  group = {{static_cast<const std::byte*>(value.mv_data), value.mv_size},
           base::load_le<std::uint64_t>(key.mv_data)};
  return true;
}

bool EnvironmentReader::open_group(std::uint64_t rank, base::ByteView& bytes,
                                   GroupReader& group) noexcept {
  StoredGroup stored;
  if (!find_group(rank, stored)) return false;
  bytes = stored.bytes;
  return group.open(stored.bytes, stored.last_rank);
}

bool EnvironmentReader::take(std::uint64_t rank, std::string_view& stored_key,
                             std::string_view& record) noexcept {
  if (unit_.go_to(static_cast<std::uint32_t>(rank - first_rank_)) &&
      unit_.take(stored_key, record)) {
    return true;
  }
  end_rank_ = 0;
  return false;
}

Lookup EnvironmentReader::take(std::uint64_t rank, std::string_view key) noexcept {
  std::string_view stored_key;
  std::string_view record;
  if (!take(rank, stored_key, record)) return {Outcome::damaged, {}};
  if (stored_key != key) return {Outcome::absent, {}};
  return {Outcome::found, record};
}

Lookup EnvironmentReader::read_unit(const GroupReader::Unit& unit, std::uint64_t rank,
                                    std::string_view key) noexcept {
  if (unit_.by_record()) {
    if (unit.first_rank != rank) return {Outcome::damaged, {}};
    return unit_.find(unit.stored, rank, key);
  }
  end_rank_ = 0;  // the bytes of the unit at hand are overwritten
  if (!unit_.open(unit.stored, unit.first_rank)) return {Outcome::damaged, {}};
  first_rank_ = unit.first_rank;
  end_rank_ = unit.first_rank + unit.records;
  return take(rank, key);
}

Lookup EnvironmentReader::find(std::uint64_t rank, std::string_view key) noexcept {
  if (rank >= environment_.records()) return {Outcome::absent, {}};
  if (is_at_hand(rank)) return take(rank, key);
  base::ByteView bytes;
  GroupReader group;
  GroupReader::Unit unit;
  if (!open_group(rank, bytes, group) || !group.find(rank, unit)) return {Outcome::damaged, {}};
  return read_unit(unit, rank, key);
}

std::optional<std::string_view> EnvironmentReader::key_of(std::uint64_t rank) noexcept {
  if (rank >= environment_.records()) return std::nullopt;
  std::string_view key;
  std::string_view record;
  if (!unit_.by_record()) {  // which brings its unit to hand
    if (find(rank, {}).outcome == Outcome::damaged || !take(rank, key, record)) return std::nullopt;
    return key;
  }
  base::ByteView bytes;
  GroupReader group;
  GroupReader::Unit unit;
  if (!open_group(rank, bytes, group) || !group.find(rank, unit) || unit.first_rank != rank ||
      !unit_.open(unit.stored, rank) || !unit_.take(key, record)) {
    return std::nullopt;
  }
  return key;
}

void EnvironmentReader::find(std::span<const std::uint64_t> ranks,
                             std::span<const std::string_view> keys,
                             const std::function<void(std::size_t, const Lookup&)>& visit) {
  // The keys that are under way, in a ring, and how far they are. A key whose group or unit is
  // damaged goes no further.
  enum class Reached : std::uint8_t { nothing, group, directory, unit, damage };
  struct UnderWay {
    Reached reached = Reached::nothing;
    StoredGroup stored;
    GroupReader group;
    GroupReader::Unit unit;
  };
  std::array<UnderWay, kRing> ring;
  const auto descend = [&](std::size_t i) {
    UnderWay& at = ring[i % kRing];
    at.reached = Reached::nothing;
    if (ranks[i] >= environment_.records()) return;
    at.reached = find_group(ranks[i], at.stored) ? Reached::group : Reached::damage;
    if (at.reached == Reached::group) base::prefetch_lines(at.stored.bytes.data(), 1);
  };
  const auto open = [&](std::size_t i) {
    UnderWay& at = ring[i % kRing];
    if (at.reached != Reached::group) return;
    at.reached =
        at.group.open(at.stored.bytes, at.stored.last_rank) ? Reached::directory : Reached::damage;
    if (at.reached != Reached::directory) return;
    const base::ByteView entry = at.group.directory_entry(ranks[i]);
    base::prefetch_lines(entry.data(), entry.size());
  };
  const auto place = [&](std::size_t i) {
    UnderWay& at = ring[i % kRing];
    if (at.reached != Reached::directory) return;
    at.reached = at.group.find(ranks[i], at.unit) ? Reached::unit : Reached::damage;
    if (at.reached == Reached::unit) {
      base::prefetch_lines(at.unit.stored.data(), at.unit.stored.size());
    }
  };
  const std::size_t size = ranks.size();
  for (std::size_t i = 0; i < std::min(kDescentsAhead, size); ++i) descend(i);
  for (std::size_t i = 0; i < std::min(kDirectoriesAhead, size); ++i) open(i);
  for (std::size_t i = 0; i < std::min(kUnitsAhead, size); ++i) place(i);
  for (std::size_t i = 0; i < size; ++i) {
    if (i + kDescentsAhead < size) descend(i + kDescentsAhead);
    if (i + kDirectoriesAhead < size) open(i + kDirectoriesAhead);
    if (i + kUnitsAhead < size) place(i + kUnitsAhead);
    const UnderWay& at = ring[i % kRing];
    if (at.reached == Reached::unit) {
      const bool at_hand = is_at_hand(ranks[i]);
      visit(i, at_hand ? take(ranks[i], keys[i]) : read_unit(at.unit, ranks[i], keys[i]));
    } else {
      visit(i, {at.reached == Reached::damage ? Outcome::damaged : Outcome::absent, {}});
    }
  }
}

}  // namespace crivo::records
