// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>

#include "gen/urls.hpp"

namespace crivo::gen {
namespace {

/// Top-level domains by how many of 64 hosts have them; within a share the leftover bits of the
/// slot are kept, so nothing of the host number is lost. None is the end of another after a dot.
struct Domain {
  std::string_view text;
  unsigned kept_bits;  ///< the share is 2^kept_bits slots
};

constexpr unsigned kDomainBits = 6;
constexpr std::array<Domain, 17> kDomains = {{{".com", 5},
                                              {".net", 2},
                                              {".org", 2},
                                              {".de", 2},
                                              {".edu", 2},
                                              {".co.jp", 1},
                                              {".co.uk", 1},
                                              {".com.br", 1},
                                              {".fr", 1},
                                              {".it", 0},
                                              {".nl", 0},
                                              {".se", 0},
                                              {".dk", 0},
                                              {".ru", 0},
                                              {".ch", 0},
                                              {".com.tw", 0},
                                              {".ac.uk", 0}}};

struct DomainSlot {
  Piece<8> text;
  std::uint8_t kept_bits = 0;
  std::uint8_t kept = 0;
};

constexpr auto kDomainSlots = [] {
  std::array<DomainSlot, std::size_t{1} << kDomainBits> slots;
  std::size_t at = 0;
  for (const Domain& domain : kDomains) {
    for (std::size_t i = 0; i < std::size_t{1} << domain.kept_bits; ++i, ++at) {
      slots[at].text = Piece<8>(domain.text);
      slots[at].kept_bits = static_cast<std::uint8_t>(domain.kept_bits);
      slots[at].kept = static_cast<std::uint8_t>(i);
    }
  }
  if (at != slots.size()) throw "the domains do not fill the slots";
  return slots;
}();

/// Dotted decimals whose last two numbers and the high bits of the second are the 18 bits of
/// `code`.
char* write_address(char* p, Bits code, std::uint64_t hash) noexcept {
  p = write_decimal(p, 24 + hash % 196);
  *p++ = '.';
  p = write_decimal(p, hash >> 56);
  *p++ = '.';
  p = write_decimal(p, code.take(8));
  *p++ = '.';
  return write_decimal(p, code.take(8));
}

}  // namespace

UrlHosts::UrlHosts(std::uint64_t seed) noexcept
    : salt_(derive(seed, 200)), numbers_(std::uint64_t{1} << kBits, derive(seed, 201)) {}

// A host that is no address is [subdomain '.'] name domain. The domain is read from the end, a
// dot in what is left parts the subdomain, and the name has a '-', ends in a digit, or neither.
char* UrlHosts::write(std::uint64_t rank, char* p) const noexcept {
  const std::uint64_t number = numbers_(rank);
  const std::uint64_t hash = base::mix64(number ^ salt_);
  if (number % 64 == 0) {
    p = write_address(p, {number / 64, kBits - 6}, hash);
  } else {
    Bits code{number, kBits};
    const DomainSlot& domain = kDomainSlots[code.take(kDomainBits)];
    code.value = (code.value << domain.kept_bits) | domain.kept;
    code.left += domain.kept_bits;

    if (code.take(1) == 0) {
      p = write_text(p, "www.");
    } else if (code.take(1) == 0) {
      p = write_dictionary_word(p, code.take(kSubdomainBits));
      *p++ = '.';
    }

    if (code.take(1) == 0) {
      p = write_pseudo_word(p, code);
    } else if (code.take(1) == 0) {
      // Five bits tell the word, the other three only vary it.
      p = write_dictionary_word(p, (code.take(5) << 3) | (hash & 7));
      *p++ = '-';
      p = write_pseudo_word(p, code);
    } else {
      const std::uint64_t tail = 1 + code.take(4);
      p = write_pseudo_word(p, code);
      p = write_decimal(p, tail);
    }
    p = domain.text.write(p);
  }
  if (hash >> 57 == 0) p = write_text(p, ":8080");
  return p;
}

}  // namespace crivo::gen
