// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "crivo/dictionary.hpp"
#include "crivo/error.hpp"
#include "lookup/dictionary_file.hpp"
#include "lookup/opened.hpp"
#include "lookup/queries.hpp"

namespace crivo::index {
namespace {

std::uint64_t id_of(std::string_view text) {
  const auto id = base::number_in<std::uint64_t>(text);
  if (!id) throw Error(ErrorKind::bad_input, quote(text) + " is not an id, a whole number");
  return *id;
}

unsigned edits_of(std::string_view text) {
  const auto edits = base::number_in<unsigned>(text);
  if (!edits || *edits > Dictionary::kMostEdits) {
    throw Error(ErrorKind::usage, quote(text) + " is not a number of edits from 0 to " +
                                      std::to_string(Dictionary::kMostEdits));
  }
  return *edits;
}

class OpenedDictionary final : public OpenedRanks<Dictionary> {
 public:
  using OpenedRanks::OpenedRanks;

  void query(std::string_view name, std::span<const std::string> values,
             const Visit& visit) override {
    check_values(kDictionaryQueries, name, values.size());
    if (name == "ids") {
      for (const std::string& value : values) answer_id(id_of(value), visit);
    } else if (name == "prefix") {
      for (const std::string& value : values) {
        const Dictionary::Range range = structure().prefix(value);
        if (range.is_damaged()) fail_damaged(value);
        answer_range(range.begin, range.end, visit);
      }
    } else if (name == "range") {
      for (std::size_t i = 0; i + 1 < values.size(); i += 2)
        answer_range(lower_bound(values[i]), lower_bound(values[i + 1]), visit);
    } else if (name == "lower-bound") {
      for (const std::string& value : values) answer_range(lower_bound(value), size(), visit);
    } else if (name == "longest-prefix") {
      for (const std::string& value : values)
        answer_prefix(value, structure().longest_prefix(value), visit);
    } else if (name == "prefixes-of") {
      std::vector<Dictionary::Prefix> found;
      for (const std::string& value : values) {
        structure().prefixes(value, found);
        for (const Dictionary::Prefix& prefix : found) answer_prefix(value, prefix, visit);
      }
    } else if (name == "fuzzy") {
      for (std::size_t i = 0; i + 1 < values.size(); i += 2)
        answer_near(edits_of(values[i]), values[i + 1], visit);
    } else if (name == "from-id") {
      for (const std::string& value : values) answer_range(id_of(value), size(), visit);
    } else {
      OpenIndex::query(name, values, visit);
    }
  }

  void answer_hashed(std::span<const std::string_view> keys, const Visit& visit) override {
    for_each_answer_block(keys, [&](std::span<const std::string_view> some) {
      std::array<std::uint64_t, kAnswerBlock> ids;
      structure().lookup_hashed(some, std::span(ids).first(some.size()));
      for (std::size_t i = 0; i < some.size(); ++i) {
        if (ids[i] == Dictionary::kAbsent) {
          visit(some[i], {});
        } else if (is_damaged(ids[i])) {
          fail_damaged(some[i]);
        } else {
          answer_found(some[i], ids[i], visit);
        }
      }
    });
  }

  void for_each(const std::function<void(std::string_view key, const std::string_view* record)>&
                    visit) const override {
    for_each_from(0, size(), [&](std::string_view key, std::uint64_t id) {
      if (!structure().has_values()) return visit(key, nullptr);
      const std::string value = value_of(id);
      const std::string_view record = value;
      visit(key, &record);
    });
  }

 protected:
  void answer_found(std::string_view key, std::uint64_t id, const Visit& visit) const override {
    answer_number(key, id, visit, structure().has_values() ? value_of(id) : std::string());
  }

 private:
  std::uint64_t lower_bound(std::string_view text) const {
    const std::uint64_t id = structure().lower_bound(text);
    if (is_damaged(id)) fail_damaged(text);
    return id;
  }
  /// The number beside a key, in decimal digits.
  std::string value_of(std::uint64_t id) const {
    const std::optional<std::uint64_t> value = structure().value(id);
    if (!value) throw Error(ErrorKind::corrupt, name() + ": damaged: a value is malformed");
    return value_text(*value, structure().value_form());
  }
  /// Calls use(key, id) for ids from begin on, and before end.
  template <typename Use>
  void for_each_from(std::uint64_t begin, std::uint64_t end, const Use& use) const {
    if (begin >= end) return;
    Dictionary::Cursor cursor(structure());
    for (bool more = cursor.seek(begin); more && cursor.id() < end; more = cursor.next())
      use(cursor.key(), cursor.id());
    if (cursor.is_damaged()) fail_malformed();
  }
  void answer_range(std::uint64_t begin, std::uint64_t end, const Visit& visit) const {
    for_each_from(begin, end,
                  [&](std::string_view key, std::uint64_t id) { answer_found(key, id, visit); });
  }

  /// The key that `text` begins with, if there is one.
  void answer_prefix(std::string_view text, const Dictionary::Prefix& prefix,
                     const Visit& visit) const {
    if (is_damaged(prefix.id)) fail_damaged(text);
    if (prefix.id != Dictionary::kAbsent)
      answer_found(text.substr(0, prefix.size), prefix.id, visit);
  }

  void answer_near(unsigned edits, std::string_view text, const Visit& visit) const {
    std::vector<Dictionary::Near> found;
    structure().fuzzy(text, edits, found);
    for (const Dictionary::Near& near : found) {
      const auto key = structure().key(near.id);
      if (!key) fail_malformed();
      answer_found(*key, near.id, visit);
    }
  }

  void answer_id(std::uint64_t id, const Visit& visit) {
    if (id >= size()) {
      throw Error(ErrorKind::bad_input, name() + ": there is no id " + std::to_string(id) +
                                            "; ids are below " + std::to_string(size()));
    }
    buffer_.resize(structure().longest_key());
    const auto key = structure().key(id, buffer_);
    if (!key) fail_malformed();
    answer_found(*key, id, visit);
  }
  [[noreturn]] void fail_malformed() const {
    throw Error(ErrorKind::corrupt, name() + ": damaged: a block of keys is malformed");
  }

  std::string buffer_;
};

}  // namespace

std::unique_ptr<OpenIndex> open_dictionary(const std::filesystem::path& path,
                                           const OpenOptions& options) {
  return std::make_unique<OpenedDictionary>("dictionary", path, options);
}

}  // namespace crivo::index
