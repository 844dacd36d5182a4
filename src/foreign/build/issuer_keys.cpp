// SPDX-License-Identifier: Apache-2.0
#include "foreign/build/issuer_keys.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <optional>

#include "base/bytes.hpp"
#include "crivo/error.hpp"
#include "file/content_id.hpp"
#include "foreign/clubcard_file.hpp"
#include "foreign/clubcard_key.hpp"
#include "input/places.hpp"

namespace crivo::foreign {

std::uint32_t IssuerNumbers::number_of(unsigned thread, std::string_view digits,
                                       const input::Place& place) {
  Seen& seen = seen_[thread];
  if (digits == seen.last && !digits.empty()) return seen.last_number;
  seen.last = digits;
  const auto known = seen.numbers.find(digits);
  if (known != seen.numbers.end()) return seen.last_number = known->second;
  const std::optional<Issuer> issuer = bytes_of_hex<kIssuerBytes>(digits);
  if (!issuer) {
    seen.last.clear();
    throw input::InputFault(place,
                            "the issuer is not 64 hexadecimal digits, those of the SHA-256 of "
                            "its public key: " +
                                quote(digits));
  }
  {
    const std::scoped_lock lock(mutex_);
    const auto [at, is_new] =
        numbers_.emplace(*issuer, static_cast<std::uint32_t>(issuers_.size()));
    if (is_new) issuers_.push_back(*issuer);
    seen.last_number = at->second;
  }
  seen.numbers.emplace(digits, seen.last_number);
  return seen.last_number;
}

void Certificates::for_each(const base::BuildContext& context, const Visit& visit) const {
  input::for_each_grouped_text(
      input_, grouping_, context, [&](unsigned thread, const input::GroupedText& text) {
        if (text.key.empty() || text.key.size() > kMaxSerialBytes) {
          throw input::InputFault(text.place, "the serial number has " +
                                                  std::to_string(text.key.size()) +
                                                  " bytes, and a clubcard holds 1 to 255");
        }
        visit(thread, issuers_.number_of(thread, text.group, text.place), text.key, text.place);
      });
}

void Certificates::fail_repeated(std::uint32_t issuer, std::string_view serial,
                                 const base::BuildContext& context) const {
  const std::string problem = "duplicate certificate " + file::to_hex(issuers_[issuer]) + " " +
                              file::to_hex(base::as_bytes(serial));
  constexpr const char* kRemedy = "ignore_duplicates";
  if (input::regular_input_bytes(input_)) {
    bool is_second = false;
    const base::BuildContext alone{1, context.progress, context.scratch};
    for_each(alone,
             [&](unsigned, std::uint32_t number, std::string_view each, const input::Place& place) {
               if (number != issuer || each != serial) return;
               if (std::exchange(is_second, true)) throw input::InputFault(place, problem, kRemedy);
             });
  }
  throw Error(ErrorKind::bad_input, input::input_name(input_, 0) + ": " + problem,
              {.remedy = kRemedy});
}

namespace {

template <typename Int>
void put(base::Bytes& bytes, Int value) {
  bytes.resize(bytes.size() + sizeof value);
  base::store_be(bytes.data() + bytes.size() - sizeof value, value);
}
void put(base::Bytes& bytes, std::uint8_t value) {
  bytes.push_back(std::byte{value});
}
void put(base::Bytes& bytes, base::ByteView more) {
  for (const std::byte byte : more) bytes.push_back(byte);
}

void put_column(base::Bytes& bytes, const ColumnWords& words) {
  put(bytes, static_cast<std::uint32_t>(words.size()));
  for (const std::uint64_t word : words) put(bytes, word);
}

void put_issuer(base::Bytes& bytes, const WrittenIssuer& written) {
  const ClubcardIssuer& part = written.part;
  put(bytes, part.issuer);
  put(bytes, part.approx_rows);
  put(bytes, part.approx_columns);
  put(bytes, part.approx_offset);
  put(bytes, part.exact_rows);
  put(bytes, part.exact_offset);
  put(bytes, std::uint8_t{part.inverted});
  put(bytes, static_cast<std::uint16_t>(written.exceptions.size()));
  for (const std::string& serial : written.exceptions) {
    put(bytes, static_cast<std::uint8_t>(serial.size()));
    put(bytes, base::as_bytes(serial));
  }
}

}  // namespace

base::Bytes encode(const std::vector<ClubcardCoverage>& coverage,
                   const std::vector<WrittenIssuer>& parts, const std::vector<ColumnWords>& approx,
                   const ColumnWords& exact) {
  base::Bytes bytes{kClubcardVersion, std::byte{0}};
  put(bytes, static_cast<std::uint16_t>(coverage.size()));
  for (const ClubcardCoverage& each : coverage) {
    put(bytes, base::ByteView(each.log));
    put(bytes, each.low);
    put(bytes, each.high);
  }
  put(bytes, static_cast<std::uint32_t>(parts.size()));
  for (const WrittenIssuer& part : parts) put_issuer(bytes, part);
  put(bytes, static_cast<std::uint8_t>(approx.size()));
  for (const ColumnWords& column : approx) put_column(bytes, column);
  put_column(bytes, exact);
  return bytes;
}

base::Bytes encode_index(const std::vector<NamedClubcard>& clubcards) {
  std::map<std::array<std::byte, kLogBytes>, std::vector<ClubcardIndex::Entry>> logs;
  for (std::size_t i = 0; i < clubcards.size(); ++i) {
    for (const ClubcardCoverage& each : clubcards[i].coverage)
      logs[each.log].push_back({static_cast<std::uint16_t>(i), each});
  }
  base::Bytes bytes;
  put(bytes, base::as_bytes(kClubcardIndexMagic));
  put(bytes, static_cast<std::uint16_t>(clubcards.size()));
  put(bytes, static_cast<std::uint32_t>(logs.size()));
  for (const NamedClubcard& each : clubcards) {
    put(bytes, base::as_bytes(each.name));
    bytes.resize(bytes.size() + kIndexNameBytes - each.name.size());
  }
  std::uint64_t offset = bytes.size() + logs.size() * kIndexLogBytes;
  for (const auto& [log, entries] : logs) {
    put(bytes, base::ByteView(log));
    put(bytes, offset);
    put(bytes, static_cast<std::uint16_t>(entries.size()));
    offset += entries.size() * kIndexEntryBytes;
  }
  for (const auto& [log, entries] : logs) {
    for (const ClubcardIndex::Entry& entry : entries) {
      put(bytes, entry.clubcard);
      put(bytes, entry.coverage.low);
      put(bytes, entry.coverage.high);
    }
  }
  return bytes;
}

}  // namespace crivo::foreign
