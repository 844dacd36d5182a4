// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/arithmetic.hpp"
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
      hash.hi = base::mix64(++state);
      hash.lo = base::mix64(++state);
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

/// The standard deviation of a measured rate: of counting positives among so many keys, and of the
/// part of cells that a filter's keys occupy (Kolchin, Sevastyanov, Chistyakov, "Random
/// Allocations", 1978), of which the rate is the k-th power.
double standard_error(double cells, double keys, double k, double others) {
  const double load = k * keys / cells;
  const double vacant = std::exp(-load);
  const double part = std::sqrt(vacant * (1 - (1 + load) * vacant) / cells);
  const double occupied = k * std::pow(1 - vacant, k - 1) * part;
  const double expected = expected_rate(cells, keys, k);
  return std::sqrt(expected * (1 - expected) / others + occupied * occupied);
}

void report_by_k(const Results& results, Report& report) {
  const double keys = results.number("sets", "keys");
  const double others = results.number("sets", "others");
  const auto rate = [&](const std::string& id) { return results.number(id, "rate"); };
  report.heading(3, report.t("The rate against k", "A taxa em função de k"));
  constexpr unsigned kCellsShown = printed::kSlidesCells;
  report::Table table({"k", report.t("expected", "esperada"),
                       report.t("Bloom, 95 % interval", "Bloom, intervalo de 95 %"),
                       report.t("counting", "de contagem"), report.t("verdict", "veredicto"),
                       report.t("printed", "impresso"), report.t("against it", "contra ele")});
  unsigned best = 1;
  for (unsigned k = 1; k <= kMostHashes; ++k) {
    const double expected = expected_rate(kCellsShown * keys, keys, k);
    const double bloom = rate(by_k("bloom", kCellsShown, k));
    const double error = standard_error(kCellsShown * keys, keys, k, others);
    const auto* old = std::ranges::find(printed::kSlidesRates, k, &printed::RateRow::k);
    const bool has = old != printed::kSlidesRates.end();
    const auto verdict = [&](double figure, double rounding) {
      return std::abs(bloom - figure) > 1.96 * error + rounding ? Verdict::differs
             : 1.96 * error <= 0.1 * figure                     ? Verdict::agrees
                                                                : Verdict::inconclusive;
    };
    table.add({std::to_string(k), report.fixed(expected, 5),
               report.fixed(bloom, 5) + " ± " + report.fixed(1.96 * error, 5),
               report.fixed(rate(by_k("counting-bloom", kCellsShown, k)), 5),
               report.word(verdict(expected, 0)),
               has ? report.fixed(old->rate, k == 1 ? 4 : 5) : "",
               has ? report.word(verdict(old->rate, k == 1 ? 0.00005 : 0.000005)) : ""});
    if (bloom < rate(by_k("bloom", kCellsShown, best))) best = k;
  }
  report::Plot plot{
      .title = report.t("False positives against the number of functions",
                        "Falsos positivos em função do número de funções"),
      .subtitle = report.t("Lines: (1 - (1 - 1/n)^(k m))^k; hollow: as printed on the slides",
                           "Linhas: (1 - (1 - 1/n)^(k m))^k; vazios: como impresso nos slides"),
      .panels = {},
      .columns = 2};
  double farthest = 0;
  double lost = 0;
  bool same = true;
  for (const unsigned cells : kCells) {
    report::Panel panel{
        .title = std::to_string(cells) + report.t(" cells a key", " células por chave"),
        .x = {.title = "k"},
        .y = {.title = report.t("false-positive rate", "taxa de falsos positivos"),
              .logarithmic = true},
        .series = {}};
    report::Series expected{.title = report.t("expected", "esperada"),
                            .style = report::Series::Style::line};
    report::Series bloom{
        .title = report.t("Bloom and counting, measured", "Bloom e de contagem, medida"),
        .style = report::Series::Style::points};
    for (unsigned k = 1; k <= kMostHashes; ++k) {
      const std::string plain = by_k("bloom", cells, k);
      const std::string counts = by_k("counting-bloom", cells, k);
      const double x = k;
      const double error = standard_error(cells * keys, keys, k, others);
      expected.points.push_back({.x = x, .y = expected_rate(cells * keys, keys, k)});
      if (rate(plain) > 2 * error) {
        bloom.points.push_back({.x = x,
                                .y = rate(plain),
                                .low = rate(plain) - 1.96 * error,
                                .high = rate(plain) + 1.96 * error});
      }
      farthest =
          std::max(farthest, std::abs(rate(plain) - expected_rate(cells * keys, keys, k)) / error);
      lost += 2 - results.number(plain, "found") - results.number(counts, "found");
      same = same && rate(plain) == rate(counts);
    }
    panel.series = {std::move(expected), std::move(bloom)};
    if (cells == kCellsShown) {
      report::Series old{.title = report.t("printed", "impresso"),
                         .style = report::Series::Style::points,
                         .points = {},
                         .reference = true};
      for (const printed::RateRow& row : printed::kSlidesRates) {
        old.points.push_back({.x = static_cast<double>(row.k), .y = row.rate});
      }
      panel.series.push_back(std::move(old));
    }
    plot.panels.push_back(std::move(panel));
  }
  report.paragraph(
      report.t("Filters over ", "Filtros sobre palavras do vocabulário (") + report.grouped(keys) +
      report.t(" words of the vocabulary, ", "), ") + std::to_string(kCellsShown) +
      report.t(
          " cells a key as in the slides' example (theirs are of 10^9 keys; the rate depends on "
          "the ratio alone), asked for ",
          " células por chave como no exemplo dos slides (os deles são de 10^9 chaves; a taxa só "
          "depende da razão), consultados para outras ") +
      report.grouped(others) +
      report.t(" others. A counting filter of as many cells, 4 bits each, takes 4 times the space.",
               ". Um filtro de contagem com tantas células, de 4 bits, ocupa 4 vezes o "
               "espaço."));
  report.table(table);
  report.plot("slides-rate-by-k", plot);
  report.paragraph(
      report.t("The rate is least at k = ", "A taxa é menor em k = ") + std::to_string(best) +
      report.t(", where the slides find ", ", onde os slides acham ") +
      report.fixed(printed::kSlidesBestK, 2) + report.t(", about ", ", cerca de ") +
      std::to_string(printed::kSlidesTakenK) + ": " +
      report.word(best == printed::kSlidesTakenK       ? Verdict::agrees
                  : best + 1 == printed::kSlidesTakenK ? Verdict::inconclusive
                                                       : Verdict::differs) +
      "; " +
      (lost == 0
           ? report.t("no key of a set was ever refused",
                      "nenhuma chave de um conjunto foi recusada")
           : report.t("KEYS OF A SET WERE REFUSED", "CHAVES DE UM CONJUNTO FORAM RECUSADAS")) +
      "; " +
      (same ? report.t("a counting filter of the same cells gives the same answers",
                       "um filtro de contagem com as mesmas células dá as mesmas respostas")
            : report.t("A COUNTING FILTER DIFFERS FROM THE PLAIN ONE OF THE SAME CELLS",
                       "UM FILTRO DE CONTAGEM DIFERE DO SIMPLES COM AS MESMAS CÉLULAS")) +
      report.t("; of all ", "; de todos os ") + std::to_string(kCells.size() * kMostHashes) +
      report.t(" filters the farthest from the formula is ",
               " filtros o mais distante da fórmula "
               "fica a ") +
      report.fixed(farthest, 1) +
      report.t(
          " standard deviations away. For k = 2 the slides print 0.00493, but the formula beside "
          "it, (1 - e^(-2/8))^2, is ",
          " desvios padrão. Para k = 2 os slides imprimem 0,00493, mas a fórmula ao lado, (1 - "
          "e^(-2/8))^2, é ") +
      report.fixed(std::pow(1 - std::exp(-0.25), 2), 4) + ".");
}

