// SPDX-License-Identifier: Apache-2.0
#include "records/build/record_text.hpp"

#include <array>

#include "base/bytes.hpp"
#include "crivo/error.hpp"

namespace crivo::records {
namespace {

[[noreturn]] void fail_text() {
  throw Error(ErrorKind::corrupt, "a temporary file of keys and records is damaged");
}

}  // namespace

bool append_record_text(const RecordSpool& spool, const RecordEntry& entry, std::string& to) {
  bool stays = false;
  entry.for_each([&](const RecordEntry& one) {
    const std::uint32_t bytes = one.record_size();
    if (bytes < RecordEntry::kLeastFar) {
      base::append_varint(to, 2 * bytes);
      to.append(one.record());
      return;
    }
    const RecordEntry::Place place = spool.place_of(one);
    std::array<std::byte, RecordEntry::kPlaceBytes> numbers;
    base::store_le(numbers.data(), place.at);
    base::store_le(numbers.data() + 8, place.check);
    base::append_varint(to, 2 * bytes + 1);
    to.append(base::as_text(numbers));
    stays = true;
  });
  return stays;
}

std::string_view read_record_text(const RecordSpool* spool, std::string_view text,
                                  base::Bytes& room) {
  room.clear();
  base::ByteView rest = base::as_bytes(text);
  for (bool is_first = true; is_first || !rest.empty(); is_first = false) {
    std::uint32_t head = 0;
    if (!base::take_varint(rest, head)) fail_text();
    const bool is_placed = head % 2 != 0;
    const std::size_t bytes = head / 2;
    const std::size_t here = is_placed ? RecordEntry::kPlaceBytes : bytes;
    if (here > rest.size() || (is_placed && spool == nullptr)) fail_text();
    const base::ByteView part = rest.first(here);
    rest = rest.subspan(here);
    if (!is_placed && is_first && rest.empty()) return base::as_text(part);
    if (!is_first) room.push_back(std::byte{'\n'});
    if (is_placed) {
      spool->append_placed({base::load_le<std::uint64_t>(part.data()),
                            base::load_le<std::uint64_t>(part.data() + 8)},
                           bytes, room);
    } else {
      room.insert(room.end(), part.begin(), part.end());
    }
  }
  return base::as_text(room);
}

}  // namespace crivo::records
