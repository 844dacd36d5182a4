// SPDX-License-Identifier: Apache-2.0
#include "crivo/index.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <string>
#include <vector>

#include "crivo/error.hpp"
#include "crivo/suffixes.hpp"
#include "lookup/opened.hpp"
#include "lookup/queries.hpp"

namespace crivo {
namespace {

/// Rules for hosts one after the other, and the texts to be asked for.
struct AskedRules {
  struct Rule {
    std::size_t host = 0;
    PublicSuffix rule;
  };
  std::deque<Rule> rules;
  std::vector<std::string_view> texts;

  void add(std::size_t index, std::string_view host) {
    for_each_rule(host, [&](const PublicSuffix& one) {
      texts.emplace_back(rules.emplace_back(Rule{index, one}).rule.rule);
      return false;
    });
  }
};

/// A text that is asked for: a suffix of keys[key], with what stands before all suffixes of it.
struct AskedSuffix {
  std::size_t key = 0;
  std::string_view suffix;
  bool is_last = false;  ///< of its key
};

/// The suffixes of keys one after the other, and the texts to be asked for.
struct AskedSuffixes {
  std::vector<AskedSuffix> suffixes;
  std::vector<std::string_view> texts;
  std::deque<std::string> joined;  ///< texts that stand in no key as they are

  void add(std::size_t index, std::string_view key, std::size_t before, char delimiter) {
    std::uint64_t bytes = 0;
    longest_suffix(key.substr(before), delimiter, [&](std::string_view suffix) {
      const bool is_whole = suffixes.empty() || suffixes.back().key != index;
      bytes += before + suffix.size();
      if (bytes > kMostBorderBytes) {
        throw Error(ErrorKind::bad_input,
                    "a key of " + std::to_string(key.size()) +
                        " bytes has too many labels: its suffixes have over 16 MiB together",
                    {.line = index + 1});
      }
      suffixes.push_back({index, suffix});
      texts.push_back(before == 0 ? suffix
                      : is_whole  ? key
                                  : joined.emplace_back(key.substr(0, before)).append(suffix));
      return false;
    });
    suffixes.back().is_last = true;
  }
};

}  // namespace

OpenIndex::~OpenIndex() = default;

void OpenIndex::require_absent(std::string_view what) const {
  if (tells_absent()) return;
  throw Error(ErrorKind::usage,
              name_ + ": finds any " + std::string(what) +
                  ", since it has no signatures; build it with them",
              {.remedy = "signature_bits"});
}

void answer_public_suffixes(OpenIndex& index, std::span<const std::string_view> hosts,
                            const PublicSuffixVisit& visit) {
  index.require_absent("rule");
  AskedRules asked;
  for (std::size_t i = 0; i < hosts.size(); ++i) asked.add(i, hosts[i]);
  auto next = asked.rules.begin();
  std::size_t told = 0;  // hosts that were visited
  index.answer(asked.texts, [&](std::string_view, const Answer& answer) {
    if (answer.is_further) return;
    const AskedRules::Rule& one = *next++;
    while (told < one.host) visit(hosts[told++], {}, {});  // of which no rule was found
    if (answer.found && told == one.host) visit(hosts[told++], one.rule, answer);
  });
  while (told < hosts.size()) visit(hosts[told++], {}, {});
}

void OpenIndex::answer_suffixes(std::span<const std::string_view> keys, char delimiter,
                                const SuffixVisit& visit) {
  require_absent("suffix");
  AskedSuffixes asked;
  std::size_t added = 0;
  try {
    for (; added < keys.size(); ++added)
      asked.add(added, keys[added], bytes_before_suffixes(keys[added]), delimiter);
  } catch (const Error&) {
    answer_suffixes(keys.first(added), delimiter, visit);
    throw;
  }
  auto next = asked.suffixes.begin();
  bool is_found = false;
  std::string of_key;                 // what is said of the key itself, which is not found
  const AskedSuffix* told = nullptr;  // the last, if it was
  answer(asked.texts, [&](std::string_view, const Answer& answer) {
    if (answer.is_further) {
      if (told != nullptr) visit(keys[told->key], told->suffix, answer);
      return;
    }
    const AskedSuffix& one = *next;
    told = nullptr;
    const bool is_first = next == asked.suffixes.begin() || std::prev(next)->is_last;
    ++next;
    if (is_first) {
      is_found = false;
      of_key = answer.found ? std::string_view() : answer.text;
    }
    if (is_found) return;
    is_found = answer.found;
    if (is_found) {
      told = &one;
      visit(keys[one.key], one.suffix, answer);
    } else if (one.is_last) {
      visit(keys[one.key], {}, {.text = of_key});
    }
  });
}

namespace {

index::Measured& measured(OpenIndex& index) {
  if (auto* const known = dynamic_cast<index::Measured*>(&index)) return *known;
  throw Error(ErrorKind::usage, index.name() + ": cannot be measured");
}

}  // namespace

std::uint64_t count_one_by_one(OpenIndex& index, std::span<const std::string_view> keys) {
  return measured(index).count_one_by_one(keys);
}

std::uint64_t count_in_batches(OpenIndex& index, std::span<const std::string_view> keys) {
  return measured(index).count_in_batches(keys);
}

void OpenIndex::answer_hashed(std::span<const std::string_view> /*keys*/, const Visit& /*visit*/) {
  throw Error(ErrorKind::usage, name_ + ": has no hashed ids; only a dictionary can have them");
}

void OpenIndex::answer_ranges(std::span<const AskedRange> /*ranges*/, const Visit& /*visit*/) {
  throw Error(ErrorKind::usage, name_ + ": cannot answer ranges; filters of type range can");
}

void OpenIndex::query(std::string_view name, std::span<const std::string> /*values*/,
                      const Visit& /*visit*/) {
  throw Error(ErrorKind::usage, name_ + ": is of the kind " + std::string(kind_) +
                                    ", which takes no --" + std::string(name));
}

void index::check_values(std::span<const QueryInfo> queries, std::string_view name,
                         std::size_t values) {
  const auto query = std::ranges::find(queries, name, &QueryInfo::name);
  if (query == queries.end() || (query->values == 0 ? values != 0 : values == query->values))
    return;
  throw Error(ErrorKind::usage, "the query " + std::string(name) + " takes " +
                                    (query->values == 0   ? "values"
                                     : query->values == 1 ? "one value"
                                                          : "two values"));
}

void OpenIndex::for_each(
    const std::function<void(std::string_view, const std::string_view*)>& /*visit*/) const {
  throw Error(ErrorKind::usage,
              name_ + ": is of the kind " + std::string(kind_) + ", which holds no keys to dump");
}

}  // namespace crivo
