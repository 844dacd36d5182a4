// SPDX-License-Identifier: Apache-2.0
/// The terms of one document after another, each once.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace crivo::extract {

/// A hash table of 2^i slots, with linear probing. Slots say which document they are of, so that
/// the next one finds them free without a walk over all.
class SeenTerms {
 public:
  static constexpr std::size_t kMostTerms = std::size_t{1} << 18;
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;

  enum class Add {
    added,  ///< the document has not had the term before
    known,
    full,  ///< nor is there room for it
  };

  /// Amortized O(1) and the term's bytes.
  Add add(std::string_view term);
  /// The next term is another document's.
  void end_document();

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::size_t begin = 0;  ///< of the term, in the texts
    std::uint32_t size = 0;
    std::uint32_t document = 0;  ///< 0: none
  };

  void grow();
  /// The slot of a term of the document at hand, or the free one that it takes.
  Slot& find(std::uint64_t hash, std::string_view term);

  std::vector<Slot> slots_;
  std::vector<char> texts_;
  std::size_t terms_ = 0;
  std::uint32_t document_ = 1;
};

}  // namespace crivo::extract
