// SPDX-License-Identifier: Apache-2.0
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
    const Map::Answer answer = structure().lookup(key);
    if (answer.is_damaged()) fail_damaged(key.text(), kWhat);
    answer_value(key.text(), answer.has_value(), answer.value, visit);
  }
  void answer(std::span<const std::string_view> keys, const Visit& visit) override {
    for_each_answer_block(keys, [&](std::span<const std::string_view> some) {
      Found found;
      look_up(some, found);
      for (std::size_t i = 0; i < some.size(); ++i) {
        if (found.damaged[i]) fail_damaged(some[i], kWhat);
        answer_value(some[i], found.present[i], found.values[i], visit);
      }
    });
  }

  std::uint64_t count_one_by_one(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    for (const std::string_view key : keys) {
      const Map::Answer answer = structure().lookup(key);
      if (answer.is_damaged()) fail_damaged(key, kWhat);
      found += answer ? 1 : 0;
    }
    return found;
  }
  std::uint64_t count_in_batches(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    for_each_answer_block(keys, [&](std::span<const std::string_view> some) {
      Found block;
      look_up(some, block);
      for (std::size_t i = 0; i < some.size(); ++i) {
        if (block.damaged[i]) fail_damaged(some[i], kWhat);
        found += block.present[i] ? 1 : 0;
      }
    });
    return found;
  }

 private:
  static constexpr std::string_view kWhat = "value";

  /// The answers for a block of keys.
  struct Found {
    std::array<std::uint64_t, kAnswerBlock> values;
    std::array<bool, kAnswerBlock> present;
    std::array<bool, kAnswerBlock> damaged;
  };
  void look_up(std::span<const std::string_view> keys, Found& found) const {
    structure().lookup(keys, std::span(found.values).first(keys.size()),
                       std::span(found.present).first(keys.size()),
                       std::span(found.damaged).first(keys.size()));
  }

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
      visit(key,
            {.found = true, .is_number = form.type == ValueType::signed_integer, .text = text});
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
