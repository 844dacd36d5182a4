// SPDX-License-Identifier: Apache-2.0
#include "experiments/hyphenated_language.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <utility>

#include "apps/hyphenator.hpp"
#include "apps/text.hpp"
#include "crivo/error.hpp"
#include "experiments/stopwatch.hpp"

namespace crivo::experiments {
namespace {

/// A file of Debian's, and what has it.
struct DebianFile {
  const char* path;
  const char* package;
};
constexpr DebianFile kEnglishPatterns{"/usr/share/hyphen/hyph_en_US.dic", "hyphen-en-us"};
/// The list of Debian's that has at least as many words as the thesis's.
constexpr DebianFile kEnglishWords{"/usr/share/dict/american-english-insane", "wamerican-insane"};
constexpr DebianFile kPortuguesePatterns{"/usr/share/hyphen/hyph_pt_PT.dic", "hyphen-pt-pt"};
constexpr DebianFile kBrazilianPatterns{"/usr/share/hyphen/hyph_pt_BR.dic", "hyphen-pt-br"};
constexpr DebianFile kBrazilianWords{"/usr/share/dict/brazilian", "wbrazilian"};

void require(const DebianFile& file) {
  if (std::filesystem::exists(file.path)) return;
  throw Error(ErrorKind::io, std::string(file.path) +
                                 ": there is no such file; install it (apt-get "
                                 "install " +
                                 file.package + ")");
}

apps::Patterns load_patterns(const DebianFile& file) {
  require(file);
  return apps::Patterns::load(file.path, apps::Patterns::Whole::leave_out);
}

std::vector<std::string> load_words(const DebianFile& list) {
  require(list);
  std::ifstream file(list.path);
  std::vector<std::string> all;
  for (std::string line; std::getline(file, line);) all.push_back(line);
  return all;
}

/// A word with a hyphen at each of the points.
std::string hyphenated(const std::string& word, std::span<const apps::Point> points) {
  std::string text;
  std::size_t begin = 0;
  for (const apps::Point& point : points) {
    text.append(word, begin, point.offset - begin) += '-';
    begin = point.offset;
  }
  return text.append(word, begin);
}

}  // namespace

HyphenatedLanguage HyphenatedLanguage::english(std::uint64_t count) {
  HyphenatedLanguage language(load_patterns(kEnglishPatterns));
  std::vector<std::string> all = load_words(kEnglishWords);
  if (all.size() <= count) {
    language.words_ = std::move(all);
  } else {
    language.words_.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      language.words_.push_back(std::move(all[i * all.size() / count]));
    }
  }
  for (const std::string& whole : language.patterns_.whole_words()) {
    if (const auto word = apps::unhyphenated(whole)) {
      language.exceptions_.try_emplace(*word, apps::lower(whole));
    }
  }
  return language;
}

HyphenatedLanguage HyphenatedLanguage::portuguese(std::uint64_t stride) {
  HyphenatedLanguage language(load_patterns(kPortuguesePatterns));
  const apps::Patterns better = load_patterns(kBrazilianPatterns);
  apps::Hyphenator few(language.patterns_);
  apps::Hyphenator many(better);
  const std::vector<std::string> all = load_words(kBrazilianWords);
  for (std::size_t i = 0; i < all.size(); i += stride) {
    const std::string word = apps::lower(all[i]);
    if (apps::unhyphenated(word) != word) continue;  // not of letters alone
    language.words_.push_back(word);
    const std::string right = hyphenated(word, many.points(word));
    language.hyphens_ += static_cast<std::uint64_t>(std::ranges::count(right, '-'));
    if (hyphenated(word, few.points(word)) != right) language.exceptions_.try_emplace(word, right);
  }
  return language;
}

void HyphenatedLanguage::load_english_patterns() {
  (void)load_patterns(kEnglishPatterns);
}

BuiltFilter HyphenatedLanguage::build(const FilterOptions& options,
                                      const hashing::SeededHash& hash) const {
  std::vector<Hash128> hashes;
  hashes.reserve(exceptions_.size());
  for (const auto& [word, hyphenated] : exceptions_) hashes.push_back(hash(word));
  return build_filter(options, stream::SortedHashes::from_unsorted(hashes));
}

void HyphenatedLanguage::ask(const Filter& may_contain, Json& json) const {
  std::uint64_t positives = 0;
  const Stopwatch stopwatch;
  for (const std::string& word : words_) positives += may_contain(word) ? 1 : 0;
  json["asking_seconds"] = stopwatch.seconds();
  json["positives"] = positives;
}

Json HyphenatedLanguage::hyphenate(const Filter& may_contain) const {
  const auto find = [this](std::string_view word) -> std::optional<std::string_view> {
    const auto found = exceptions_.find(word);
    if (found == exceptions_.end()) return std::nullopt;
    return found->second;
  };
  apps::Hyphenator hyphenator =
      may_contain ? apps::Hyphenator(patterns_, {.may_contain = may_contain, .find = find})
                  : apps::Hyphenator(patterns_);
  std::uint64_t hyphens = 0;
  const Stopwatch stopwatch;
  for (const std::string& word : words_) hyphens += hyphenator.points(word).size();
  return {{"seconds", stopwatch.seconds()},
          {"hyphens", hyphens},
          {"lookups", hyphenator.counts().lookups},
          {"found", hyphenator.counts().found}};
}

}  // namespace crivo::experiments
