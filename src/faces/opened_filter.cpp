// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "crivo/filter.hpp"
#include "faces/opened.hpp"

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
  static void answer_maybe(std::string_view key, bool maybe, const Visit& visit) {
    visit(key, {maybe, false, maybe ? "maybe" : ""});
  }
};

}  // namespace

std::unique_ptr<OpenIndex> open_filter(const std::filesystem::path& path,
                                       const OpenOptions& options) {
  return std::make_unique<OpenedFilter>("filter", path, options);
}

}  // namespace crivo::index
