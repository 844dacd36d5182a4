// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "base/refuse_option.hpp"
#include "base/text.hpp"
#include "crivo/exact.hpp"
#include "lookup/opened.hpp"
#include "lookup/queries.hpp"

namespace crivo::index {
namespace {

/// A line of a query: in a set with groups, the name of the group, a delimiter and the key.
struct Asked {
  std::string_view group;
  std::string_view key;
  bool is_whole = true;  ///< no delimiter is missing
};

class OpenedExact final : public Opened<Exact> {
 public:
  using Opened::Opened;

  void answer(const Key& key, const Visit& visit) override {
    tell(key.text(), covered_ ? find(key.text()) : ExactAnswer::outside, visit);
  }
  void answer(std::span<const std::string_view> keys, const Visit& visit) override {
    for_each_answer_block(keys, [&](std::span<const std::string_view> some) {
      std::array<ExactAnswer, kAnswerBlock> answers;
      find_all(some, std::span(answers).first(some.size()));
      for (std::size_t i = 0; i < some.size(); ++i) tell(some[i], answers[i], visit);
    });
  }

  void query(std::string_view name, std::span<const std::string> values, const Visit&) override {
    if (name == kExactQueries[0].name) {
      set_epoch(values[0]);
    } else if (name == kExactQueries[1].name) {
      set_delimiter(values[0]);
    } else {
      Opened::query(name, values, {});
    }
  }

  std::uint64_t count_one_by_one(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    if (!structure().grouped()) {
      for (const std::string_view key : keys) count(key, structure().contains(key), found);
      return found;
    }
    for (const std::string_view key : keys) count(key, find(key), found);
    return found;
  }
  std::uint64_t count_in_batches(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    for_each_answer_block(keys, [&](std::span<const std::string_view> some) {
      std::array<ExactAnswer, kAnswerBlock> answers;
      const std::span all = std::span(answers).first(some.size());
      find_all(some, all);
      for (std::size_t i = 0; i < some.size(); ++i) count(some[i], all[i], found);
    });
    return found;
  }

 protected:
  std::size_t bytes_before_suffixes(std::string_view key) const noexcept override {
    return structure().grouped() ? key.find(delimiter_) + 1 : 0;  // 0 of a line without one
  }

 private:
  void set_epoch(const std::string& text) {
    const std::size_t equals = text.find('=');
    const auto value = base::number_in<std::uint64_t>(
        equals == std::string::npos ? "" : std::string_view(text).substr(equals + 1));
    if (!value) base::refuse_option("at", "'" + text + "' is not of the form NAME=VALUE");
    const std::string_view epoch = std::string_view(text).substr(0, equals);
    require_epoch(epoch);
    covered_ = structure().covers({epoch, *value});
  }
  /// Throws Error(usage) if the set says what it covers, and nothing of this epoch.
  void require_epoch(std::string_view name) const {
    std::string known;
    for (const Coverage& each : structure().covers()) {
      if (each.name == name) return;
      known += (known.empty() ? "" : ", ") + each.name + "=" + std::to_string(each.low) + ":" +
               std::to_string(each.high);
    }
    if (!known.empty())
      base::refuse_option("at", quote(name) + " is no epoch of the set, which covers " + known);
  }
  void set_delimiter(const std::string& text) {
    if (text.size() != 1)
      base::refuse_option("group-delimiter", "'" + text + "' is not one character");
    if (!structure().grouped()) base::refuse_option("group-delimiter", "the set has no groups");
    delimiter_ = text.front();
  }

  Asked cut(std::string_view line) const noexcept {
    const std::size_t end = line.find(delimiter_);
    if (end == std::string_view::npos) return {{}, line, false};
    return {line.substr(0, end), line.substr(end + 1)};
  }

  ExactAnswer find(std::string_view line) const noexcept {
    if (!structure().grouped()) return structure().contains(line);
    const Asked asked = cut(line);
    return asked.is_whole ? structure().contains(asked.group, asked.key) : ExactAnswer::outside;
  }
  void find_all(std::span<const std::string_view> lines, std::span<ExactAnswer> answers) const {
    if (!covered_) {
      std::ranges::fill(answers, ExactAnswer::outside);
    } else if (!structure().grouped()) {
      structure().contains(lines, answers);
    } else {
      std::array<std::string_view, kAnswerBlock> groups;
      std::array<std::string_view, kAnswerBlock> keys;
      std::array<bool, kAnswerBlock> are_whole;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const Asked asked = cut(lines[i]);
        groups[i] = asked.group;
        keys[i] = asked.key;
        are_whole[i] = asked.is_whole;
      }
      structure().contains(std::span<const std::string_view>(groups).first(lines.size()),
                           std::span<const std::string_view>(keys).first(lines.size()), answers);
      for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!are_whole[i]) answers[i] = ExactAnswer::outside;
      }
    }
  }
  void tell(std::string_view key, ExactAnswer answer, const Visit& visit) const {
    refuse_damaged(key, answer);
    visit(key, {.found = answer == ExactAnswer::member, .text = name_of(answer)});
  }

  void refuse_damaged(std::string_view key, ExactAnswer answer) const {
    if (answer == ExactAnswer::damaged) [[unlikely]]
      fail_damaged(key, "membership");
  }
  void count(std::string_view key, ExactAnswer answer, std::uint64_t& found) const {
    refuse_damaged(key, answer);
    found += answer == ExactAnswer::member ? 1 : 0;
  }

  bool covered_ = true;    ///< the epoch that was asked for, if one was
  char delimiter_ = '\t';  ///< between the group and the key
};

}  // namespace

std::unique_ptr<OpenIndex> open_exact(const std::filesystem::path& path,
                                      const OpenOptions& options) {
  return std::make_unique<OpenedExact>("exact", path, options);
}

}  // namespace crivo::index
