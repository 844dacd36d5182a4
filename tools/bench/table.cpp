#include "bench/table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>

namespace crivo::bench {
namespace {

constexpr const char* kNone = "-";

std::string fixed(double value, int decimals) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

/// Three digits at least: 1.873, 36.80, 115, 14854.
std::string figure(double value) {
  if (value == 0) return kNone;
  return fixed(value, value < 10 ? 2 : value < 100 ? 1 : 0);
}

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

/// A measure that has a column, and a ratio if it may be compared.
struct Measure {
  const char* group;
  const char* heading;
  std::function<double(const Row&)> of;
  const char* ratio = nullptr;                  ///< the heading of its ratio
  std::function<double(const Row&)> base = {};  ///< what of the baseline, if not the same
};

std::vector<Measure> measures() {
  const auto loop = [](Loop which) { return [which](const Row& row) { return row.ns(which); }; };
  const auto first_of = [](double preferred, double other) {
    return preferred != 0 ? preferred : other;
  };
  return {
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
}

/// Cells in rows, of which the first two are headings.
using Cells = std::vector<std::vector<std::string>>;

std::string aligned(const Cells& cells, const std::vector<std::string>& ends) {
  std::vector<std::size_t> widths;
  for (const auto& row : cells) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (std::size_t r = 0; r < cells.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < cells[r].size(); ++c) {
      const std::string gap(widths[c] - cells[r][c].size(), ' ');
      line += c == 0 ? cells[r][c] + gap : "  " + gap + cells[r][c];
    }
    if (!ends[r].empty()) line += "  " + ends[r];
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string heading_line(const Circumstances& about) {
  const RunOptions& options = about.options;
  return grouped(about.keys) + " " + about.kind + " of " + figure(about.key_bytes) +
         " bytes on average, " + std::to_string(options.threads) +
         (options.threads == 1 ? " thread" : " threads") + "; lookups of " +
         grouped(about.lookups) + " in random order, best of " + std::to_string(options.rounds) +
         "; " + about.cpu + (about.crivo_cpu.empty() ? "" : ", CRIVO_CPU=" + about.crivo_cpu) +
         "\n";
}

}  // namespace

std::string table(const Circumstances& about, const std::vector<Row>& rows) {
  const std::vector<Measure> all = measures();
  const auto base = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
    return row.name == about.baseline && row.failure.empty();
  });

  Cells cells(2);
  std::vector<std::string> ends(2);
  cells[0] = {"", ""};
  cells[1] = {"method", "bits/key"};
  for (const Measure& measure : all) {
    cells[0].emplace_back(measure.group);
    cells[1].emplace_back(measure.heading);
  }
  if (base != rows.end()) {
    cells[0].push_back("  ratio:");
    cells[1].push_back("  bits");
    for (const Measure& measure : all) {
      if (measure.ratio == nullptr) continue;
      cells[0].emplace_back();
      cells[1].emplace_back(measure.ratio);
    }
  }

  for (const Row& row : rows) {
    std::vector<std::string> line{row.name};
    ends.push_back(row.failure);
    if (!row.failure.empty()) {
      cells.push_back(line);
      continue;
    }
    line.push_back(fixed(row.bits, 3));
    for (const Measure& measure : all) line.push_back(figure(measure.of(row)));
    if (base != rows.end()) {
      line.push_back(fixed(row.bits / base->bits, 2));
      for (const Measure& measure : all) {
        if (measure.ratio == nullptr) continue;
        const double value = measure.of(row);
        const double to = measure.base ? measure.base(*base) : measure.of(*base);
        line.push_back(value == 0 || to == 0 ? kNone : fixed(value / to, 2));
      }
    }
    cells.push_back(std::move(line));
  }
  std::string text = heading_line(about) + "\n" + aligned(cells, ends);
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
    put("build_cpu_ns", row.build_cpu_ns);
    put("build_from_hashes_cpu_ns", row.build_from_hashes_cpu_ns);
    put("build_wall_ns", row.build_wall_ns);
    put("peak_bytes_per_key", row.peak_bytes);
    for (const Loop loop : kLoops) {
      put(loop == Loop::lookup ? "lookup_ns" : std::string(name_of(loop)) + "_ns", row.ns(loop));
    }
    methods.push_back(std::move(method));
  }
  Json json{{"schema", 1},
            {"keys", about.keys},
            {"kind", about.kind},
            {"seed", about.seed},
            {"key_bytes", about.key_bytes},
            {"lookups", about.lookups},
            {"threads", about.options.threads},
            {"builds", about.options.builds},
            {"repeat", about.options.rounds},
            {"cpu", about.cpu}};
  if (!about.crivo_cpu.empty()) json["crivo_cpu"] = about.crivo_cpu;
  json["methods"] = std::move(methods);
  return json;
}

}  // namespace crivo::bench