void report_by_cells(const Results& results, Report& report) {
  const double keys = results.number("sets", "keys");
  report.heading(3, report.t("The rate against the space", "A taxa em função do espaço"));
  const auto point = [&](const std::string& id) {
    return report::Point{.x = results.number(id, "bits"), .y = results.number(id, "rate")};
  };
  const auto panel_of = [&](const std::string& title) {
    return report::Panel{
        .title = title,
        .x = {.title = report.t("bits a key", "bits por chave"), .low = 0, .high = kMostCells},
        .y = {.title = report.t("false-positive rate", "taxa de falsos positivos"),
              .logarithmic = true},
        .series = {}};
  };
  report::Series expected{.title = report.t("Bloom, best k, expected", "Bloom, melhor k, esperada"),
                          .style = report::Series::Style::line};
  report::Series bloom{.title = report.t("Bloom, best k", "Bloom, melhor k"),
                       .style = report::Series::Style::points};
  report::Series counting{.title = report.t("counting Bloom, best k", "de contagem, melhor k")};
  for (unsigned cells = 1; cells <= kMostCells; ++cells) {
    double least = 1;
    for (unsigned k = 1; k <= 2 * kMostCells; ++k) {
      least = std::min(least, expected_rate(cells * keys, keys, k));
    }
    expected.points.push_back({.x = static_cast<double>(cells), .y = least});
    bloom.points.push_back(point(by_cells("bloom", cells)));
    if (cells * kCounterBits <= kMostCells) {
      counting.points.push_back(point(by_cells("counting-bloom", cells)));
    }
  }
  report::Panel slides = panel_of(report.t("the slides' filters", "os filtros dos slides"));
  slides.series = {expected, std::move(bloom), std::move(counting)};
  report::Panel today = panel_of(report.t("today's", "os de hoje"));
  today.series.push_back(std::move(expected));
  report::Table table({report.t("structure", "estrutura"), report.t("bits a key", "bits por chave"),
                       report.t("rate", "taxa"),
                       report.t("Bloom's rate in that space", "taxa de Bloom nesse espaço"),
                       report.t("space of a Bloom filter of that rate",
                                "espaço de um filtro de Bloom com essa taxa")});
  for (const char* type : kToday) {
    report::Series series{.title = type};
    for (unsigned bits = kTodayBits[0]; bits <= kTodayBits[1]; ++bits) {
      series.points.push_back(point(by_bits(type, bits)));
    }
    const report::Point at = point(by_bits(type, printed::kSlidesCells));
    // With the best k, not rounded: 0.6185^(bits a key), so bits = log2(1/rate) / ln 2.
    table.add({std::string(type) + ", " + std::to_string(printed::kSlidesCells) + " bits",
               report.fixed(at.x, 2), report.fixed(at.y, 5),
               report.fixed(std::pow(0.6185, at.x), 5),
               report.fixed(-std::log2(at.y) / std::log(2.0), 2)});
    today.series.push_back(std::move(series));
  }
  report.plot("slides-rate-by-space", {.title = report.t("False positives against bits a key",
                                                         "Falsos positivos em função dos bits por "
                                                         "chave"),
                                       .subtitle = {},
                                       .panels = {std::move(slides), std::move(today)},
                                       .columns = 2});
  const auto rate_of = [&](unsigned cells) {
    return report.percent(results.number(by_k("bloom", cells, printed::kSlidesTakenK), "rate"), 1);
  };
  report.paragraph(report.t("A filter made for 8 cells a key (k = 6) has a rate of ",
                            "Um filtro feito para 8 células por chave (k = 6) tem taxa de ") +
                   rate_of(8) + report.t("; given twice the keys ", "; com o dobro das chaves ") +
                   rate_of(4) + report.t(", four times ", ", com o quádruplo ") +
                   rate_of(kFewCells) +
                   report.t(". Today's structures on the same keys:",
                            ". As estruturas de hoje sobre as mesmas chaves:"));
  report.table(table);
}

