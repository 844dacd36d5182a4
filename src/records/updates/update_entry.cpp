// SPDX-License-Identifier: Apache-2.0
#include "records/updates/update_entry.hpp"

#include <xxhash.h>

#include <algorithm>

#include "base/varint.hpp"
#include "records/limits.hpp"

namespace crivo::records {

namespace {

constexpr std::string_view kUpdateMagic = "CRIVOUPD";

std::uint64_t check_of(base::ByteView checked, std::uint64_t rank) noexcept {
  return XXH3_64bits_withSeed(checked.data(), checked.size(), rank);
}

}  // namespace

UpdateEntry UpdateEntry::changed_to(std::string_view key, std::string_view record) {
  check_limits(key, record);
  return {Kind::changed, key, record};
}

base::Bytes UpdateEntry::encode(std::uint64_t rank) const {
  base::Bytes bytes(kFrontSize);
  bytes[kCheckSize] = static_cast<std::byte>(kind);
  base::append_varint(bytes, static_cast<std::uint32_t>(key.size()));
  for (const base::ByteView text : {base::as_bytes(key), base::as_bytes(record)}) {
    bytes.insert(bytes.end(), text.begin(), text.end());
  }
  base::store_le(bytes.data(), check_of(base::ByteView(bytes).subspan(kCheckSize), rank));
  return bytes;
}

std::optional<UpdateEntry> UpdateEntry::decode(base::ByteView bytes, std::uint64_t rank) noexcept {
  if (bytes.size() < kFrontSize) return std::nullopt;
  base::ByteView rest = bytes.subspan(kCheckSize);
  if (check_of(rest, rank) != base::load_le<std::uint64_t>(bytes.data())) return std::nullopt;
  UpdateEntry entry;
  entry.kind = static_cast<Kind>(rest.front());
  if (entry.kind != Kind::changed && entry.kind != Kind::removed) return std::nullopt;
  rest = rest.subspan(1);
  std::uint32_t key_size = 0;
  if (!base::take_varint(rest, key_size) || key_size > rest.size()) return std::nullopt;
  entry.key = base::as_text(rest.first(key_size));
  entry.record = base::as_text(rest.subspan(key_size));
  return entry;
}

void UpdateTotals::add(base::ByteView front) noexcept {
  ++entries;
  sum += base::load_le<std::uint64_t>(front.data());
  if (front[UpdateEntry::kCheckSize] == static_cast<std::byte>(UpdateEntry::Kind::removed)) {
    ++removed;
  }
}

void UpdateTotals::remove(base::ByteView front) noexcept {
  --entries;
  sum -= base::load_le<std::uint64_t>(front.data());
  if (front[UpdateEntry::kCheckSize] == static_cast<std::byte>(UpdateEntry::Kind::removed)) {
    --removed;
  }
}

base::Bytes UpdateState::encode() const {
  base::FieldWriter fields;
  fields.bytes(base::as_bytes(kUpdateMagic)).u32(version).u32(0).bytes(content_id).u64(commits);
  fields.u64(totals.entries).u64(totals.removed).u64(totals.sum);
  base::Bytes bytes = fields.take();
  const std::uint64_t check = XXH3_64bits(bytes.data(), bytes.size());
  bytes.resize(kSize);
  base::store_le(bytes.data() + kSize - sizeof check, check);
  return bytes;
}

std::optional<UpdateState> UpdateState::decode(base::ByteView bytes) noexcept {
  constexpr std::size_t kChecked = kSize - 8;
  if (bytes.size() != kSize || base::as_text(bytes.first(kUpdateMagic.size())) != kUpdateMagic ||
      base::load_le<std::uint64_t>(bytes.data() + kChecked) !=
          XXH3_64bits(bytes.data(), kChecked)) {
    return std::nullopt;
  }
  const auto field = [&](std::size_t at) {
    return base::load_le<std::uint64_t>(bytes.data() + at);
  };
  UpdateState state;
  state.version = base::load_le<std::uint32_t>(bytes.data() + 8);
  std::ranges::copy(bytes.subspan(16, 16), state.content_id.begin());
  state.commits = field(32);
  state.totals = {.entries = field(40), .removed = field(48), .sum = field(56)};
  return state;
}

}  // namespace crivo::records
