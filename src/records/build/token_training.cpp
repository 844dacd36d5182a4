// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "records/build/encoding.hpp"
#include "records/build/token_matcher.hpp"
#include "records/tokens.hpp"

namespace crivo::records {

namespace {

// How often pairs of tokens were met. Where it grows above its bound, the pairs that were met least
// are forgotten.
class PairCounts {
 public:
  struct Count {
    std::uint32_t pair = 0;   // the first token << 16 | the second
    std::uint32_t count = 0;  // 0: free
  };

  PairCounts() : counts_(std::size_t{1} << kFirstBits) {}

  static std::uint32_t pair(std::uint32_t first, std::uint32_t second) noexcept {
    return first << 16 | second;
  }

  // Counts the pair once more, and says how often by now.
  std::uint32_t add(std::uint32_t pair) {
    if (4 * (used_ + 1) > 3 * counts_.size()) make_room();
    Count& count = counts_[place(counts_, pair)];
    if (count.count == 0) {
      count.pair = pair;
      ++used_;
    }
    return ++count.count;
  }
  // Begins with it anew: it stays in its place, as met once.
  void restart(std::uint32_t pair) noexcept { counts_[place(counts_, pair)].count = 1; }

  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const Count& count : counts_) {
      if (count.count != 0) visit(count);
    }
  }

 private:
  static constexpr unsigned kFirstBits = 16;
  static constexpr std::size_t kMost = std::size_t{1} << 19;

  static std::size_t place(const std::vector<Count>& counts, std::uint32_t pair) noexcept {
    const std::size_t mask = counts.size() - 1;
    std::size_t at = (pair * 0x9e3779b97f4a7c15) >> 32 & mask;
    while (counts[at].count != 0 && counts[at].pair != pair) at = (at + 1) & mask;
    return at;
  }

  void make_room() {
    const std::vector<Count> old = std::exchange(counts_, {});
    const bool grow = old.size() < kMost;
    counts_.resize(grow ? 2 * old.size() : old.size());
    if (!grow) ++forgotten_;
    used_ = 0;
    for (const Count& count : old) {
      if (count.count <= forgotten_) continue;
      counts_[place(counts_, count.pair)] = count;
      ++used_;
    }
  }

  std::vector<Count> counts_;
  std::size_t used_ = 0;
  std::uint32_t forgotten_ = 0;  // pairs met no more than so often were
};

template <typename Visit>
void for_each_unit(const UnitSample& sample, Visit&& visit) {
  base::ByteView rest = sample.bytes;
  for (const std::size_t size : sample.sizes) {
    visit(rest.first(size));
    rest = rest.subspan(size);
  }
}

// How often a pair must be met to become a token: so often that the dictionary is full when the
// sample ends. It is raised while tokens come at more than twice the rate that leads there, lowered
// while they come at less than half of it.
class MergeThreshold {
 public:
  MergeThreshold(std::size_t most_tokens, std::size_t sample_bytes)
      : tokens_left_(most_tokens),
        bytes_left_(sample_bytes),
        token_interval_(std::max<std::size_t>(most_tokens / kLooks, 64)),
        byte_interval_(std::max<std::size_t>(sample_bytes / kLooks, 1024)) {}

  std::uint32_t value() const noexcept { return value_; }
  void read(std::size_t bytes) noexcept {
    bytes_ += bytes;
    if (bytes_ >= byte_interval_) look();
  }
  void merged() noexcept {
    if (++tokens_ >= token_interval_) look();
  }

 private:
  static constexpr std::uint32_t kLeast = 2;
  static constexpr std::size_t kLooks = 128;

  void look() noexcept {
    tokens_left_ -= std::min(tokens_, tokens_left_);
    bytes_left_ -= std::min(bytes_, bytes_left_);
    // tokens / bytes against tokens left / bytes left; the products are far below 2^63.
    const std::uint64_t rate = std::uint64_t{tokens_} * std::max<std::size_t>(bytes_left_, 1);
    const std::uint64_t wanted = std::uint64_t{std::max<std::size_t>(tokens_left_, 1)} * bytes_;
    if (rate > 2 * wanted) {
      ++value_;
    } else if (2 * rate < wanted && value_ > kLeast) {
      --value_;
    }
    tokens_ = 0;
    bytes_ = 0;
  }

  std::size_t tokens_left_;
  std::size_t bytes_left_;
  std::size_t token_interval_;  // between two looks, whichever is over first
  std::size_t byte_interval_;
  std::size_t tokens_ = 0;  // since the last
  std::size_t bytes_ = 0;
  std::uint32_t value_ = kLeast;
};

// One pass over the sample, in which frequent pairs become tokens that are matched from then on.
TokenList merge_pairs(const UnitSample& sample, std::size_t most) {
  TokenList tokens;
  TokenMatcher matcher;
  PairCounts counts;
  MergeThreshold threshold(most - tokens.size(), sample.bytes.size());
  for_each_unit(sample, [&](base::ByteView unit) {
    TokenMatcher::Match before;  // none
    std::size_t at = 0;
    while (at < unit.size() && tokens.size() < most) {
      TokenMatcher::Match match = matcher.longest(unit.subspan(at));
      threshold.read(match.size);
      const std::uint32_t both = before.size + match.size;
      if (before.size != 0 && both <= kMaxToken) {
        const std::uint32_t pair = PairCounts::pair(before.token, match.token);
        if (counts.add(pair) >= threshold.value()) {
          counts.restart(pair);
          const auto token = static_cast<std::uint32_t>(tokens.size());
          const base::ByteView text = unit.subspan(at - before.size, both);
          // Other pairs may have led to the same text.
          if (matcher.insert(text, token)) {
            tokens.add(text);
            threshold.merged();
            at += match.size;
            before = {token, both};
            continue;
          }
        }
      }
      at += match.size;
      before = match;
    }
  });
  return tokens;
}

