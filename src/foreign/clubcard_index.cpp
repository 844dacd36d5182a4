// SPDX-License-Identifier: Apache-2.0
#include "foreign/clubcard_index.hpp"

#include <algorithm>

#include "crivo/error.hpp"
#include "foreign/fields.hpp"

namespace crivo::foreign {
namespace {

constexpr const char* kWhat = "index of clubcards";

std::string read_name(Fields& fields) {
  const std::string_view slot = base::as_text(fields.take(kIndexNameBytes));
  const std::string_view name = slot.substr(0, slot.find('\0'));
  if (!is_clubcard_name(name)) fields.fail("has a name that no clubcard may have: " + quote(name));
  return std::string(name);
}

}  // namespace

bool is_clubcard_name(std::string_view name) noexcept {
  const auto fits = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  };
  return !name.empty() && name.size() <= kIndexNameBytes && name != "." && name != ".." &&
         std::ranges::all_of(name, fits);
}

ClubcardIndex read_clubcard_index(base::ByteView bytes, const std::string& name) {
  Fields fields(bytes, name, kWhat);
  if (base::as_text(fields.take(kClubcardIndexMagic.size())) != kClubcardIndexMagic)
    fields.fail("is of another version than 1");
  ClubcardIndex index;
  const auto names = fields.number<std::uint16_t>();
  const auto logs = fields.number<std::uint32_t>();
  if (std::uint64_t{names} * kIndexNameBytes + std::uint64_t{logs} * kIndexLogBytes > bytes.size())
    fields.fail("names more than it holds");
  for (std::size_t i = 0; i < names; ++i) index.names.push_back(read_name(fields));
  const std::uint64_t tables = kClubcardIndexMagic.size() + 6 +
                               std::uint64_t{names} * kIndexNameBytes +
                               std::uint64_t{logs} * kIndexLogBytes;
  std::uint64_t end =
      tables;  // sections of logs lie one behind the other, or none would be bounded
  base::ByteView last;
  for (std::size_t i = 0; i < logs; ++i) {
    const base::ByteView log = fields.take(kLogBytes);
    if (i != 0 && !std::ranges::lexicographical_compare(last, log))
      fields.fail("has logs that are not in order");
    last = log;
    const auto offset = fields.number<std::uint64_t>();
    const auto count = fields.number<std::uint16_t>();
    const std::uint64_t size = std::uint64_t{count} * kIndexEntryBytes;
    if (offset < end || offset > bytes.size() || size > bytes.size() - offset)
      fields.fail("has entries of a log that lie outside of it, or in those of another");
    end = offset + size;
    Fields entries(bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size)),
                   name, kWhat);
    for (std::size_t j = 0; j < count; ++j) {
      ClubcardIndex::Entry entry;
      std::ranges::copy(log, entry.coverage.log.begin());
      entry.clubcard = entries.number<std::uint16_t>();
      entry.coverage.low = entries.number<std::uint64_t>();
      entry.coverage.high = entries.number<std::uint64_t>();
      if (entry.clubcard >= names) entries.fail("names a clubcard that it does not have");
      index.entries.push_back(entry);
    }
  }
  return index;
}

}  // namespace crivo::foreign
