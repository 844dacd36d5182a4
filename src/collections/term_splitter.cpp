// SPDX-License-Identifier: Apache-2.0
#include "collections/term_splitter.hpp"

#include <array>

#include "crivo/build/keys.hpp"

namespace crivo::extract {
namespace {

constexpr std::size_t kBytes = 256;

constexpr std::array<char, kBytes> letters(bool fold) noexcept {
  std::array<char, kBytes> table{};
  for (unsigned byte = 0; byte < kBytes; ++byte) {
    const bool is_upper = byte >= 'A' && byte <= 'Z';
    if (is_upper || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte >= 0x80)
      table[byte] = static_cast<char>(is_upper && fold ? byte + ('a' - 'A') : byte);
  }
  return table;
}

constexpr std::array<char, kBytes> kFolded = letters(true);
constexpr std::array<char, kBytes> kUnfolded = letters(false);

}  // namespace

TermSplitter::TermSplitter(bool fold, KeyTaker& keys)
    : folded_(fold ? kFolded.data() : kUnfolded.data()), keys_(keys) {}

void TermSplitter::add(std::string_view piece, std::uint64_t offset) {
  offset_ = offset;
  for (const char c : piece) {
    const char letter = folded_[static_cast<unsigned char>(c)];
    if (letter != '\0') {
      if (term_.size() <= kMaxKeyBytes) term_ += letter;
    } else if (!term_.empty()) {
      end();
    }
  }
}

void TermSplitter::end() {
  if (term_.empty()) return;
  keys_.take_term(term_, offset_);
  term_.clear();
}

}  // namespace crivo::extract
