// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "crivo/error.hpp"
#include "crivo/filter.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/opened.hpp"

namespace crivo::index {
namespace {

class OpenedFilter final : public Opened<Filter> {
 public:
  using Opened::Opened;

  void answer(const Key& key, const Visit& visit) override {
    answer_maybe(key.text(), structure().contains(key), visit);
  }
  void answer(std::span<const std::string_view> keys, const Visit& visit) override {
    for_each_answer_block(keys, [&](std::span<const std::string_view> some) {
      std::array<bool, kAnswerBlock> maybe;
      structure().contains(some, std::span(maybe).first(some.size()));
      for (std::size_t i = 0; i < some.size(); ++i) answer_maybe(some[i], maybe[i], visit);
    });
  }

  bool takes_ranges() const noexcept override { return structure().takes_ranges(); }
  void answer_ranges(std::span<const AskedRange> ranges, const Visit& visit) override {
    if (!takes_ranges()) return OpenIndex::answer_ranges(ranges, visit);
    std::array<std::uint64_t, kAnswerBlock> lows;
    std::array<std::uint64_t, kAnswerBlock> highs;
    std::array<bool, kAnswerBlock> maybe;
    std::uint64_t answered = 0;
    while (!ranges.empty()) {
      const auto some = ranges.first(std::min(kAnswerBlock, ranges.size()));
      std::size_t taken = 0;  // of some, up to one that is no range
      while (taken < some.size() && put_ends(some[taken], lows[taken], highs[taken])) ++taken;
      structure().contains_ranges(std::span(lows).first(taken), std::span(highs).first(taken),
                                  std::span(maybe).first(taken));
      for (std::size_t i = 0; i < taken; ++i) answer_maybe(some[i].text, maybe[i], visit);
      answered += taken;
      if (taken < some.size()) {
        throw Error(
            ErrorKind::bad_input,
            quote(some[taken].text) + ": the ends of a range are numbers of at most 8 bytes",
            {.line = answered + 1});
      }
      ranges = ranges.subspan(taken);
    }
  }

  std::uint64_t count_one_by_one(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    for (const std::string_view key : keys) found += structure().contains(key) ? 1 : 0;
    return found;
  }
  std::uint64_t count_in_batches(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    for_each_answer_block(keys, [&](std::span<const std::string_view> some) {
      std::array<bool, kAnswerBlock> maybe;
      const std::span answers = std::span(maybe).first(some.size());
      structure().contains(some, answers);
      found += static_cast<std::uint64_t>(std::ranges::count(answers, true));
    });
    return found;
  }

 private:
  /// Puts the ends of a range as numbers: an empty range for a key that is too long to be a number,
  /// and in no filter. False where one of two ends is no number.
  static bool put_ends(const AskedRange& range, std::uint64_t& low, std::uint64_t& high) {
    const bool is_long = std::max(range.low.size(), range.high.size()) > hashing::kMaxNumberBytes;
    if (is_long && range.low != range.high) return false;
    low = is_long ? 1 : hashing::number_of(range.low);
    high = is_long ? 0 : hashing::number_of(range.high);
    return true;
  }
  static void answer_maybe(std::string_view key, bool maybe, const Visit& visit) {
    visit(key, {.found = maybe, .text = maybe ? "maybe" : ""});
  }
};

}  // namespace

std::unique_ptr<OpenIndex> open_filter(const std::filesystem::path& path,
                                       const OpenOptions& options) {
  return std::make_unique<OpenedFilter>("filter", path, options);
}

}  // namespace crivo::index
