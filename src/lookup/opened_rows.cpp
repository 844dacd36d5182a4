// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "crivo/rows.hpp"
#include "lookup/opened.hpp"

namespace crivo::index {
namespace {

class OpenedRows final : public Opened<Rows> {
 public:
  using Opened::Opened;

  bool tells_absent() const noexcept override { return structure().signature_bits() != 0; }

  void answer(const Key& key, const Visit& visit) override {
    tell(key.text(), structure().lookup(key), visit);
  }
  void answer(std::span<const std::string_view> keys, const Visit& visit) override {
    for_each_found(
        keys, [&](std::string_view key, const Rows::Answer& answer) { tell(key, answer, visit); });
  }

  std::uint64_t count_one_by_one(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    for (const std::string_view key : keys) count(key, structure().lookup(key), found);
    return found;
  }
  std::uint64_t count_in_batches(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    for_each_found(
        keys, [&](std::string_view key, const Rows::Answer& answer) { count(key, answer, found); });
    return found;
  }

 private:
  template <typename Use>
  void for_each_found(std::span<const std::string_view> keys, Use&& use) const {
    for_each_answer_block(keys, [&](std::span<const std::string_view> some) {
      std::array<Rows::Answer, kAnswerBlock> answers;
      structure().lookup(some, std::span(answers).first(some.size()));
      for (std::size_t i = 0; i < some.size(); ++i) use(some[i], answers[i]);
    });
  }
  void check(std::string_view key, const Rows::Answer& answer) const {
    if (answer.status == Rows::Status::damaged) fail_damaged(key, "row");
  }
  void count(std::string_view key, const Rows::Answer& answer, std::uint64_t& found) const {
    check(key, answer);
    found += answer ? 1 : 0;
  }
  /// Tells file TAB row group TAB row, or file TAB row where there are no row groups.
  void tell(std::string_view key, const Rows::Answer& answer, const Visit& visit) const {
    check(key, answer);
    if (!answer) return visit(key, {});
    std::string text(answer->file);
    if (answer->group) text += '\t' + std::to_string(*answer->group);
    text += '\t' + std::to_string(answer->row);
    visit(key, {.found = true, .text = text});
  }
};

}  // namespace

std::unique_ptr<OpenIndex> open_rows(const std::filesystem::path& path,
                                     const OpenOptions& options) {
  return std::make_unique<OpenedRows>("rows", path, options);
}

}  // namespace crivo::index
