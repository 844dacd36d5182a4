// SPDX-License-Identifier: Apache-2.0
#include "structures/csf/build/plan.hpp"

#include <algorithm>
#include <utility>

#include "base/arithmetic.hpp"

namespace crivo::csf {
namespace {

/// A level takes so many bits of the section beside its symbols and ribbons, and a plain one of
/// each partition: an entry, a header, padding.
constexpr std::uint64_t kLevelBits = 512;
/// Levels may begin at each of the first symbols; then at each power of two.
constexpr std::size_t kFirstSymbols = 8;

/// Returns the bits of a ribbon of so many bits for so many keys, as measured: its entries and
/// first slots in each of the partitions, and slots left empty and thresholds, which are some 1/256
/// of it, and 1/340 more for each bit that codewords have beyond one in the mean.
std::uint64_t ribbon_cost(std::uint64_t keys, std::uint64_t bits,
                          unsigned partition_bits) noexcept {
  if (bits == 0) return 0;
  const std::uint64_t eighths = bits <= keys ? 0 : (bits - keys) * 8 / keys;
  return (std::uint64_t{256} << partition_bits) + bits + bits / 256 + bits * eighths / (8 * 340);
}

/// The weight of a codeword of a level: of a symbol, or of the escape.
struct Weighted {
  std::uint64_t weight;
  std::size_t symbol;  // kEscape: the escape
};
constexpr std::size_t kEscape = SIZE_MAX;

/// Where a level and all that follow cost the least.
struct Choice {
  std::uint64_t cost = UINT64_MAX;  // in bits
  bool plain = false;
  std::size_t end = 0;       // the first symbol that escapes
  unsigned filter_bits = 0;  // of the filter that takes the dominant values away; 0: none
  std::uint64_t code_bits = 0;
};

class Planner {
 public:
  explicit Planner(const Histogram& histogram)
      : histogram_(histogram),
        symbols_(histogram.symbols),
        partition_bits_(partition_bits(histogram.n)),
        following_(symbols_.size() + 1) {
    std::uint64_t covered = 0;
    for (const Symbol& symbol : symbols_) covered += symbol.count;
    following_[symbols_.size()] = histogram.n - covered;
    for (std::size_t s = symbols_.size(); s-- > 0;) {
      following_[s] = following_[s + 1] + symbols_[s].count;
    }
    for (std::size_t s = 0; s < symbols_.size(); s = s < kFirstSymbols ? s + 1 : 2 * s) {
      positions_.push_back(s);
    }
    positions_.push_back(symbols_.size());
    choices_.resize(positions_.size());
  }

  std::vector<LevelPlan> plan() {
    for (std::size_t p = positions_.size(); p-- > 0;) choose(p);
    std::vector<LevelPlan> levels;
    for (std::size_t p = 0; following_[positions_[p]] != 0;) {
      const Choice& choice = choices_[p];
      levels.push_back(level(p, choice));
      if (choice.plain) break;
      p = choice.end;
    }
    return levels;
  }

 private:
  /// Chooses the level whose most frequent value is the one at position `p`, once those of all
  /// later positions are chosen.
  void choose(std::size_t p) {
    Choice& best = choices_[p];
    const std::size_t begin = positions_[p];
    const std::uint64_t keys = following_[begin];
    if (keys == 0) {
      best.cost = 0;
      return;
    }
    if (histogram_.width > 0) {
      best.plain = true;
      best.cost = (kLevelBits << partition_bits_) + keys * histogram_.width + keys / 64;
    }
    for (std::size_t end = p + 1; end < positions_.size(); ++end) {
      consider(p, end, 0);
      // A filter pays only where the values that it lets through are the most; its cost is convex
      // in its bits.
      const std::uint64_t others = keys - symbols_[begin].count;
      if (others == 0 || others > symbols_[begin].count) continue;
      std::uint64_t before = UINT64_MAX;
      for (unsigned bits = 1; bits <= kMaxCodeBits; ++bits) {
        const std::uint64_t cost = consider(p, end, bits);
        if (cost >= before) break;
        before = cost;
      }
    }
  }

  /// The cost of a level that codes the symbols from position `p` up to `end` behind a filter of
  /// `filter_bits` bits; chosen if it is the best so far.
  std::uint64_t consider(std::size_t p, std::size_t end, unsigned filter_bits) {
    const std::size_t begin = positions_[p];
    std::vector<std::uint64_t> weights;
    for (const Weighted& word : weighted(begin, positions_[end], filter_bits)) {
      weights.push_back(word.weight);
    }
    const std::uint64_t code_bits = optimal_code_cost(weights);
    const std::uint64_t others = following_[begin] - symbols_[begin].count;
    const std::uint64_t escaped = following_[positions_[end]];
    const std::uint64_t keys = others + (symbols_[begin].count >> filter_bits);
    // A further level costs time: behind a filter it must save a bit for each 32 keys that ask it,
    // otherwise, where it would spare a ribbon long codewords at most, for each four.
    const std::uint64_t toll = escaped / (filter_bits != 0 ? 32 : 4);
    const std::uint64_t cost = kLevelBits +
                               ribbon_cost(others, others * filter_bits, partition_bits_) +
                               ribbon_cost(keys, code_bits, partition_bits_) +
                               weights.size() * (base::div_ceil(histogram_.width, 8) * 8) + toll +
                               (escaped == 0 ? 0 : choices_[end].cost);
    Choice& best = choices_[p];
    if (cost < best.cost) best = {cost, false, end, filter_bits, code_bits};
    return cost;
  }

