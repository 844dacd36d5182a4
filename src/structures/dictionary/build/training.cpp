// SPDX-License-Identifier: Apache-2.0
#include "structures/dictionary/build/training.hpp"

#include <algorithm>
#include <bit>
#include <unordered_set>
#include <utility>

#include "base/arithmetic.hpp"
#include "structures/dictionary/token_table.hpp"

namespace crivo::dictionary {
namespace {

constexpr int kRounds = 8;
/// Rounds in which the number of tokens grows to the most that there may be, or beyond it.
constexpr int kGrowingRounds = 6;

struct Candidate {
  std::uint64_t saved;  ///< tokens less for the sample
  std::uint16_t first;
  std::uint16_t second;
  bool is_pair;  ///< both tokens, one after the other; else the first alone
};

/// The worth of the tokens of a round.
class Round {
 public:
  Round(const TokenTexts& tokens, const Sample& sample)
      : tokens_(tokens), trie_(tokens), cutter_(trie_), uses_(tokens.size()) {
    std::vector<std::uint16_t> cut;
    sample.for_each([&](std::string_view text) {
      cut.clear();
      cutter_.cut(text, cut);
      total_ += cut.size();
      for (std::size_t i = 0; i < cut.size(); ++i) {
        ++uses_[cut[i]];
        if (i != 0 && tokens_[cut[i - 1]].size() + tokens_[cut[i]].size() <= kMaxToken)
          pairs_.push_back(std::uint32_t{cut[i - 1]} << 16 | cut[i]);
      }
    });
  }

  std::uint64_t total() const noexcept { return total_; }
  const std::vector<std::uint64_t>& uses() const noexcept { return uses_; }

  /// The texts of the tokens of two bytes and more and of the pairs, those that save most first and
  /// of several that save as much the lower text, until use(saved, text) is false.
  template <typename Use>
  void for_each_candidate(const Use& use) {
    std::vector<Candidate> all;
    std::vector<std::uint16_t> parts;
    for (std::size_t t = 0; t < tokens_.size(); ++t) {
      if (tokens_[t].size() < 2) continue;
      parts.clear();
      cutter_.cut(tokens_[t], parts, tokens_[t].size() - 1);
      all.push_back({uses_[t] * (parts.size() - 1), static_cast<std::uint16_t>(t), 0, false});
    }
    sort_pairs();
    for (std::size_t i = 0; i < pairs_.size();) {
      std::size_t past = i + 1;
      while (past < pairs_.size() && pairs_[past] == pairs_[i]) ++past;
      if (past - i > 1) {
        all.push_back({past - i, static_cast<std::uint16_t>(pairs_[i] >> 16),
                       static_cast<std::uint16_t>(pairs_[i]), true});
      }
      i = past;
    }
    std::sort(all.begin(), all.end(),
              [](const Candidate& a, const Candidate& b) { return a.saved > b.saved; });
    // Texts are made of those alone that are used.
    TokenTexts texts;
    for (std::size_t i = 0; i < all.size();) {
      const std::uint64_t saved = all[i].saved;
      texts.clear();
      for (; i < all.size() && all[i].saved == saved; ++i) {
        texts.push_back(tokens_[all[i].first]);
        if (all[i].is_pair) texts.back() += tokens_[all[i].second];
      }
      std::sort(texts.begin(), texts.end());
      for (std::string& text : texts)
        if (!use(saved, std::move(text))) return;
    }
  }

 private:
  /// By the second, and then by the first.
  void sort_pairs() {
    std::vector<std::uint32_t> sorted(pairs_.size());
    for (const unsigned shift : {0U, 16U}) {
      std::vector<std::size_t> places(tokens_.size() + 1);
      for (const std::uint32_t pair : pairs_) ++places[(pair >> shift & 0xffff) + 1];
      for (std::size_t t = 1; t < places.size(); ++t) places[t] += places[t - 1];
      for (const std::uint32_t pair : pairs_) sorted[places[pair >> shift & 0xffff]++] = pair;
      pairs_.swap(sorted);
    }
  }

