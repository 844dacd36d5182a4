// SPDX-License-Identifier: Apache-2.0
/// Keys like the URLs of a crawl (10,935,928 URLs, 7 to 493 bytes, mean 57.23): hosts of Zipf-like
/// sizes, directory trees shared by many pages, page names, queries and a long tail of long ones.
#pragma once

#include <cstdint>

#include "gen/permutation.hpp"
#include "gen/text.hpp"

namespace crivo::gen {

/// Host names by rank: [subdomain '.'] name domain, or an IP address, some with a port. A seed's
/// permutation of the numbers decides which name has which rank; the text tells the number.
class UrlHosts {
 public:
  static constexpr unsigned kBits = 22;  ///< a host number is below 2^kBits
  static constexpr std::size_t kMaxSize = 64;

  explicit UrlHosts(std::uint64_t seed) noexcept;

  /// Writes the host of `rank` < 2^kBits at `p`, with its port if it has one.
  char* write(std::uint64_t rank, char* p) const noexcept;

 private:
  std::uint64_t salt_;
  Permutation numbers_;
};

/// URL i of a seed. Three kinds of index:
///  - i = 7 mod 4096: a bare domain without a scheme, "abc.com", for the first 26^3 such i;
///  - i = 5 mod 64: the home page of a host, the largest first, for the first 2^22 - 1 such i;
///  - all others: a page. The index is permuted within 2^40 and the 40 bits that result are spent
///    as decisions of a grammar: host, then at each directory whether and where to go deeper, and
///    all the bits that are left go into the page's name.
///
/// Host sizes: the hosts of ranks 2^k - 1 to 2^(k+1) - 2 are one class, k = 0..21; the classes hold
/// 1/64 to 1/16 of the pages each, so sizes fall as 1 / rank. The number of hosts seen grows with
/// the number of keys, as in a crawl. The largest host has 1/32 of the pages.
///
/// Distinct indices give distinct URLs, for a URL can be read back. Bare domains have no "://";
/// home pages end at the host's '/', pages never do. The host's text tells its number (UrlHosts).
/// Then, given all decisions before it (the "state", of which style, vocabulary and the number of
/// bits left are functions), each step is read in one way: a component that ends in '/' with more
/// to come is a directory, and directories of one state differ; any other is the page, where the
/// first '?' ends the part that may not hold more directories, and page names of one state tell the
/// bits that are left. Decorations (slugs, parameters, ports) are functions of what was read before
/// them.
class Urls {
 public:
  static constexpr unsigned kBits = 40;
  static constexpr std::uint64_t kCapacity = std::uint64_t{1} << kBits;
  static constexpr std::size_t kMaxSize = 493;

  explicit Urls(std::uint64_t seed) noexcept;

  /// Writes URL `index` < kCapacity at `p`, which has room for kMaxSize + kOverrun bytes.
  char* write(std::uint64_t index, char* p) const noexcept;

  /// How far decorations may be written past kMaxSize before they are cut.
  static constexpr std::size_t kOverrun = 64;

 private:
  char* write_page(Bits code, char* p) const noexcept;

  std::uint64_t salt_;
  UrlHosts hosts_;
  Permutation bare_;
  Permutation pages_;
};

}  // namespace crivo::gen
