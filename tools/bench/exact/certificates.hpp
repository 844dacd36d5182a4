// SPDX-License-Identifier: Apache-2.0
/// A universe like that of the Web's certificates, drawn in the process: groups (issuers) with
/// heavy tails, of which each has its own share of revoked keys, and that change from day to day.
///
/// Everything is a function of numbers, so that no key is kept: what is a member on which day is
/// known of each key by itself.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/build/keys.hpp"

namespace crivo::bench {

struct CertificateOptions {
  std::uint64_t keys = 816'000'000;  ///< of the universe on day 0, about
  std::uint64_t groups = 795;
  std::uint64_t changes = 10'000;  ///< keys whose answer changes in a day, about
  bool clubcard = false;  ///< names of groups are 64 hexadecimal digits, as a clubcard wants them
};

/// A key: of 16 bytes, as serial numbers are.
using Serial = std::array<char, 16>;

/// A group on one day. A key of it is revoked if its draw is in [low, high).
struct Issuer {
  std::string name;
  std::uint64_t keys = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;  ///< UINT64_MAX: of every draw
};

/// The universe on one day. Group g has the share 1 / (g + 1)^1.5 of the keys, and a share of
/// revoked ones that is lognormal; in all 11.7 of 816 are revoked, as in Mozilla's data of August
/// 2024. A fiftieth of the groups has none or all of its keys revoked.
class Certificates {
 public:
  Certificates(const CertificateOptions& options, std::uint64_t day);

  std::uint64_t size() const noexcept { return begins_.back(); }
  const std::vector<Issuer>& issuers() const noexcept { return issuers_; }

  /// Key `index` of a group, and what decides about it.
  static Serial serial(std::uint64_t group, std::uint64_t index) noexcept;
  static std::uint64_t draw(std::uint64_t group, std::uint64_t index) noexcept;
  bool is_revoked(std::uint64_t group, std::uint64_t index) const noexcept {
    const std::uint64_t of_key = draw(group, index);
    const Issuer& issuer = issuers_[group];
    return of_key >= issuer.low && (of_key < issuer.high || issuer.high == UINT64_MAX);
  }

  /// Keys are numbered from 0 to size() - 1, group by group.
  struct Key {
    std::uint64_t group = 0;
    std::uint64_t index = 0;
  };
  Key key(std::uint64_t number) const noexcept;
  std::uint64_t begin_of(std::uint64_t group) const noexcept { return begins_[group]; }

  /// The numbers of the revoked ones, ascending. O(size()) on `threads` threads.
  std::vector<std::uint32_t> revoked(unsigned threads) const;
  /// log2 of the ways to choose as many members as there are, of all keys or by group, in bits.
  struct Bounds {
    double whole = 0;
    double by_group = 0;
  };
  Bounds bounds(const std::vector<std::uint32_t>& revoked) const;
  /// The same by group of so many keys that change their answers, which are spread over the groups
  /// as the members are.
  double bound_of_changes(const std::vector<std::uint32_t>& revoked, std::uint64_t changes) const;

 private:
  std::vector<std::uint64_t> revoked_by_group(const std::vector<std::uint32_t>& revoked) const;

  std::vector<Issuer> issuers_;
  std::vector<std::uint64_t> begins_;  ///< of groups, and the end of the last
};

/// The universe, or those of its keys that are numbered, as inputs: with `grouped` each key with
/// the name of its group. What is named outlives them.
KeyInput universe_input(const Certificates& certificates, bool grouped);
KeyInput revoked_input(const Certificates& certificates, const std::vector<std::uint32_t>& revoked,
                       bool grouped);

}  // namespace crivo::bench
