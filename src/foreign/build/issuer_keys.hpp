// SPDX-License-Identifier: Apache-2.0
/// Serial numbers by their issuers, as a clubcard is built of them, and as equations of their
/// issuer's system.
///
/// The bytes of a clubcard, and of upki's index of some.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "crivo/build/keys.hpp"
#include "foreign/clubcard_file.hpp"
#include "foreign/clubcard_key.hpp"
#include "input/grouped_keys.hpp"

namespace crivo::foreign {

using Issuer = std::array<std::byte, kIssuerBytes>;

/// Serial numbers, each behind its length.
class Serials {
 public:
  void add(std::string_view serial) {
    bytes_.push_back(static_cast<char>(serial.size()));
    bytes_.insert(bytes_.end(), serial.begin(), serial.end());
    ++size_;
  }
  void append(Serials&& more) {
    if (bytes_.empty()) return std::swap(*this, more);
    bytes_.insert(bytes_.end(), more.bytes_.begin(), more.bytes_.end());
    size_ += more.size_;
    more = {};
  }
  std::uint64_t size() const noexcept { return size_; }
  std::uint64_t bytes() const noexcept { return bytes_.size(); }

  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t at = 0; at < bytes_.size();) {
      const auto length = static_cast<unsigned char>(bytes_[at]);
      visit(std::string_view(bytes_.data() + at + 1, length));
      at += 1 + std::size_t{length};
    }
  }

 private:
  std::vector<char> bytes_;
  std::uint64_t size_ = 0;
};

/// Numbers the issuers in the order in which they are met. From several threads at once.
class IssuerNumbers {
 public:
  explicit IssuerNumbers(unsigned threads) : seen_(threads) {}

  /// The number of an issuer that is written in 64 hexadecimal digits. Throws InputFault for
  /// anything else.
  std::uint32_t number_of(unsigned thread, std::string_view digits, const input::Place& place);
  std::size_t size() const noexcept { return issuers_.size(); }
  const Issuer& operator[](std::uint32_t number) const { return issuers_[number]; }

 private:
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;  // NOLINT(readability-identifier-naming)
  };
  /// The names that a thread has asked for.
  struct alignas(64) Seen {
    std::string last;
    std::uint32_t last_number = 0;
    std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> numbers;
  };

  std::mutex mutex_;
  std::map<Issuer, std::uint32_t> numbers_;
  std::vector<Issuer> issuers_;
  std::vector<Seen> seen_;
};

/// Reads certificates: lines of an issuer and a serial number.
class Certificates {
 public:
  Certificates(const KeyInput& input, const input::Grouping& grouping, IssuerNumbers& issuers)
      : input_(input), grouping_(grouping), issuers_(issuers) {}

  /// Calls visit(thread, issuer's number, serial, place) for all, in any order, from all threads at
  /// once. Throws Error(bad_input), with file and line, for what the format cannot hold.
  using Visit = std::function<void(unsigned thread, std::uint32_t issuer, std::string_view serial,
                                   const input::Place& place)>;
  void for_each(const base::BuildContext& context, const Visit& visit) const;
  /// Throws Error(bad_input), with file and line, for the second of two equal ones.
  [[noreturn]] void fail_repeated(std::uint32_t issuer, std::string_view serial,
                                  const base::BuildContext& context) const;

 private:
  const KeyInput& input_;
  const input::Grouping& grouping_;
  IssuerNumbers& issuers_;
};

struct Placed {
  std::uint32_t row = 0;
  Coefficients coefficients;

  friend auto operator<=>(const Placed&, const Placed&) = default;
};

/// Certificates in a system of so many rows, in its order, each once.
inline std::vector<Placed> placed(const Issuer& issuer, const Serials& serials,
                                  std::uint64_t rows) {
  std::vector<Placed> all;
  all.reserve(serials.size());
  serials.for_each([&](std::string_view serial) {
    const ClubcardKey key = clubcard_key(issuer, serial);
    all.push_back({static_cast<std::uint32_t>(key.row(rows)), key.coefficients});
  });
  std::ranges::sort(all);
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  return all;
}

/// The part of an issuer; its exceptions stand beside it.
struct WrittenIssuer {
  ClubcardIssuer part;
  std::vector<std::string> exceptions;
};

using ColumnWords = std::vector<std::uint64_t>;

/// `parts` ascend by their issuers.
base::Bytes encode(const std::vector<ClubcardCoverage>& coverage,
                   const std::vector<WrittenIssuer>& parts, const std::vector<ColumnWords>& approx,
                   const ColumnWords& exact);

/// A clubcard with its name in the index's directory, and what it covers.
struct NamedClubcard {
  std::string name;
  std::vector<ClubcardCoverage> coverage;
};
base::Bytes encode_index(const std::vector<NamedClubcard>& clubcards);

}  // namespace crivo::foreign
