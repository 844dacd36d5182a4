#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/printed/thesis.hpp"
#include "experiments/statistics.hpp"
#include "experiments/thesis_hyphenation.hpp"

namespace crivo::experiments {
namespace {

/// A time by epsilon, 1 % first: of each value all repetitions, in ms.
struct Curve {
  std::string name;
  std::vector<double> percents;
  std::vector<Summary> times;

  std::vector<double> means() const {
    std::vector<double> values;
    values.reserve(times.size());
    for (const Summary& time : times) values.push_back(time.mean);
    return values;
  }
  Line line() const { return regression(percents, means()); }
};

/// Of the repetitions that measured the filter. `field` is of with_filter()'s.
Curve curve_of(const Results& results, const std::string& filter, const char* field,
               unsigned repetitions) {
  Curve curve{.name = filter, .percents = {}, .times = {}};
  for (unsigned percents = 1; percents <= kMostPercent; ++percents) {
    std::vector<double> times;
    for (unsigned r = 0; r < repetitions; ++r) {
      const Json& step = results[repetition_id(r)];
      times.push_back(1e3 * step.at(filter).at(percents - 1).at(field).get<double>());
    }
    curve.percents.push_back(percents);
    curve.times.push_back(summary(times));
  }
  return curve;
}

/// What the regression line says, in words: a tendency where its slope is further from 0 than
/// chance brings it in 95 of 100 cases (Student's t with 18 degrees of freedom).
std::string tendency(const Line& line) {
  constexpr double kStudent18 = 2.101;
  const double t = std::abs(line.r) * std::sqrt((kMostPercent - 2) / (1 - line.r * line.r));
  const std::string slope = report::fixed(1e3 * line.slope, 2) +
                            " us a percentage point, r = " + report::fixed(line.r, 2);
  if (!(t > kStudent18)) return "has no clear tendency (" + slope + ")";
  return (line.slope < 0 ? "falls as epsilon grows (" : "grows with epsilon (") + slope + ")";
}

Series regression_series(const Curve& curve) {
  const Line line = curve.line();
  return {curve.name + ", regression line",
          Series::Style::line,
          {{1, line.at(1)}, {kMostPercent, line.at(kMostPercent)}}};
}

Series series_of(const Curve& curve, bool intervals) {
  Series series{curve.name, intervals ? Series::Style::error_bars : Series::Style::linespoints, {}};
  for (std::size_t i = 0; i < curve.times.size(); ++i) {
    series.points.push_back({curve.percents[i], curve.times[i].mean, curve.times[i].half_width});
  }
  return series;
}

Plot plot_of(unsigned figure, const std::string& title, std::vector<Series> series) {
  return {.name = "thesis-5-" + std::to_string(figure),
          .title = title,
          .x = {.title = "epsilon (%)"},
          .y = {.title = "mean CPU time (ms)"},
          .series = std::move(series)};
}

std::string printed_finding(unsigned figure) {
  return "Printed: " + std::string(printed::kHyphenationFindings[figure - 1]) + ". ";
}

/// Of the values of epsilon at which both have been measured.
unsigned slower_at(const Curve& one, const Curve& other) {
  unsigned slower = 0;
  for (std::size_t i = 0; i < one.times.size(); ++i) {
    slower += one.times[i].mean > other.times[i].mean ? 1 : 0;
  }
  return slower;
}

std::string ns_a_word(double ms, double words) {
  return report::fixed(1e6 * ms / words, 0) + " ns";
}

/// How much longer a repetition took with a cuckoo filter than with a Bloom filter, in ms, on
/// average over all values of epsilon; of all repetitions.
Summary paired_difference(const Results& results, const char* field) {
  std::vector<double> differences;
  for (unsigned r = 0; r < results.number("language", "repetitions"); ++r) {
    const Json& step = results[repetition_id(r)];
    double sum = 0;
    for (std::size_t i = 0; i < kMostPercent; ++i) {
      sum += step.at("cuckoo").at(i).at(field).get<double>() -
             step.at("bloom").at(i).at(field).get<double>();
    }
    differences.push_back(1e3 * sum / kMostPercent);
  }
  return summary(differences);
}

/// All curves of one of the two times.
struct Times {
  std::vector<Curve> curves;  ///< as kHyphenationFilters
  Summary difference;         ///< of cuckoo and Bloom filter

  Times(const Results& results, const char* field) : difference(paired_difference(results, field)) {
    for (std::size_t f = 0; f < kHyphenationFilters.size(); ++f) {
      const char* const count = f < kThesisFilters ? "repetitions" : "repetitions_today";
      curves.push_back(curve_of(results, kHyphenationFilters[f], field,
                                static_cast<unsigned>(results.number("language", count))));
    }
  }

