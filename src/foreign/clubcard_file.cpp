// SPDX-License-Identifier: Apache-2.0
#include "foreign/clubcard_file.hpp"

#include <algorithm>

#include "crivo/error.hpp"

namespace crivo::foreign {
namespace {

ClubcardCoverage read_coverage(Fields& fields) {
  ClubcardCoverage each;
  std::ranges::copy(fields.take(kLogBytes), each.log.begin());
  each.low = fields.number<std::uint64_t>();
  each.high = fields.number<std::uint64_t>();
  return each;
}

/// The serial numbers of an issuer's exceptions, as they stand.
base::ByteView read_exceptions(Fields& fields) {
  const std::size_t count = fields.count_of<std::uint16_t>(2);
  base::ByteView all;
  for (std::size_t i = 0; i < count; ++i) {
    const base::ByteView length = fields.take(1);
    const base::ByteView serial = fields.take(std::to_integer<std::uint8_t>(length[0]));
    if (serial.empty()) fields.fail("has an exception of no bytes");
    const std::byte* const begin = i == 0 ? length.data() : all.data();
    all = {begin, serial.data() + serial.size()};
  }
  return all;
}

ClubcardIssuer read_issuer(Fields& fields) {
  ClubcardIssuer issuer;
  issuer.issuer = fields.take(kIssuerBytes);
  issuer.approx_rows = fields.number<std::uint32_t>();
  issuer.approx_columns = fields.number<std::uint8_t>();
  issuer.approx_offset = fields.number<std::uint32_t>();
  issuer.exact_rows = fields.number<std::uint32_t>();
  issuer.exact_offset = fields.number<std::uint32_t>();
  const auto inverted = fields.number<std::uint8_t>();
  if (inverted > 1) fields.fail("has a flag that is neither 0 nor 1");
  issuer.inverted = inverted == 1;
  issuer.exceptions = read_exceptions(fields);
  return issuer;
}

ClubcardColumn read_column(Fields& fields) {
  const std::size_t words = fields.count_of<std::uint32_t>(8);
  return ClubcardColumn(fields.take(std::uint64_t{words} * 8));
}

constexpr const char* kWhat = "index of clubcards";

std::string read_name(Fields& fields) {
  const std::string_view slot = base::as_text(fields.take(kIndexNameBytes));
  const std::string_view name = slot.substr(0, slot.find('\0'));
  if (!is_clubcard_name(name)) fields.fail("has a name that no clubcard may have: " + quote(name));
  return std::string(name);
}

}  // namespace

ClubcardFile::ClubcardFile(base::ByteView bytes, const std::string& name) {
  Fields fields(bytes, name, "clubcard");
  if (fields.take(1)[0] != kClubcardVersion) fields.fail("is of another version than 4");
  if (fields.take(1)[0] != std::byte{0}) fields.fail("has a reserved byte that is not 0");
  const std::size_t logs = fields.count_of<std::uint16_t>(kLogBytes + 16);
  for (std::size_t i = 0; i < logs; ++i) coverage_.push_back(read_coverage(fields));
  std::vector<ClubcardCoverage> sorted = coverage_;
  std::ranges::sort(sorted, {}, &ClubcardCoverage::log);
  if (std::ranges::adjacent_find(sorted, {}, &ClubcardCoverage::log) != sorted.end())
    fields.fail("covers a log twice");

  constexpr std::uint64_t kIssuerEntryBytes = kIssuerBytes + 20;
  const std::size_t issuers = fields.count_of<std::uint32_t>(kIssuerEntryBytes);
  issuers_.reserve(issuers);
  unsigned columns = 0;
  for (std::size_t i = 0; i < issuers; ++i) {
    issuers_.push_back(read_issuer(fields));
    columns = std::max<unsigned>(columns, issuers_.back().approx_columns);
    if (i != 0 && !std::ranges::lexicographical_compare(issuers_[i - 1].issuer, issuers_[i].issuer))
      fields.fail("has issuers that are not in order");
  }

  const std::size_t count = fields.count_of<std::uint8_t>(4);
  if (columns > count) fields.fail("lacks columns that an issuer asks for");
  for (std::size_t i = 0; i < count; ++i) approx_.push_back(read_column(fields));
  exact_ = read_column(fields);
  if (!fields.at_end()) fields.fail("goes on behind its end");
}

const ClubcardIssuer* ClubcardFile::find(base::ByteView issuer) const noexcept {
  const auto less = [](const ClubcardIssuer& each, base::ByteView asked) {
    return std::ranges::lexicographical_compare(each.issuer, asked);
  };
  const auto found = std::lower_bound(issuers_.begin(), issuers_.end(), issuer, less);
  return found != issuers_.end() && std::ranges::equal(found->issuer, issuer) ? &*found : nullptr;
}

bool ClubcardFile::passes(const ClubcardIssuer& issuer, std::string_view serial) const {
  // Any key solves a system without rows, which is one of no keys.
  if (issuer.approx_rows == 0) return false;
  const ClubcardKey key = clubcard_key(issuer.issuer, serial);
  const std::uint64_t approx_row = issuer.approx_offset + key.row(issuer.approx_rows);
  for (unsigned i = 0; i < issuer.approx_columns; ++i) {
    if (key.coefficients.times(approx_[i].bits_from(approx_row)) != 0) return false;
  }
  const std::uint64_t exact_row = issuer.exact_offset + key.row(issuer.exact_rows);
  if (key.coefficients.times(exact_.bits_from(exact_row)) != 0) return false;
  for (base::ByteView rest = issuer.exceptions; !rest.empty();) {
    const auto length = std::to_integer<std::size_t>(rest[0]);
    if (base::as_text(rest.subspan(1, length)) == serial) return false;
    rest = rest.subspan(1 + length);
  }
  return true;
}

bool ClubcardFile::contains(const ClubcardIssuer& issuer, std::string_view serial) const {
  return passes(issuer, serial) != issuer.inverted;
}

bool ClubcardFile::covers(base::ByteView log, std::uint64_t time) const noexcept {
  return std::ranges::any_of(coverage_, [&](const ClubcardCoverage& each) {
    return std::ranges::equal(each.log, log) && each.low <= time && time <= each.high;
  });
}

ClubcardKey clubcard_key(base::ByteView issuer, std::string_view serial) {
  return ClubcardKey(hashing::Sha256().add(issuer).add(base::as_bytes(serial)).value());
}

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