// A token that may be taken: one of old or a pair of them.
struct Candidate {
  std::uint64_t saved;  // as many tokens less for the sample
  std::uint32_t first;
  std::uint32_t second;  // kAlone: it is one of old
};

constexpr std::uint32_t kAlone = ~std::uint32_t{0};

class Selection {
 public:
  explicit Selection(const TokenList& tokens) : tokens_(tokens), used_(tokens.size()) {
    for (std::size_t t = TokenList::kSingles; t < tokens.size(); ++t) {
      matcher_.insert(tokens.text(t), static_cast<std::uint32_t>(t));
    }
  }

  // Counts the uses of the tokens, and of the pairs that they make side by side.
  void count(const UnitSample& sample) {
    for_each_unit(sample, [&](base::ByteView unit) {
      TokenMatcher::Match before;
      for (std::size_t at = 0; at < unit.size();) {
        const TokenMatcher::Match match = matcher_.longest(unit.subspan(at));
        ++used_[match.token];
        if (before.size != 0 && before.size + match.size <= kMaxToken) {
          pairs_.add(PairCounts::pair(before.token, match.token));
        }
        at += match.size;
        before = match;
      }
    });
  }

  // The best of them, at most `most`, of those that save `least_saved` tokens for each byte that
  // they take of the dictionary.
  TokenList best(std::size_t most, double least_saved) const {
    struct Taken {
      std::uint64_t used;
      base::Bytes text;
    };
    std::vector<Taken> taken;
    TokenMatcher texts;  // one may be both a token of old and a pair
    for (const Candidate& candidate : candidates()) {
      base::Bytes text = text_of(candidate);
      const double cost = static_cast<double>(text.size()) + 0.5;
      if (static_cast<double>(candidate.saved) < cost * least_saved) continue;
      if (!texts.insert(text, 0)) continue;
      taken.push_back(
          {candidate.second == kAlone ? used_[candidate.first] : candidate.saved, std::move(text)});
      if (taken.size() == most - TokenList::kSingles) break;
    }
    // Those that are used most stand side by side in a decoder's table.
    std::ranges::stable_sort(taken, std::ranges::greater(), &Taken::used);
    TokenList best;
    for (const Taken& token : taken) best.add(token.text);
    return best;
  }

 private:
  // In the order of what they save.
  std::vector<Candidate> candidates() const {
    std::size_t pairs = 0;
    pairs_.for_each([&](const PairCounts::Count& pair) { pairs += pair.count >= 2 ? 1 : 0; });
    std::vector<Candidate> candidates;
    candidates.reserve(tokens_.size() + pairs);
    for (std::size_t t = TokenList::kSingles; t < tokens_.size(); ++t) {
      const auto token = static_cast<std::uint32_t>(t);
      candidates.push_back({used_[t] * (parts(t) - 1), token, kAlone});
    }
    pairs_.for_each([&](const PairCounts::Count& pair) {
      if (pair.count >= 2) candidates.push_back({pair.count, pair.pair >> 16, pair.pair & 0xffff});
    });
    std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
      if (a.saved != b.saved) return a.saved > b.saved;
      return a.first != b.first ? a.first < b.first : a.second < b.second;
    });
    return candidates;
  }

  // How many tokens the text of token t takes without it.
  std::uint64_t parts(std::size_t t) const noexcept {
    const base::ByteView text = tokens_.text(t);
    std::uint64_t parts = 0;
    for (std::size_t at = 0; at < text.size(); ++parts) {
      at += matcher_.longest(text.subspan(at), text.size()).size;
    }
    return parts;
  }

  base::Bytes text_of(const Candidate& candidate) const {
    base::Bytes text;
    for (const std::uint32_t token : {candidate.first, candidate.second}) {
      if (token == kAlone) continue;
      if (token < TokenList::kSingles) {
        text.push_back(static_cast<std::byte>(token));
      } else {
        const base::ByteView bytes = tokens_.text(token);
        text.insert(text.end(), bytes.begin(), bytes.end());
      }
    }
    return text;
  }

  const TokenList& tokens_;
  TokenMatcher matcher_;
  std::vector<std::uint64_t> used_;
  PairCounts pairs_;
};

}  // namespace

base::Bytes train_tokens(const UnitSample& sample, double share, unsigned bits) {
  const std::size_t most = std::size_t{1} << bits;
  // A token less saves so many bytes of all units.
  const double bytes_a_token = bits / 8.0 * std::max(share, 1.0);
  const TokenList merged = merge_pairs(sample, most);
  Selection selection(merged);
  selection.count(sample);
  return selection.best(most, 1 / bytes_a_token).encode();
}

}  // namespace crivo::records