  const Curve& bloom() const { return curves[0]; }
  const Curve& cuckoo() const { return curves[1]; }
  /// The mean over all epsilon, of Bloom's.
  double relative(std::size_t filter) const {
    return summary(curves[filter].means()).mean / summary(bloom().means()).mean;
  }
  std::vector<Series> all() const {
    std::vector<Series> series;
    series.reserve(curves.size());
    for (const Curve& curve : curves) series.push_back(series_of(curve, false));
    return series;
  }
  report::Table table() const {
    std::vector<report::Heading> headings{"epsilon"};
    for (const char* filter : kHyphenationFilters) headings.emplace_back(filter);
    report::Table rows(std::move(headings));
    for (std::size_t i = 0; i < kMostPercent; ++i) {
      std::vector<std::string> row{std::to_string(i + 1) + " %"};
      for (std::size_t f = 0; f < curves.size(); ++f) {
        const Summary& time = curves[f].times[i];
        row.push_back(report::fixed(time.mean, 3) + " ± " + report::fixed(time.half_width, 3));
      }
      rows.add(std::move(row));
    }
    return rows;
  }
};

void report_one(Report& report, unsigned figure, const Curve& curve, const std::string& time) {
  report.heading(3, "Figure 5." + std::to_string(figure) + ": mean time of " + time + ", " +
                        curve.name + " filter");
  report.plot(plot_of(figure, "Time of " + time + " with a " + curve.name + " filter",
                      {series_of(curve, true), regression_series(curve)}));
  report.paragraph(printed_finding(figure) + "Here it " + tendency(curve.line()) + ".");
}

void report_both(Report& report, unsigned figure, const Times& times, const std::string& time) {
  report.heading(3, "Figure 5." + std::to_string(figure) + ": mean times of " + time + " compared");
  report.plot(plot_of(figure, "Time of " + time + " by filter", times.all()));
  const unsigned slower = slower_at(times.cuckoo(), times.bloom());
  report.paragraph(printed_finding(figure) + "Here it takes longer with a cuckoo filter at " +
                   std::to_string(slower) + " of the " + std::to_string(kMostPercent) +
                   " values of epsilon; on average over all of them the difference is " +
                   report::fixed(times.difference.mean, 3) + " ± " +
                   report::fixed(times.difference.half_width, 3) +
                   " ms, of pairs in one repetition. The times in ms, with 95 % intervals:");
  report.table(times.table());
}

/// What an exact search of every word in the dictionary takes, in ms, beside `alone`, the patterns.
struct Searching {
  double alone;
  double all;