void report_text(const Results& results, Report& report) {
  report.heading(3, report.t("The short text's filters", "Os filtros do texto curto"));
  report::Table table({report.t("filter", "filtro"), report.t("keys", "chaves"),
                       "(1 - e^(-kn/m))^k", report.t("measured", "medida"),
                       report.t("the formula is too low by", "a fórmula subestima em")});
  const auto add = [&](const std::string& name, double cells, double keys, const std::string& id) {
    const double k = printed::kTextK;
    const double formula = std::pow(1 - std::exp(-k * keys / cells), k);
    const double measured = results.number(id, "rate");
    table.add({name, report.fixed(keys, 0), report.fixed(formula, 4), report.fixed(measured, 4),
               measured > 0 ? report.percent(1 - formula / measured, 1) : "-"});
  };
  add(report.t("its picture: 18 cells, k = 3", "a figura: 18 células, k = 3"),
      printed::kPictureCells, printed::kPictureKeys, "picture");
  for (const unsigned keys : kProgramKeys) {
    add(report.t("its program: 100 cells, k = 3", "o programa: 100 células, k = 3"),
        printed::kProgramCells, keys, "program/" + std::to_string(keys));
  }
  report.table(table);
  report.paragraph(
      report.t("Each measured rate is the mean of ", "Cada taxa medida é a média de ") +
      report.grouped(results.number("picture", "filters")) +
      report.t(
          " filters over random keys. In few cells the formula is too low: it puts the mean part "
          "of "
          "occupied cells to the power k, and the mean of a power is more than the power of the "
          "mean. In the large filters above that part hardly varies.",
          " filtros sobre chaves aleatórias. Com poucas células a fórmula subestima: ela eleva a k "
          "a parte média das células ocupadas, e a média de uma potência é maior que a potência "
          "da média. Nos filtros grandes acima essa parte quase não varia."));
}

void report_bloom_rate(const Results& results, Report& report) {
  if (!results.measured("program/" + std::to_string(kProgramKeys.back()))) return;
  report_by_k(results, report);
  report_by_cells(results, report);
  report_text(results, report);
}

}  // namespace

Experiment bloom_rate_experiment() {
  return {"bloom-rate", "The false-positive rate of Bloom filters (slides, and the short text)",
          "A taxa de falsos positivos dos filtros de Bloom (slides, e o texto curto)",
          measure_bloom_rate, report_bloom_rate};
}

}  // namespace crivo::experiments
