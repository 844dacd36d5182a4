// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>
#include <memory>

#include "crivo/error.hpp"
#include "crivo/foreign.hpp"
#include "crivo/index.hpp"
#include "crivo/inspect.hpp"
#include "program/answers.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/remote_index.hpp"
#include "program/report_error.hpp"
#include "program/trust_options.hpp"
#include "program/values.hpp"

namespace crivo::cli {
namespace {

struct InfoOptions {
  std::vector<std::string> paths;
  TrustOptions trust;
  RemoteAccess remote;
  ReportOptions reports;
};

double bits_per_key(const FileInfo& info) {
  return info.keys == 0 ? 0
                        : 8.0 * static_cast<double>(info.bytes) / static_cast<double>(info.keys);
}

Json to_json(const FileInfo& info) {
  Json json;
  json["schema"] = 1;
  json["kind"] = info.kind;
  if (!info.algorithm_name.empty()) json[info.algorithm_name] = info.algorithm;
  json["keys"] = info.keys;
  json["bytes"] = info.bytes;
  json["bits_per_key"] = bits_per_key(info);
  if (info.fpr) json["fpr"] = *info.fpr;
  if (info.asked_fpr) json["asked_fpr"] = *info.asked_fpr;
  if (!info.parameters.empty()) json["parameters"] = json_of(info.parameters);
  if (!info.layers.empty()) json["layers"] = Json::array();
  for (const LayerInfo& layer : info.layers)
    json["layers"].push_back({{"keys", layer.keys}, {"bytes", layer.bytes}, {"fpr", layer.fpr}});
  put_rows(json, info.rows);
  json["hash"] = info.hash;
  json["seed"] = info.seed;
  json["format_version"] = info.format_version;
  json["digest"] = info.digest;
  if (!info.base.empty()) json["base"] = info.base;
  if (!info.state_before.empty()) json["state_before"] = info.state_before;
  if (!info.state.empty()) json["state"] = info.state;
  json["build_id"] = info.build_id;
  json["sections"] = Json::array();
  for (const SectionInfo& section : info.sections) {
    json["sections"].push_back({{"type", section.type},
                                {"name", section.name},
                                {"tag", section.tag},
                                {"alignment", section.alignment},
                                {"offset", section.offset},
                                {"bytes", section.bytes}});
  }
  json["metadata"] = Json::object();
  for (const auto& [name, value] : info.metadata) json["metadata"][name] = value;
  return json;
}

void write_row(const std::string& name, const std::string& value, Output& out) {
  std::array<char, 64> label{};
  std::snprintf(label.data(), label.size(), "%-20s", name.c_str());
  out.write(label.data() + escape(value) + "\n");
}

/// `path` is the file's, or empty where there is but one.
void print_for_people(const FileInfo& info, const std::string& path, Output& out) {
  const auto row = [&](const std::string& name, const std::string& value) {
    write_row(name, value, out);
  };
  const auto number = [](const char* format, double value) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return std::string(text.data());
  };
  if (!path.empty()) row("file", path);
  row("kind", info.kind);
  if (!info.algorithm_name.empty()) row(info.algorithm_name, info.algorithm);
  row("keys", std::to_string(info.keys));
  row("bytes", std::to_string(info.bytes));
  row("bits per key", number("%.3f", bits_per_key(info)));
  for (const InfoRow& each : info.rows) {
    if (!each.label.empty()) row(each.label, each.text);
  }
  if (info.fpr && !info.fpr_keys.empty()) {
    row("false positives",
        percent(*info.fpr) + " of " + info.fpr_keys + ", by design" +
            (info.asked_fpr ? "; asked: at most " + percent(*info.asked_fpr) : ""));
  }
  row("key hash", info.hash);
  for (const Parameter& parameter : info.parameters) {
    row(label_of(parameter), text_of(parameter));
  }
  for (const LayerInfo& layer : info.layers) {
    row("layer", counted(layer.keys, "key") + ", " + std::to_string(layer.bytes) +
                     " bytes, false positives " + percent(layer.fpr));
  }
  row("seed", std::to_string(info.seed));
  row("format version", info.format_version);
  row("digest", info.digest);
  if (!info.base.empty()) row("base", info.base);
  if (!info.state_before.empty()) row("state before", info.state_before);
  if (!info.state.empty()) row("state", info.state);
  if (info.build_id.find_first_not_of('0') != std::string::npos) row("build id", info.build_id);
  for (const SectionInfo& section : info.sections) {
    row("section", section.name + (section.tag == 0 ? "" : " " + std::to_string(section.tag)) +
                       ", " + std::to_string(section.bytes) + " bytes at " +
                       std::to_string(section.offset));
  }
  for (const auto& [name, value] : info.metadata) {
    row("metadata", quote(name) + " = " + quote(value));
  }
}

/// Returns what a file in a format of others tells of itself, which is less.
Json to_json(const FileInfo& info, const foreign::FormatInfo& format) {
  Json json;
  json["schema"] = 1;
  json["kind"] = info.kind;
  json["format"] = format.name;
  json["bytes"] = info.bytes;
  put_rows(json, info.rows);
  json["hash"] = info.hash;
  json["format_version"] = info.format_version;
  json["limits"] = format.limits;
  return json;
}
void print_for_people(const FileInfo& info, const foreign::FormatInfo& format,
                      const std::string& path, Output& out) {
  if (!path.empty()) write_row("file", path, out);
  write_row("kind", info.kind, out);
  write_row("format", std::string(format.name) + ", version " + info.format_version, out);
  write_row("bytes", std::to_string(info.bytes), out);
  for (const InfoRow& each : info.rows) write_row(each.label, each.text, out);
  write_row("key hash", info.hash, out);
  write_row("limits", std::string(format.limits), out);
}

/// Describes the file at `path`, which is named if there are many.
void show(const InfoOptions& options, const std::string& path, bool is_first, Output& out) {
  const bool is_named = options.paths.size() > 1;
  const auto show_as = [&](const FileInfo& info, const auto&... format) {
    if (!is_first && !options.reports.json) out.write("\n");
    if (!options.reports.json) return print_for_people(info, format..., is_named ? path : "", out);
    Json json = to_json(info, format...);
    if (is_named) put_bytes(json, "file", path);
    out.write(json.dump() + "\n");
  };
  if (is_url(path)) return show_as(open_url(path, options.trust, options.remote).index->info());
  options.remote.require_url(path);
  const OpenOptions opened = options.trust.in({});
  const foreign::FormatInfo* const format = foreign::format_of(path);
  if (format != nullptr) return show_as(foreign::open(path, opened)->info(), *format);
  show_as(opened.trust ? OpenIndex::open(path, opened)->info() : inspect(path));
}

/// Shows all that can be read. The exit code is that of the first that cannot.
int info(const InfoOptions& options) {
  const bool many = options.paths.size() > 1;
  bool first = true;
  int code = 0;
  Output out;
  for (const std::string& path : options.paths) {
    try {
      show(options, path, first, out);
    } catch (const Error& error) {
      if (!many) throw;
      out.flush();
      const int failed = report_error(error, options.reports.json);
      if (code == 0) code = failed;
      continue;
    }
    first = false;
  }
  out.flush();
  return code;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command = app.add_subcommand(
      "info",
      "show what index files hold\n\n"
      "It reads headers only. Files that cannot be read are reported, and the others shown.\nWith "
      "--public-key every byte is checked first.\nExample: crivo info --json urls.crv");
  command->add_option("PATH", options->paths, "index files, directories of stores, or URLs of both")
      ->required()
      ->transform(mapped_path_or_url());
  options->trust.add_to(*command);
  options->remote.add_to(*command);
  options->reports.add_to(*command);
  command->callback([options, &action] { action = [options] { return info(*options); }; });
}

}  // namespace crivo::cli
