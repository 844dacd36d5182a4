// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "crivo/map.hpp"
#include "lookup/opened.hpp"

namespace crivo::index {
namespace {

class OpenedMap final : public Opened<Map> {
 public:
  using Opened::Opened;

  bool tells_absent() const noexcept override { return structure().signature_bits() != 0; }

  void answer(const Key& key, const Visit& visit) override {
    const std::optional<std::uint64_t> value = structure().lookup(key);
    answer_value(key.text(), value.has_value(), value.value_or(0), visit);
  }
  void answer(std::span<const std::string_view> keys, const Visit& visit) override {
    for_each_answer_block(keys, [&](std::span<const std::string_view> some) {
      std::array<std::uint64_t, kAnswerBlock> values;
      std::array<bool, kAnswerBlock> present;
      structure().lookup(some, std::span(values).first(some.size()),
                         std::span(present).first(some.size()));
      for (std::size_t i = 0; i < some.size(); ++i) {
        answer_value(some[i], present[i], values[i], visit);
      }
    });
  }

  std::uint64_t count_one_by_one(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    for (const std::string_view key : keys) found += structure().lookup(key) ? 1 : 0;
    return found;
  }
  std::uint64_t count_in_batches(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    for_each_answer_block(keys, [&](std::span<const std::string_view> some) {
      std::array<std::uint64_t, kAnswerBlock> values;
      std::array<bool, kAnswerBlock> present;
      const std::span answers = std::span(present).first(some.size());
      structure().lookup(some, std::span(values).first(some.size()), answers);
      found += static_cast<std::uint64_t>(std::ranges::count(answers, true));
    });
    return found;
  }

 private:
  void answer_value(std::string_view key, bool present, std::uint64_t value,
                    const Visit& visit) const {
    if (!present) {
      visit(key, {});
      return;
    }
    const ValueForm& form = structure().value_form();
    if (form.type != ValueType::unsigned_integer) {
      // Most readers of JSON would take a decimal for a double: so it is a text there.
      const std::string text = value_text(value, form);
      visit(key, {true, form.type == ValueType::signed_integer, text});
      return;
    }
    answer_number(key, value, visit);
  }
};

}  // namespace

std::unique_ptr<OpenIndex> open_map(const std::filesystem::path& path, const OpenOptions& options) {
  return std::make_unique<OpenedMap>("map", path, options);
}

}  // namespace crivo::index