  const TokenTexts& tokens_;
  TokenTrie trie_;
  Cutter cutter_;
  std::vector<std::uint64_t> uses_;
  std::vector<std::uint32_t> pairs_;  ///< of neighbours: the first << 16 | the second
  std::uint64_t total_ = 0;
};

}  // namespace

Trained train(const Sample& sample, const ByteSet& singles, unsigned bits, double share) {
  TokenTexts bytes;
  for (std::size_t b = 0; b < singles.size(); ++b)
    if (singles[b]) bytes.emplace_back(1, static_cast<char>(b));
  const std::size_t room = (std::size_t{1} << bits) - bytes.size();
  const double bytes_a_token = bits / 8.0 * std::max(share, 1.0);
  TokenTexts tokens = bytes;
  for (int round = 0; round < kRounds; ++round) {
    const bool growing = round < kGrowingRounds;
    const std::size_t most =
        growing ? room * static_cast<std::size_t>(round + 1) / kGrowingRounds : room;
    TokenTexts next = bytes;
    std::unordered_set<std::string> taken;
    Round(tokens, sample).for_each_candidate([&](std::uint64_t saved, std::string text) {
      if (next.size() - bytes.size() == most) return false;
      const double cost = static_cast<double>(text.size()) + 0.5;
      if (static_cast<double>(saved) * bytes_a_token <= cost) return true;
      if (taken.insert(text).second) next.push_back(std::move(text));
      return true;
    });
    if (next == tokens) break;  // and so would all that follow be
    tokens = std::move(next);
  }
  const Round last(tokens, sample);
  // Those used most stand side by side in a reader's table.
  std::vector<std::size_t> order(tokens.size());
  for (std::size_t t = 0; t < order.size(); ++t) order[t] = t;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return last.uses()[a] != last.uses()[b] ? last.uses()[a] > last.uses()[b]
                                            : tokens[a] < tokens[b];
  });
  Trained trained{{}, bits, static_cast<double>(last.total()) * bytes_a_token};
  for (const std::size_t t : order) {
    trained.bytes += static_cast<double>(tokens[t].size()) + 0.5;
    trained.tokens.push_back(std::move(tokens[t]));
  }
  return trained;
}

void RankSample::add(std::string_view text) {
  const std::uint64_t drawn = base::mix64(ranks_++);
  if (drawn > bound_) return;
  if (drawn_.empty()) {
    // For texts of a byte each: a vector that grows would take three times what is in it.
    sizes_.reserve(kMostBytes);
    drawn_.reserve(kMostBytes);
  }
  const std::string_view some = text.substr(0, kLongest);
  bytes_ += some;
  sizes_.push_back(static_cast<std::uint16_t>(some.size()));
  drawn_.push_back(drawn);
  if (bytes_.size() > kMostBytes) prune();
}

void RankSample::prune() {
  // Where the bytes of those drawn first come to kBytes: by the highest bits of what was drawn, and
  // then one by one.
  constexpr unsigned kBits = 12;
  const int shift = 64 - static_cast<int>(kBits) - std::countl_zero(bound_);
  const auto slot_of = [&](std::uint64_t drawn) { return shift > 0 ? drawn >> shift : 0; };
  std::vector<std::size_t> sizes(std::size_t{1} << kBits);
  for (std::size_t i = 0; i < drawn_.size(); ++i) sizes[slot_of(drawn_[i])] += sizes_[i];
  std::size_t slot = 0;
  std::size_t before = 0;
  while (slot + 1 != sizes.size() && before + sizes[slot] < kBytes) before += sizes[slot++];
  std::vector<std::pair<std::uint64_t, std::size_t>> drawn;
  for (std::size_t i = 0; i < drawn_.size(); ++i)
    if (slot_of(drawn_[i]) == slot) drawn.emplace_back(drawn_[i], sizes_[i]);
  std::sort(drawn.begin(), drawn.end());
  for (const auto& [number, size] : drawn) {
    before += size;
    if (before >= kBytes) {
      bound_ = number;
      break;
    }
  }
  std::size_t past = 0;
  std::size_t bytes_past = 0;
  auto text = bytes_.cbegin();
  for (std::size_t i = 0; i < drawn_.size(); text += sizes_[i++]) {
    if (drawn_[i] > bound_) continue;
    std::copy_n(text, sizes_[i], bytes_.begin() + static_cast<std::ptrdiff_t>(bytes_past));
    bytes_past += sizes_[i];
    sizes_[past] = sizes_[i];
    drawn_[past++] = drawn_[i];
  }
  bytes_.resize(bytes_past);
  sizes_.resize(past);
  drawn_.resize(past);
}

Sample RankSample::finish() {
  prune();
  return {std::move(bytes_), {sizes_.begin(), sizes_.end()}};
}

}  // namespace crivo::dictionary
