#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bits/arithmetic.hpp"
#include "experiments/filters.hpp"
#include "experiments/printed/slides.hpp"
#include "experiments/slides.hpp"

namespace crivo::experiments {
namespace {

constexpr std::array<unsigned, 4> kCells{4, 8, 12, 16};  ///< a key
constexpr unsigned kFewCells = 2;                        ///< beyond the capacity of 8 four times
constexpr unsigned kMostHashes = 16;
constexpr unsigned kMostCells = 20;
constexpr unsigned kCounterBits = 4;
/// Keys of the short text's program, whose filter has 100 cells.
constexpr std::array<unsigned, 6> kProgramKeys{1, 5, 10, 20, 30, 50};

/// (1 - (1 - 1/cells)^(k keys))^k, as the slides derive it.
double expected_rate(double cells, double keys, double k) {
  return std::pow(1 - std::pow(1 - 1 / cells, k * keys), k);
}

std::vector<Hash128> hashes_of(const KeySet& keys, const FilterOptions& options) {
  const hashing::SeededHash hash = filter_hash(options);
  std::vector<Hash128> hashes(keys.size());
  for (std::uint64_t i = 0; i < keys.size(); ++i) hashes[i] = hash(keys[i]);
  return hashes;
}

/// The vocabulary's keys, and as many others that no filter was given, or more.
struct Sets {
  explicit Sets(bool full)
      : keys(KeySet::generate(gen::Kind::words, full ? 1'000'000 : 20'000)),
        others(KeySet::generate(gen::Kind::words, full ? 2'000'000 : 100'000, keys.size())) {}

  KeySet keys;
  KeySet others;
};

/// A filter of each of the options, measured.
class Measured {
 public:
  Measured(const Sets& sets, const std::string& type)
      : type_(type),
        set_(hashes_of(sets.keys, {.type = type})),
        others_(hashes_of(sets.others, {.type = type})),
        sorted_(stream::SortedHashes::from_unsorted(set_)) {}

  Json rate(double bits, unsigned hashes) const {
    FilterOptions options{.type = type_, .bits = bits};
    options.hashes = hashes;
    return rate(options);
  }
  Json rate(const FilterOptions& options) const {
    const BuiltFilter filter = build_filter(options, sorted_);
    return {{"bits", filter.bits_per_key()},
            {"rate", filter.positive_part(others_)},
            {"found", filter.positive_part(set_)}};
  }

 private:
  std::string type_;
  std::vector<Hash128> set_;
  std::vector<Hash128> others_;
  stream::SortedHashes sorted_;
};

/// The mean rate of many filters of `cells` cells and k functions over a few random keys each.
Json small_filters(unsigned cells, unsigned keys, unsigned k, bool full) {
  const unsigned filters = full ? 20'000 : 1'000;
  std::uint64_t state = 0;
  const auto draw = [&](std::size_t count) {
    std::vector<Hash128> hashes(count);
    for (Hash128& hash : hashes) {
      hash.hi = bits::mix64(++state);
      hash.lo = bits::mix64(++state);
    }
    return hashes;
  };
  FilterOptions options{.type = "bloom", .bits = (cells - 0.5) / keys};  // rounded up to `cells`
  options.hashes = k;
  double rates = 0;
  for (unsigned i = 0; i < filters; ++i) {
    const BuiltFilter filter =
        build_filter(options, stream::SortedHashes::from_unsorted(draw(keys)));
    rates += filter.positive_part(draw(100));
  }
  return {{"rate", rates / filters}, {"filters", filters}};
}

std::string by_k(const std::string& type, unsigned cells, unsigned k) {
  return type + "/" + std::to_string(cells) + " cells/k " + std::to_string(k);
}
std::string by_cells(const std::string& type, unsigned cells) {
  return type + "/" + std::to_string(cells) + " cells/best k";
}
std::string by_bits(const std::string& type, unsigned bits) {
  return type + "/" + std::to_string(bits) + " bits";
}

constexpr std::array kToday{"ribbon", "fuse", "cuckoo", "split-block-bloom"};
constexpr std::array<unsigned, 2> kTodayBits{4, 14};  ///< from and to

void measure_bloom_rate(Run& run) {
  const Sets sets(run.full());
  run.step("sets", [&]() -> Json {
    return {{"keys", sets.keys.size()}, {"others", sets.others.size()}};
  });
  {
    const Measured bloom(sets, "bloom");
    const Measured counting(sets, "counting-bloom");
    for (const unsigned cells : kCells) {
      for (unsigned k = 1; k <= kMostHashes; ++k) {
        run.step(by_k("bloom", cells, k), [&] { return bloom.rate(cells, k); });
        run.step(by_k("counting-bloom", cells, k),
                 [&] { return counting.rate(cells * kCounterBits, k); });
      }
    }
    for (unsigned cells = 1; cells <= kMostCells; ++cells) {
      run.step(by_cells("bloom", cells), [&] { return bloom.rate(cells, 0); });
      if (cells * kCounterBits <= kMostCells) {
        run.step(by_cells("counting-bloom", cells),
                 [&] { return counting.rate(cells * kCounterBits, 0); });
      }
    }
    run.step(by_k("bloom", kFewCells, printed::kSlidesTakenK),
             [&] { return bloom.rate(kFewCells, printed::kSlidesTakenK); });
  }
  for (const char* type : kToday) {
    const Measured today(sets, type);
    for (unsigned bits = kTodayBits[0]; bits <= kTodayBits[1]; ++bits) {
      run.step(by_bits(type, bits), [&] { return today.rate(bits, 0); });
    }
  }
  run.step("picture", [&] {
    return small_filters(printed::kPictureCells, printed::kPictureKeys, printed::kTextK,
                         run.full());
  });
  for (const unsigned keys : kProgramKeys) {
    run.step("program/" + std::to_string(keys), [&] {
      return small_filters(printed::kProgramCells, keys, printed::kTextK, run.full());
    });
  }
}

/// How far a measured rate is from the expected one, in standard deviations: of counting positives
/// among so many keys, and of the part of cells that a filter's keys occupy (Kolchin, Sevastyanov,
/// Chistyakov, "Random Allocations", 1978), of which the rate is the k-th power.
double deviations(double measured, double cells, double keys, double k, double others) {
  const double load = k * keys / cells;
  const double vacant = std::exp(-load);
  const double part = std::sqrt(vacant * (1 - (1 + load) * vacant) / cells);
  const double occupied = k * std::pow(1 - vacant, k - 1) * part;
  const double expected = expected_rate(cells, keys, k);
  return (measured - expected) /
         std::sqrt(expected * (1 - expected) / others + occupied * occupied);
}

void report_by_k(const Results& results, Report& report) {
  const double keys = results.number("sets", "keys");
  const double others = results.number("sets", "others");
  const auto rate = [&](const std::string& id) { return results.number(id, "rate"); };

  report.heading(3, "The rate against k");
  constexpr unsigned kCellsShown = printed::kSlidesCells;
  report::Table table({"k", "expected", "Bloom", "counting", "printed"});
  unsigned best = 1;
  double farthest = 0;
  double lost = 0;
  for (unsigned k = 1; k <= kMostHashes; ++k) {
    const double expected = expected_rate(kCellsShown * keys, keys, k);
    const double bloom = rate(by_k("bloom", kCellsShown, k));
    const auto* old = std::ranges::find(printed::kSlidesRates, k, &printed::RateRow::k);
    table.add({std::to_string(k), report::fixed(expected, 5), report::fixed(bloom, 5),
               report::fixed(rate(by_k("counting-bloom", kCellsShown, k)), 5),
               old == printed::kSlidesRates.end() ? "" : report::fixed(old->rate, k == 1 ? 4 : 5)});
    if (bloom < rate(by_k("bloom", kCellsShown, best))) best = k;
  }
  Plot plot{.name = "slides-rate-by-k",
            .title = "False positives against the number of functions",
            .x = {.title = "k"},
            .y = {.title = "false-positive rate", .logarithmic = true},
            .series = {}};
  Series bloom{"Bloom, measured", Series::Style::points, {}};
  Series counting{"8 cells a key, counting", Series::Style::points, {}};
  bool same = true;
  for (const unsigned cells : kCells) {
    const std::string many = std::to_string(cells) + " cells a key";
    Series expected{many + ", expected", Series::Style::line, {}};
    for (unsigned k = 1; k <= kMostHashes; ++k) {
      const std::string plain = by_k("bloom", cells, k);
      const std::string counts = by_k("counting-bloom", cells, k);
      const double x = k;
      expected.points.push_back({x, expected_rate(cells * keys, keys, k)});
      bloom.points.push_back({x, rate(plain)});
      if (cells == kCellsShown) counting.points.push_back({x, rate(counts)});
      farthest =
          std::max(farthest, std::abs(deviations(rate(plain), cells * keys, keys, k, others)));
      lost += 2 - results.number(plain, "found") - results.number(counts, "found");
      same = same && rate(plain) == rate(counts);
    }
    plot.series.push_back(std::move(expected));
  }
  plot.series.push_back(std::move(bloom));
  plot.series.push_back(std::move(counting));
  report.paragraph("Filters over " + report::grouped(static_cast<std::uint64_t>(keys)) +
                   " words of the vocabulary, " + std::to_string(kCellsShown) +
                   " cells a key as in the slides' example (theirs are of 10^9 keys; the rate "
                   "depends on the ratio alone), asked for " +
                   report::grouped(static_cast<std::uint64_t>(others)) +
                   " others. A counting filter of as many cells, " + std::to_string(kCounterBits) +
                   " bits each, takes " + std::to_string(kCounterBits) +
                   " times the space; the slides say 3 to 4.");
  report.table(table);
  report.plot(plot);
  report.paragraph(
      "Agrees: the rate falls to k = " + std::to_string(best) +
      " and grows after it, where the slides find " + report::fixed(printed::kSlidesBestK, 2) +
      ", about " + std::to_string(printed::kSlidesTakenK) + "; " +
      (lost == 0 ? "no key of a set was ever refused" : "KEYS OF A SET WERE REFUSED") +
      "; a counting filter " +
      (same ? "of the same cells gives the same answers"
            : "DIFFERS FROM THE PLAIN ONE OF THE SAME CELLS") +
      "; and of all " + std::to_string(kCells.size() * kMostHashes) +
      " filters the farthest from (1 - (1 - 1/n)^(k m))^k is " + report::fixed(farthest, 1) +
      " standard deviations away from it. Differs: for k = 2 the slides print "
      "0.00493, but the formula beside it, (1 - e^(-2/8))^2, is " +
      report::fixed(std::pow(1 - std::exp(-0.25), 2), 4) +
      ": the point has slipped, and 0.0493 would not be it either.");
}

void report_by_cells(const Results& results, Report& report) {
  const double keys = results.number("sets", "keys");
  report.heading(3, "The rate against the space");
  Plot plot{.name = "slides-rate-by-space",
            .title = "False positives against bits a key",
            .x = {.title = "bits a key"},
            .y = {.title = "false-positive rate", .logarithmic = true},
            .series = {}};
  Series expected{"Bloom, best k, expected", Series::Style::line, {}};
  Series bloom{"Bloom, best k", Series::Style::points, {}};
  Series counting{"counting Bloom, best k", Series::Style::linespoints, {}};
  const auto point = [&](const std::string& id) {
    return PlotPoint{results.number(id, "bits"), results.number(id, "rate")};
  };
  for (unsigned cells = 1; cells <= kMostCells; ++cells) {
    double least = 1;
    for (unsigned k = 1; k <= 2 * kMostCells; ++k) {
      least = std::min(least, expected_rate(cells * keys, keys, k));
    }
    expected.points.push_back({static_cast<double>(cells), least});
    bloom.points.push_back(point(by_cells("bloom", cells)));
    if (cells * kCounterBits <= kMostCells) {
      counting.points.push_back(point(by_cells("counting-bloom", cells)));
    }
  }
  plot.series = {std::move(expected), std::move(bloom), std::move(counting)};

  report::Table table({"structure", "bits a key", "rate", "Bloom's rate in that space",
                       "space of a Bloom filter of that rate"});
  for (const char* type : kToday) {
    Series series{type, Series::Style::linespoints, {}};
    for (unsigned bits = kTodayBits[0]; bits <= kTodayBits[1]; ++bits) {
      series.points.push_back(point(by_bits(type, bits)));
    }
    const PlotPoint at = point(by_bits(type, printed::kSlidesCells));
    // With the best k, not rounded: 0.6185^(bits a key), so bits = log2(1/rate) / ln 2.
    table.add({std::string(type) + ", " + std::to_string(printed::kSlidesCells) + " bits",
               report::fixed(at.x, 2), report::fixed(at.y, 5),
               report::fixed(std::pow(0.6185, at.x), 5),
               report::fixed(-std::log2(at.y) / std::log(2.0), 2)});
    plot.series.push_back(std::move(series));
  }
  report.plot(plot);
  const auto rate_of = [&](unsigned cells) {
    return results.number(by_k("bloom", cells, printed::kSlidesTakenK), "rate");
  };
  report.paragraph(
      "Agrees: more cells a key make the rate fall exponentially; a filter made for 8 cells a "
      "key (k = 6, rate " +
      report::percent(rate_of(8), 1) + ") that is given twice the keys has " +
      report::percent(rate_of(4), 1) + ", four times " + report::percent(rate_of(kFewCells), 1) +
      ": it grows fast beyond the capacity, as the slides warn. Today's structures on the same "
      "keys:");
  report.table(table);
  report.paragraph(
      "A ribbon or fuse filter is a static function whose value is the key's fingerprint, so "
      "it takes little more than log2(1/rate) bits a key; a Bloom filter takes 1.44 times "
      "that, however k is chosen. Split-block Bloom filters spend more, for one cache miss a "
      "lookup.");
}

void report_text(const Results& results, Report& report) {
  report.heading(3, "The short text's filters");
  report::Table table({"filter", "keys", "(1 - e^(-kn/m))^k", "measured"});
  const auto add = [&](const std::string& name, unsigned cells, unsigned keys,
                       const std::string& id) {
    const double k = printed::kTextK;
    table.add({name, std::to_string(keys),
               report::fixed(std::pow(1 - std::exp(-k * keys / cells), k), 4),
               report::fixed(results.number(id, "rate"), 4)});
  };
  add("its picture: 18 cells, k = 3", printed::kPictureCells, printed::kPictureKeys, "picture");
  for (const unsigned keys : kProgramKeys) {
    add("its program: 100 cells, k = 3", printed::kProgramCells, keys,
        "program/" + std::to_string(keys));
  }
  report.table(table);
  const auto low = [&](double cells, double keys, const std::string& id) {
    const double k = printed::kTextK;
    const double formula = std::pow(1 - std::exp(-k * keys / cells), k);
    return report::percent(1 - formula / results.number(id, "rate"), 1);
  };
  report.paragraph(
      "Each measured rate is the mean of " +
      report::grouped(static_cast<std::uint64_t>(results.number("picture", "filters"))) +
      " filters over random keys. Differs: in so few cells the formula is low, by " +
      low(printed::kPictureCells, printed::kPictureKeys, "picture") + " in the picture and by " +
      low(printed::kProgramCells, 20, "program/20") +
      " in the program's filter with 20 keys. It puts the mean part of occupied cells to the "
      "power k, and the mean of a power is more than the power of the mean. In the large "
      "filters above that part hardly varies, and nothing is to be seen of it.");
}

void report_bloom_rate(const Results& results, Report& report) {
  report_by_k(results, report);
  report_by_cells(results, report);
  report_text(results, report);
}

}  // namespace

Experiment bloom_rate_experiment() {
  return {"bloom-rate", "The false-positive rate of Bloom filters (slides, and the short text)",
          measure_bloom_rate, report_bloom_rate};
}

}  // namespace crivo::experiments
