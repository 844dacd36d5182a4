// SPDX-License-Identifier: Apache-2.0
#include "program/build_report.hpp"

#include <array>
#include <cstdio>
#include <iostream>

#include "crivo/error.hpp"

namespace crivo::cli {
namespace {

Json to_json(const BuildSummary& summary) {
  Json json;
  json["schema"] = 1;
  json["kind"] = summary.kind;
  json[summary.algorithm_name] = summary.algorithm;
  json["keys"] = summary.keys;
  json["duplicates"] = summary.duplicates;
  json["bytes"] = summary.bytes;
  json["bits_per_key"] = summary.keys == 0 ? 0.0
                                           : 8.0 * static_cast<double>(summary.bytes) /
                                                 static_cast<double>(summary.keys);
  if (summary.fpr) json["fpr"] = *summary.fpr;
  if (summary.asked_fpr) json["asked_fpr"] = *summary.asked_fpr;
  if (summary.measured_fpr) json["measured_fpr"] = *summary.measured_fpr;
  if (!summary.parameters.empty()) json["parameters"] = json_of(summary.parameters);
  put_rows(json, summary.rows);
  Json candidates = Json::array();
  for (const CodecCandidate& each : summary.candidates) {
    Json row;
    row["codec"] = each.codec;
    row["block_bytes"] = each.block_bytes;
    row["record_bytes"] = each.record_bytes;
    row["hit_nanoseconds"] = each.hit_nanoseconds;
    candidates.push_back(row);
  }
  if (!summary.candidates.empty()) json["candidates"] = candidates;
  json["seed"] = summary.seed;
  json["format_version"] = summary.format_version;
  json["threads"] = summary.threads;
  json["seconds"] = {{"read", summary.read_seconds},
                     {"build", summary.build_seconds},
                     {"write", summary.write_seconds},
                     {"total", summary.total_seconds}};
  json["peak_rss_bytes"] = peak_rss_bytes();
  json["temp_bytes"] = summary.temp_bytes;
  if (summary.resumed_bytes != 0) json["resumed_bytes"] = summary.resumed_bytes;
  json["digest"] = summary.digest;
  return json;
}

void print_for_people(const BuildSummary& summary, const std::string& output) {
  std::array<char, 320> line{};
  const double bits = summary.keys == 0 ? 0
                                        : 8.0 * static_cast<double>(summary.bytes) /
                                              static_cast<double>(summary.keys);
  std::snprintf(line.data(), line.size(),
                "%s %s of %s, %s, %.*f bits/key; %.2f s (read %.2f, build %.2f, write %.2f), "
                "%s, peak memory %s\n",
                summary.algorithm.c_str(), summary.kind.c_str(),
                counted(summary.keys, "key").c_str(),
                human_bytes(static_cast<double>(summary.bytes)).c_str(), bits < 100 ? 3 : 0, bits,
                summary.total_seconds, summary.read_seconds, summary.build_seconds,
                summary.write_seconds, counted(summary.threads, "thread").c_str(),
                human_bytes(static_cast<double>(peak_rss_bytes())).c_str());
  std::cerr << escape(output) + ": " << line.data();
  if (summary.duplicates != 0)
    print_line(counted(summary.duplicates, "duplicate key") + " left out");
  std::string text;
  const auto add = [&](const std::string& label, const std::string& value) {
    text += (text.empty() ? "" : ", ") + label + " " + value;
  };
  for (const InfoRow& row : summary.rows) {
    if (row.in_build) add(row.label, row.text);
  }
  for (const Parameter& parameter : summary.parameters)
    add(label_of(parameter), text_of(parameter));
  if (!text.empty()) std::cerr << text << '\n';
  for (const CodecCandidate& each : summary.candidates) {
    const std::string block =
        each.block_bytes == 0 ? "" : " in blocks of " + std::to_string(each.block_bytes);
    std::snprintf(line.data(), line.size(),
                  "tried codec %s%s: %.1f bytes a record, a hit takes %.0f ns\n",
                  each.codec.c_str(), block.c_str(), each.record_bytes, each.hit_nanoseconds);
    std::cerr << line.data();
  }
  if (summary.fpr && !summary.fpr_keys.empty() && summary.keys != 0) {
    std::cerr << "false positives: " << percent(*summary.fpr) << " of " << summary.fpr_keys
              << ", by design";
    if (summary.asked_fpr) std::cerr << "; asked: at most " << percent(*summary.asked_fpr);
    if (summary.measured_fpr) std::cerr << "; measured: " << percent(*summary.measured_fpr);
    std::cerr << '\n';
  }
}

}  // namespace

int report_built(const BuildSummary& summary, const std::string& output,
                 const ReportOptions& reports) {
  return report_published(summary.warnings, reports.quiet, [&] {
    if (reports.json) {
      print_json(to_json(summary));
    } else if (!reports.quiet) {
      print_for_people(summary, output);
    }
  });
}

}  // namespace crivo::cli