  /// The codewords' weights, descending.
  std::vector<Weighted> weighted(std::size_t begin, std::size_t end, unsigned filter_bits) const {
    std::vector<Weighted> words;
    words.reserve(end - begin + 1);
    for (std::size_t s = begin; s < end; ++s) words.push_back({symbols_[s].count, s});
    words[0].weight >>= filter_bits;
    const auto descending = [](const Weighted& a, const Weighted& b) {
      return a.weight > b.weight;
    };
    const auto place = [&](Weighted word) {
      words.insert(std::ranges::upper_bound(words, word, descending), word);
    };
    if (filter_bits != 0) {
      const Weighted dominant = words[0];
      words.erase(words.begin());
      place(dominant);
    }
    if (following_[end] != 0) place({following_[end], kEscape});
    return words;
  }

  LevelPlan level(std::size_t p, const Choice& choice) const {
    LevelPlan level;
    level.plain = choice.plain;
    if (choice.plain) return level;
    level.filter_bits = choice.filter_bits;
    level.code_bits = choice.code_bits;
    const std::size_t begin = positions_[p];
    const std::uint64_t dominant = symbols_[begin].count;
    level.others = following_[begin] - dominant;
    level.coded = level.others + (dominant >> choice.filter_bits);
    level.escaped = following_[positions_[choice.end]];
    if (choice.filter_bits != 0) level.dominant = symbols_[begin].value;
    std::vector<std::uint64_t> weights;
    for (const Weighted& word : weighted(begin, positions_[choice.end], choice.filter_bits)) {
      if (word.symbol == kEscape) level.escape = static_cast<std::uint32_t>(weights.size());
      weights.push_back(word.weight);
      level.symbols.push_back(word.symbol == kEscape ? 0 : symbols_[word.symbol].value);
    }
    level.lengths = optimal_code(weights);
    return level;
  }

  const Histogram& histogram_;
  const std::vector<Symbol>& symbols_;
  unsigned partition_bits_;
  std::vector<std::uint64_t> following_;  // by symbol: the keys with it or a later one
  std::vector<std::size_t> positions_;    // the symbols at which levels may begin, and the end
  std::vector<Choice> choices_;           // by position
};

unsigned longest_codeword(const LevelPlan& plan) noexcept {
  unsigned longest = 0;
  for (unsigned length = 1; length <= kMaxCodeBits; ++length) {
    if (plan.lengths[length] != 0) longest = length;
  }
  return longest;
}

}  // namespace

std::vector<LevelPlan> make_plan(const Histogram& histogram) {
  return Planner(histogram).plan();
}

Codebook::Codebook(const LevelPlan& plan)
    : escape_(plan.escape), index_(static_cast<std::uint32_t>(plan.symbols.size())) {
  if (plan.plain) return;
  words_ = codewords(plan.lengths);
  for (std::uint32_t word = 0; word < plan.symbols.size(); ++word) {
    if (word == escape_) continue;
    index_.insert(plan.symbols[word]);
    numbers_.push_back(word);
  }
}

PlannedLevel::PlannedLevel(LevelPlan given, unsigned partition_bits)
    : plan(std::move(given)), book(plan) {
  entry.plain = plan.plain;
  if (plan.plain) return;
  if (plan.filter_bits != 0) {
    entry.dominant = plan.dominant;
    entry.filter =
        Shape::of(plan.others, plan.others * plan.filter_bits, plan.filter_bits, partition_bits);
  }
  entry.codewords = static_cast<std::uint32_t>(plan.symbols.size());
  entry.escape = plan.escape;
  if (const unsigned longest = longest_codeword(plan); longest != 0)
    entry.codes = Shape::of(plan.coded, plan.code_bits, longest, partition_bits);
}

base::Bytes PlannedLevel::encode_code(unsigned width) const {
  base::FieldWriter fields;
  if (plan.plain) return fields.take();
  for (unsigned length = 0; length <= entry.codes.code_bits; ++length)
    fields.u32(plan.lengths[length]);
  for (const std::uint64_t symbol : plan.symbols) {
    for (unsigned byte = 0; byte < symbol_bytes(width); ++byte) {
      fields.u8(static_cast<std::uint8_t>(symbol >> (8 * byte)));
    }
  }
  return fields.align(8).take();
}

}  // namespace crivo::csf
