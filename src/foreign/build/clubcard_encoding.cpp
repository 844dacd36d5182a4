// SPDX-License-Identifier: Apache-2.0
#include "foreign/build/clubcard_encoding.hpp"

#include <array>
#include <cstddef>
#include <map>

#include "base/bytes.hpp"
#include "foreign/clubcard_file.hpp"

namespace crivo::foreign {
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