  explicit Searching(const Results& results) {
    std::vector<double> patterns;
    std::vector<double> no_filter;
    for (unsigned r = 0; r < results.number("language", "repetitions"); ++r) {
      const Json& step = results[repetition_id(r)];
      patterns.push_back(1e3 * step.at("patterns alone").at("seconds").get<double>());
      no_filter.push_back(1e3 * step.at("no filter").at("seconds").get<double>());
    }
    alone = summary(patterns).mean;
    all = summary(no_filter).mean - alone;
  }
};

/// How many words a filter let through to the dictionary.
std::uint64_t searches(const Results& results, const char* filter, unsigned percents) {
  return results[repetition_id(0)].at(filter).at(percents - 1).at("lookups").get<std::uint64_t>();
}

/// What the filters are, and what they keep from the dictionary.
void report_work(const Results& results, Report& report, const Searching& searching) {
  constexpr std::array<unsigned, 3> kShown{1, 5, kMostPercent};
  const Json& first = results[repetition_id(0)];
  const auto words = results.number("language", "words");
  const Json& unfiltered = first.at("no filter");
  bool same = true;
  report::Table table(
      {"filter", "bits a key, 1 %", "5 %", "20 %", "dictionary searches, 1 %", "5 %", "20 %"});
  table.add({"none", "", "", "", report::grouped(unfiltered.at("lookups").get<std::uint64_t>())});
  for (const char* filter : kHyphenationFilters) {
    const Json& by_percent = first.at(filter);
    std::vector<std::string> row{filter};
    for (const unsigned percents : kShown) {
      row.push_back(report::fixed(by_percent.at(percents - 1).at("bits_per_key").get<double>(), 2));
    }
    for (const unsigned percents : kShown) {
      row.push_back(report::grouped(searches(results, filter, percents)));
    }
    table.add(std::move(row));
    same = same && std::ranges::all_of(by_percent, [&](const Json& one) {
             return one.at("hyphens") == unfiltered.at("hyphens") &&
                    one.at("found") == unfiltered.at("found");
           });
  }
  report.table(table);
  report.paragraph(
      std::string(same ? "Every filter, at every epsilon, gives the same hyphens as none"
                       : "FILTERS DIFFER IN THEIR HYPHENS") +
      ": " + report::grouped(unfiltered.at("hyphens").get<std::uint64_t>()) + ", and " +
      report::grouped(unfiltered.at("found").get<std::uint64_t>()) +
      " words are exceptions. By patterns alone a word takes " + ns_a_word(searching.alone, words) +
      "; with each word searched in the dictionary " + ns_a_word(searching.all, words) + " more.");
}

/// Why the times are as they are.
void report_reasons(const Results& results, Report& report, const Searching& searching,
                    const Times& hyphenation) {
  const double words = results.number("language", "words");
  std::string text = "Why: ";
  double change = 0;
  for (std::size_t f = 0; f < kThesisFilters; ++f) {
    const char* const filter = kHyphenationFilters[f];
    const Curve asking = curve_of(results, filter, "asking_seconds",
                                  static_cast<unsigned>(results.number("language", "repetitions")));
    const auto let_through = [&](unsigned percents) {
      return static_cast<double>(searches(results, filter, percents));
    };
    const double more = std::max(0.0, let_through(kMostPercent) - let_through(1));
    const Line line = hyphenation.curves[f].line();
    const double all = line.at(kMostPercent) - line.at(1);
    change += all;
    text += std::string(f == 0 ? "asking_seconds" : "; asking") + " a " + filter + " filter alone takes " +
            ns_a_word(asking.times.front().mean, words) + " a word at 1 % and " +
            ns_a_word(asking.times.back().mean, words) + " at " + std::to_string(kMostPercent) +
            " %, but it lets " + report::grouped(static_cast<std::uint64_t>(more)) +
            " words more through to the dictionary, at what a search of every word costs " +
            ns_a_word(searching.all * more / words, words) +
            " a word; on the regression line, 20 % costs " + ns_a_word(all, words) +
            " a word more than 1 %";
  }
  report.paragraph(
      text +
      ". In the thesis the filters' own time decides: they compute a hash function for every "
      "probe, in JavaScript, so that a larger epsilon, with fewer probes, is the faster. Here "
      "a key is hashed once whatever epsilon is, a filter of a thousand keys lies in the "
      "first-level cache, and the false positives, their searches and the branches that they "
      "make hard to predict, weigh " +
      (change > 0 ? "more than" : "no more than") +
      " the probes that they save. Which epsilon is best depends on how far away the "
      "exceptions are; in Bloom's own example they are on a disk. That cuckoo filters cost "
      "about what Bloom filters do, and can also remove, is the thesis's conclusion, and holds.");
}

/// Today's structures at the same work.
void report_today(const Results& results, Report& report, const Times& initialisation,
                  const Times& hyphenation) {
  const auto bits = [&](std::size_t filter) {
    return report::fixed(results[repetition_id(0)]
                             .at(kHyphenationFilters[filter])
                             .at(0)
                             .at("bits_per_key")
                             .get<double>(),
                         2);
  };
  std::string text = "Today's structures, of a Bloom filter's times: ";
  for (std::size_t f = kThesisFilters; f < kHyphenationFilters.size(); ++f) {
    text += std::string(kHyphenationFilters[f]) + " " +
            report::fixed(initialisation.relative(f), 2) + " of its initialisation and " +
            report::fixed(hyphenation.relative(f), 2) + " of its hyphenation, with " + bits(f) +
            " bits a key at 1 %; ";
  }
  report.paragraph(text + "the Bloom filter has " + bits(0) +
                   ". Ribbon and fuse filters solve equations for their space, which a "
                   "thousand exceptions, made once, do not repay; they pay for millions of "
                   "keys.");
}

}  // namespace

void report_hyphenation(const Results& results, Report& report) {
  const auto number = [&](const char* field) { return results.number("language", field); };
  const auto count = [&](const char* field) {
    return report::grouped(static_cast<std::uint64_t>(number(field)));
  };
  report.paragraph(
      "The thesis hyphenates " + report::grouped(printed::kHyphenatedWords) +
      " English words by Knuth and Liang's algorithm (hypher, in JavaScript), with the " +
      report::grouped(printed::kHyphenexExceptions) +
      " exceptions of hyphenex behind a filter, for its rates epsilon from 1 % to 20 %, each " +
      std::to_string(printed::kHyphenationRepetitions) + " times. Here it is " + count("words") +
      " words, evenly spaced in Debian's `american-english-insane`, by the " + count("patterns") +
      " patterns of Debian's `hyphen-en-us`, and " + count("exceptions") +
      " exceptions: those of the same list that the package holds, as patterns of whole words. "
      "They stand in a dictionary in memory, as the thesis's do. Bloom and cuckoo filters are "
      "measured " +
      count("repetitions") + " times, today's " + count("repetitions_today") +
      "; the initialisation hashes all exceptions and makes the filter. Loading the patterns, "
      "the same for all, takes " +
      report::fixed(1e3 * number("load_seconds"), 1) + " ms and is left out.");
  const Searching searching(results);
  report_work(results, report, searching);

  const Times initialisation(results, "initialisation_seconds");
  const Times hyphenation(results, "seconds");
  const std::string first = "initialisation";
  const std::string second = "hyphenation of the word list";
  report_one(report, 1, initialisation.bloom(), first);
  report_one(report, 2, hyphenation.bloom(), second);
  report_one(report, 3, initialisation.cuckoo(), first);
  report_one(report, 4, hyphenation.cuckoo(), second);
  report_both(report, 5, initialisation, first);
  report_both(report, 6, hyphenation, second);

  report_reasons(results, report, searching, hyphenation);
  report_today(results, report, initialisation, hyphenation);
}

}  // namespace crivo::experiments
