// SPDX-License-Identifier: Apache-2.0
#include "experiments/thesis_hyphenation.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apps/hyphenator.hpp"
#include "apps/text.hpp"
#include "crivo/error.hpp"
#include "experiments/filters.hpp"
#include "experiments/printed/thesis.hpp"
#include "experiments/stopwatch.hpp"
#include "experiments/thesis.hpp"

namespace crivo::experiments {
namespace {

/// The thesis hyphenates English words by the patterns of TeX, with the exceptions of the package
/// hyphenex; Debian's file has both, the exceptions as patterns of whole words.
constexpr const char* kPatternFile = "/usr/share/hyphen/hyph_en_US.dic";
/// The list of Debian's that has at least as many words as the thesis's.
constexpr const char* kWordFile = "/usr/share/dict/american-english-insane";

/// A filter is built so many times for one measurement of its time.
constexpr unsigned kBuilds = 10;

/// The thesis's filters are measured as often as there, today's as often as an interval wants.
unsigned repetitions_of(const Run& run, bool thesis) {
  const unsigned most = thesis ? printed::kHyphenationRepetitions : 10;
  return static_cast<unsigned>(run.repetitions(run.full() ? most : 2));
}

apps::Patterns load_patterns() {
  if (!std::filesystem::exists(kPatternFile)) {
    throw Error(ErrorKind::io, std::string(kPatternFile) +
                                   ": there is no such file; install it (apt-get install "
                                   "hyphen-en-us)");
  }
  return apps::Patterns::load(kPatternFile, apps::Patterns::Whole::leave_out);
}

/// `count` of the words, or all if there are fewer, evenly spaced in the list's order.
std::vector<std::string> load_words(std::uint64_t count) {
  std::ifstream file(kWordFile);
  if (!file) {
    throw Error(ErrorKind::io, std::string(kWordFile) +
                                   ": cannot open; install it (apt-get install wamerican-insane)");
  }
  std::vector<std::string> all;
  for (std::string line; std::getline(file, line);) all.push_back(line);
  if (all.size() <= count) return all;
  std::vector<std::string> words;
  words.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) words.push_back(all[i * all.size() / count]);
  return words;
}

/// What all filters stand before: the exceptions, in a dictionary in memory, and the patterns.
class Hyphenation {
 public:
  explicit Hyphenation(std::uint64_t words)
      : patterns_(load_patterns()), words_(load_words(words)) {
    for (const std::string& hyphenated : patterns_.whole_words()) {
      if (const auto word = apps::unhyphenated(hyphenated)) {
        exceptions_.try_emplace(*word, apps::lower(hyphenated));
      }
    }
  }

  std::uint64_t patterns() const noexcept { return patterns_.size(); }
  std::uint64_t exceptions() const noexcept { return exceptions_.size(); }
  std::uint64_t words() const noexcept { return words_.size(); }

  /// What the thesis times as the initialisation: hashes all exceptions and makes the filter.
  BuiltFilter build(const FilterOptions& options, const hashing::SeededHash& hash) const {
    std::vector<Hash128> hashes;
    hashes.reserve(exceptions_.size());
    for (const auto& [word, hyphenated] : exceptions_) hashes.push_back(hash(word));
    return build_filter(options, stream::SortedHashes::from_unsorted(hashes));
  }

  using Filter = std::function<bool(std::string_view word)>;

  /// Asks a filter for all words, and does nothing else.
  void ask(const Filter& may_contain, Json& json) const {
    std::uint64_t positives = 0;
    const Stopwatch stopwatch;
    for (const std::string& word : words_) positives += may_contain(word) ? 1 : 0;
    json["asking_seconds"] = stopwatch.seconds();
    json["positives"] = positives;
  }

  /// All words, with the exceptions behind a filter, or without exceptions.
  Json hyphenate(const Filter& may_contain) const {
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

 private:
  struct TextHash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard's name
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };

  apps::Patterns patterns_;
  std::vector<std::string> words_;
  std::unordered_map<std::string, std::string, TextHash, std::equal_to<>> exceptions_;
};

/// Both times with a filter, in seconds, and what does not vary: its size, and what it let through.
Json with_filter(const Hyphenation& language, const char* type, unsigned percents) {
  const FilterOptions options{.type = type, .fpr = percents / 100.0};
  const hashing::SeededHash hash = filter_hash(options);
  const Stopwatch building;
  for (unsigned i = 1; i < kBuilds; ++i) (void)language.build(options, hash);
  const BuiltFilter filter = language.build(options, hash);
  const double initialisation = building.seconds() / kBuilds;
  const Hyphenation::Filter may_contain = [&](std::string_view word) {
    return filter.membership->contains(hash(word));
  };
  Json json = language.hyphenate(may_contain);
  json["initialisation_seconds"] = initialisation;
  language.ask(may_contain, json);
  json["bits_per_key"] = filter.bits_per_key();
  return json;
}

/// All of one repetition. A machine whose pace changes must not look like a tendency: the filters
/// take turns at each epsilon, and every other repetition goes through the values backwards.
Json repetition(const Hyphenation& language, unsigned number, std::size_t filters) {
  Json json{{"patterns alone", language.hyphenate({})},
            {"no filter", language.hyphenate([](std::string_view) { return true; })}};
  for (unsigned i = 0; i < kMostPercent; ++i) {
    const unsigned at = number % 2 == 0 ? i : kMostPercent - 1 - i;
    for (std::size_t f = 0; f < filters; ++f) {
      json[kHyphenationFilters[f]][at] = with_filter(language, kHyphenationFilters[f], at + 1);
    }
  }
  return json;
}

void measure_hyphenation(Run& run) {
  const Hyphenation language(run.full() ? printed::kHyphenatedWords
                                        : printed::kHyphenatedWords / 128);
  run.step("language", [&]() -> Json {
    const Stopwatch stopwatch;
    (void)load_patterns();
    const double seconds = stopwatch.seconds();
    return {{"patterns", language.patterns()},
            {"exceptions", language.exceptions()},
            {"words", language.words()},
            {"load_seconds", seconds},
            {"repetitions", repetitions_of(run, true)},
            {"repetitions_today", repetitions_of(run, false)}};
  });
  for (unsigned number = 0; number < repetitions_of(run, true); ++number) {
    const std::size_t filters =
        number < repetitions_of(run, false) ? kHyphenationFilters.size() : kThesisFilters;
    run.step(repetition_id(number), [&] { return repetition(language, number, filters); });
  }
}

}  // namespace

Experiment hyphenation_experiment() {
  return {"hyphenation", "Hyphenation with a filter before the exceptions (thesis, chapter 5)",
          "Hifenização com um filtro diante das exceções (monografia, capítulo 5)",
          measure_hyphenation, report_hyphenation};
}

}  // namespace crivo::experiments
