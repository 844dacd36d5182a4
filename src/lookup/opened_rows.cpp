// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <utility>

#include "crivo/rows.hpp"
#include "lookup/opened.hpp"

namespace crivo::index {
namespace {

class OpenedRows final : public Opened<Rows> {
 public:
  using Opened::Opened;

  bool tells_absent() const noexcept override { return structure().signature_bits() != 0; }

  void answer(const Key& key, const Visit& visit) override {
    if (has_several()) return answer_each(key.text(), visit);
    tell(key.text(), structure().lookup(key), visit);
  }
  void answer(std::span<const std::string_view> keys, const Visit& visit) override {
    if (has_several()) {
      for (const std::string_view key : keys) answer_each(key, visit);
      return;
    }
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
  /// Whether a key may have more rows than one.
  bool has_several() const noexcept { return structure().layers() != 1 || structure().has_lists(); }
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
  void tell(std::string_view key, const Rows::Answer& answer, const Visit& visit) const {
    check(key, answer);
    if (!answer) return visit(key, {});
    tell_row(key, *answer, false, visit);
  }
  /// Tells every row that the key may be in.
  void answer_each(std::string_view key, const Visit& visit) const {
    bool is_further = false;
    const Rows::Status status = structure().visit_rows(key, [&](const Rows::Row& row) {
      tell_row(key, row, std::exchange(is_further, true), visit);
    });
    if (!is_further) tell(key, {.status = status}, visit);
    check(key, {.status = status});
  }
  /// Tells file TAB row group TAB row, or file TAB row where there are no row groups.
  static void tell_row(std::string_view key, const Rows::Row& row, bool is_further,
                       const Visit& visit) {
    std::string text(row.file);
    if (row.group) text += '\t' + std::to_string(*row.group);
    text += '\t' + std::to_string(row.row);
    visit(key, {.found = true, .is_further = is_further, .text = text});
  }
};

}  // namespace

std::unique_ptr<OpenIndex> open_rows(const std::filesystem::path& path,
                                     const OpenOptions& options) {
  return std::make_unique<OpenedRows>("rows", path, options);
}

}  // namespace crivo::index
