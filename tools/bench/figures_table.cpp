// SPDX-License-Identifier: Apache-2.0
#include "bench/figures_table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>

namespace crivo::bench {
namespace {

using report::fixed;
using report::grouped;
using report::Heading;

constexpr const char* kNothing = "-";

/// Three digits at least: 1.873, 36.80, 115, 14854.
std::string figure(double value) {
  if (value == 0) return kNothing;
  return fixed(value, value < 10 ? 2 : value < 100 ? 1 : 0);
}

/// A rate in %, with three digits of what is not 0: 0.391, 0.00153.
std::string percent(double rate) {
  if (rate == 0) return kNothing;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%#.3g", 100 * rate);
  return text.data();
}

std::string thousandths(double value) {
  return value == 0 ? kNothing : fixed(value, 3);
}

/// A measure that has a column, and a ratio if it may be compared.
struct Measure {
  const char* group;
  const char* heading;
  std::function<double(const Row&)> of;
  const char* ratio = nullptr;                  ///< the heading of its ratio
  std::function<double(const Row&)> base = {};  ///< what of the baseline, if not the same
  std::string (*text)(double) = figure;
};

std::vector<Measure> measures(Kind structure) {
  const auto loop = [](Loop which) { return [which](const Row& row) { return row.ns(which); }; };
  const auto first_of = [](double preferred, double other) {
    return preferred != 0 ? preferred : other;
  };
  std::vector<Measure> all;
  if (structure == Kind::filter) {
    all.push_back({"rate", "%", [](const Row& row) { return row.fpr; }, nullptr, {}, percent});
  }
  if (structure != Kind::mphf) {
    all.push_back(
        {"", "overhead", [](const Row& row) { return row.overhead; }, nullptr, {}, thousandths});
  }
  const std::vector<Measure> costs{
      {"build ns/key", "CPU", [](const Row& row) { return row.build_cpu_ns; }, "build"},
      {"", "sorted", [](const Row& row) { return row.build_from_hashes_cpu_ns; }, "sorted",
       [=](const Row& row) { return first_of(row.build_from_hashes_cpu_ns, row.build_cpu_ns); }},
      {"", "wall", [](const Row& row) { return row.build_wall_ns; }},
      {"peak", "bytes/key", [](const Row& row) { return row.peak_bytes; }},
      {"lookup ns", "one", loop(Loop::lookup), "lookup"},
      {"", "dependent", loop(Loop::dependent), "dep."},
      {"", "batch", loop(Loop::batch), "batch",
       [=](const Row& row) { return first_of(row.ns(Loop::batch), row.ns(Loop::lookup)); }},
      {"", "absent", loop(Loop::absent), "absent"},
  };
  all.insert(all.end(), costs.begin(), costs.end());
  if (structure == Kind::filter) {
    all.push_back({"", "abs. batch", loop(Loop::absent_batch), "a.batch", [=](const Row& row) {
                     return first_of(row.ns(Loop::absent_batch), row.ns(Loop::absent));
                   }});
  }
  return all;
}

}  // namespace

std::string circumstances_line(const Circumstances& about) {
  const RunOptions& options = about.options;
  const std::string asked =
      about.structure == Kind::filter ? "; rate at most " + percent(about.fpr) + " %"
      : about.structure == Kind::map  ? "; values of " + std::to_string(about.value_bits) + " bits"
                                      : "";
  return grouped(about.keys) + " " + about.kind + " of " + figure(about.key_bytes) +
         " bytes on average, " + std::to_string(options.threads) +
         (options.threads == 1 ? " thread" : " threads") + asked + "; lookups of " +
         grouped(about.lookups) + " in random order, best of " + std::to_string(options.rounds) +
         "; " + about.cpu + (about.crivo_cpu.empty() ? "" : ", CRIVO_CPU=" + about.crivo_cpu) +
         "; " + about.date;
}

std::string table(const Circumstances& about, const std::vector<Row>& rows, report::TableForm form,
                  std::size_t width) {
  const std::vector<Measure> all = measures(about.structure);
  const auto base = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
    return row.name == about.baseline && row.failure.empty();
  });

  std::vector<Heading> headings{{"method"}, {"bits/key"}};
  for (const Measure& measure : all) headings.emplace_back(measure.heading, measure.group);
  if (base != rows.end()) {
    headings.emplace_back("bits", "ratio", true);
    for (const Measure& measure : all) {
      if (measure.ratio != nullptr) headings.emplace_back(measure.ratio);
    }
  }

  report::Table table(std::move(headings));
  for (const Row& row : rows) {
    if (!row.failure.empty()) {
      table.add({row.name, row.failure});
      continue;
    }
    std::vector<std::string> line{row.name, fixed(row.bits, 3)};
    for (const Measure& measure : all) line.push_back(measure.text(measure.of(row)));
    if (!row.absent_failure.empty()) line.back() = "fails";
    if (base != rows.end()) {
      line.push_back(fixed(row.bits / base->bits, 2));
      for (const Measure& measure : all) {
        if (measure.ratio == nullptr) continue;
        const double value = measure.of(row);
        const double to = measure.base ? measure.base(*base) : measure.of(*base);
        line.push_back(value == 0 || to == 0 ? kNothing : fixed(value / to, 2));
      }
    }
    table.add(std::move(line));
  }
  if (form == report::TableForm::csv) return table.write(form);
  std::string text = circumstances_line(about) + "\n\n" + table.write(form, width);
  if (base != rows.end()) text += "\nratio: to " + about.baseline + "\n";
  return text;
}

nlohmann::ordered_json to_json(const Circumstances& about, const std::vector<Row>& rows) {
  using Json = nlohmann::ordered_json;
  Json methods = Json::array();
  for (const Row& row : rows) {
    Json method{{"name", row.name}, {"library", row.library}};
    const auto put = [&](const std::string& name, double value) {
      if (value != 0) method[name] = value;
    };
    if (!row.failure.empty()) method["failure"] = row.failure;
    put("bits_per_key", row.bits);
    put("fpr", row.fpr);
    put("overhead", row.overhead);
    put("build_cpu_ns", row.build_cpu_ns);
    put("build_from_hashes_cpu_ns", row.build_from_hashes_cpu_ns);
    put("build_wall_ns", row.build_wall_ns);
    put("peak_bytes_per_key", row.peak_bytes);
    for (const Loop loop : kLoops) {
      put(loop == Loop::lookup ? "lookup_ns" : std::string(name_of(loop)) + "_ns", row.ns(loop));
    }
    if (!row.absent_failure.empty()) method["absent_failure"] = row.absent_failure;
    methods.push_back(std::move(method));
  }
  Json json{{"schema", 1}, {"structure", name_of(about.structure)}};
  if (about.fpr != 0) json["fpr"] = about.fpr;
  if (about.value_bits != 0) json["value_bits"] = about.value_bits;
  json.update({{"keys", about.keys},
               {"kind", about.kind},
               {"seed", about.seed},
               {"key_bytes", about.key_bytes},
               {"lookups", about.lookups},
               {"absent_lookups", about.absent_lookups},
               {"threads", about.options.threads},
               {"builds", about.options.builds},
               {"repeat", about.options.rounds},
               {"cpu", about.cpu},
               {"date", about.date}});
  if (!about.crivo_cpu.empty()) json["crivo_cpu"] = about.crivo_cpu;
  json["methods"] = std::move(methods);
  return json;
}

}  // namespace crivo::bench
