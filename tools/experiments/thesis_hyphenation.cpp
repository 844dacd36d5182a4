// SPDX-License-Identifier: Apache-2.0
#include "experiments/thesis_hyphenation.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include "experiments/filters.hpp"
#include "experiments/hyphenated_language.hpp"
#include "experiments/printed/thesis.hpp"
#include "experiments/stopwatch.hpp"
#include "experiments/thesis.hpp"

namespace crivo::experiments {
namespace {

/// A filter is built so many times for one measurement of its time.
constexpr unsigned kBuilds = 10;

/// The thesis's filters are measured as often as there, today's as often as an interval wants.
unsigned repetitions_of(const Run& run, bool thesis) {
  const unsigned most = thesis ? printed::kHyphenationRepetitions : 10;
  return static_cast<unsigned>(run.repetitions(run.full() ? most : 2));
}

/// Both times with a filter, in seconds, and what does not vary: its size, and what it let through.
Json with_filter(const HyphenatedLanguage& language, const char* type, unsigned percents) {
  const FilterOptions options{.type = type, .fpr = percents / 100.0};
  const hashing::SeededHash hash = filter_hash(options);
  const Stopwatch building;
  for (unsigned i = 1; i < kBuilds; ++i) (void)language.build(options, hash);
  const BuiltFilter filter = language.build(options, hash);
  const double initialisation = building.seconds() / kBuilds;
  const HyphenatedLanguage::Filter may_contain = [&](std::string_view word) {
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
Json repetition(const HyphenatedLanguage& language, unsigned number, std::size_t filters) {
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
  const HyphenatedLanguage language = HyphenatedLanguage::english(
      run.full() ? printed::kHyphenatedWords : printed::kHyphenatedWords / 128);
  run.step("language", [&]() -> Json {
    const Stopwatch stopwatch;
    HyphenatedLanguage::load_english_patterns();
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
  return {"hyphenation",
          "Hyphenation with a filter before the exceptions (thesis, chapter 5)",
          "Hifenização com um filtro diante das exceções (monografia, capítulo 5)",
          measure_hyphenation,
          report_hyphenation,
          true};
}

}  // namespace crivo::experiments
