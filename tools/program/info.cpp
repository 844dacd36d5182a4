// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>
#include <memory>
#include <optional>

#include "crivo/error.hpp"
#include "crivo/index.hpp"
#include "crivo/inspect.hpp"
#include "program/answers.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/report_error.hpp"
#include "program/trust_options.hpp"
#include "program/values.hpp"

namespace crivo::cli {
namespace {

struct InfoOptions {
  std::vector<std::string> paths;
  TrustOptions trust;
  ReportOptions reports;
};

double bits_per_key(const FileInfo& info) {
  return info.keys == 0 ? 0
                        : 8.0 * static_cast<double>(info.bytes) / static_cast<double>(info.keys);
}

/// The bits a key that no map could do with fewer of: those of the value (or, compressed, their
/// entropy) and of the signature.
double least_bits(const FileInfo& info) {
  return info.value_entropy.value_or(info.value_bits) + info.signature_bits;
}

/// By how much a map is larger, as a fraction; nothing where the least is nothing.
std::optional<double> overhead(const FileInfo& info) {
  if (info.keys == 0 || least_bits(info) == 0) return std::nullopt;
  return bits_per_key(info) / least_bits(info) - 1;
}

/// Of a part it is not known.
bool has_signatures(const FileInfo& info) {
  return has_choice(info.kind, "signature_bits");
}

Json to_json(const FileInfo& info) {
  Json json;
  json["schema"] = 1;
  json["kind"] = info.kind;
  if (info.kind != "part") json[info.kind == "filter" ? "type" : "algorithm"] = info.algorithm;
  json["keys"] = info.keys;
  json["bytes"] = info.bytes;
  json["bits_per_key"] = bits_per_key(info);
  if (info.fpr) json["fpr"] = *info.fpr;
  if (info.asked_fpr) json["asked_fpr"] = *info.asked_fpr;
  if (!info.parameters.empty()) json["parameters"] = json_of(info.parameters);
  if (!info.layers.empty()) json["layers"] = Json::array();
  for (const LayerInfo& layer : info.layers)
    json["layers"].push_back({{"keys", layer.keys}, {"bytes", layer.bytes}, {"fpr", layer.fpr}});
  if (info.kind == "store") {
    json["backend"] = info.backend;
    json["codec"] = info.codec;
    json["changed_records"] = info.changed_records;
    json["removed_records"] = info.removed_records;
  }
  if (info.kind == "map") json["value_bits"] = info.value_bits;
  if (info.has_values) {
    json["value_type"] = value_type_name(info.value_form.type);
    if (info.value_form.type == ValueType::decimal) json["value_scale"] = info.value_form.scale;
  }
  if (info.kind == "map") {
    if (info.value_entropy) json["entropy"] = *info.value_entropy;
    if (const auto more = overhead(info)) json["overhead"] = *more;
  }
  if (has_signatures(info)) json["signature_bits"] = info.signature_bits;
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

/// `path` is the file's, or empty where there is but one.
void print_for_people(const FileInfo& info, const std::string& path, Output& out) {
  const auto row = [&](const char* name, const std::string& value) {
    std::array<char, 64> label{};
    std::snprintf(label.data(), label.size(), "%-20s", name);
    out.write(label.data() + escape(value) + "\n");
  };
  const auto number = [](const char* format, double value) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return std::string(text.data());
  };
  if (!path.empty()) row("file", path);
  row("kind", info.kind);
  if (info.kind != "part") row(info.kind == "filter" ? "type" : "algorithm", info.algorithm);
  row("keys", std::to_string(info.keys));
  row("bytes", std::to_string(info.bytes));
  row("bits per key", number("%.3f", bits_per_key(info)));
  if (info.kind == "map") row("value bits", std::to_string(info.value_bits));
  if (info.has_values) {
    row("value type", value_type_name(info.value_form.type) +
                          (info.value_form.type == ValueType::decimal
                               ? ", scale " + std::to_string(info.value_form.scale)
                               : ""));
  }
  if (info.kind == "map") {
    if (info.value_entropy) {
      row("entropy", number("%.6g bits, of the value of a random key", *info.value_entropy));
    }
    if (const auto more = overhead(info)) {
      row("ratio",
          number("%.4f of the least, ", 1 + *more) + number("%.6g bits per key", least_bits(info)));
    }
  }
  if (has_signatures(info)) {
    const char* answer =
        info.kind == "map" ? " (any key gets some value)" : " (any key gets some rank)";
    row("signature bits",
        std::to_string(info.signature_bits) + (info.signature_bits == 0 ? answer : ""));
  }
  if (info.kind == "store") {
    row("backend", info.backend);
    row("codec", info.codec);
    if (info.changed_records + info.removed_records != 0) {
      row("updated", std::to_string(info.changed_records) + " records changed, " +
                         std::to_string(info.removed_records) + " removed since the build");
    }
    row("absent keys", info.algorithm == "dictionary" ? "refused, all: the dictionary has the keys"
                                                      : "refused, all: each record has its key");
  } else if (info.fpr) {
    row("false positives",
        percent(*info.fpr) +
            (info.kind == "exact" || (info.kind == "chain" && info.layers.empty())
                 ? " of keys outside the universe, by design"
                 : " of absent keys, by design") +
            (info.asked_fpr ? "; asked: at most " + percent(*info.asked_fpr) : ""));
  }
  row("key hash", info.hash);
  for (const Parameter& parameter : info.parameters) {
    row(label_of(parameter).c_str(), text_of(parameter));
  }
  for (const LayerInfo& layer : info.layers) {
    row("layer", std::to_string(layer.keys) + " keys, " + std::to_string(layer.bytes) +
                     " bytes, false positives " + percent(layer.fpr));
  }
  row("seed", std::to_string(info.seed));
  row("format version", info.format_version);
  row("digest", info.digest);
  if (!info.base.empty()) row("base", info.base);
  if (!info.state_before.empty()) row("state before", info.state_before);
  if (!info.state.empty()) row("state", info.state);
  row("build id", info.build_id);
  for (const SectionInfo& section : info.sections) {
    row("section", section.name + (section.tag == 0 ? "" : " " + std::to_string(section.tag)) +
                       ", " + std::to_string(section.bytes) + " bytes at " +
                       std::to_string(section.offset));
  }
  for (const auto& [name, value] : info.metadata) {
    row("metadata", quote(name) + " = " + quote(value));
  }
}

/// Shows all that can be read. The exit code is that of the first that cannot.
int info(const InfoOptions& options) {
  const bool many = options.paths.size() > 1;
  bool first = true;
  int code = 0;
  Output out;
  for (const std::string& path : options.paths) {
    std::optional<FileInfo> found;
    try {
      found = options.trust.public_keys.empty()
                  ? inspect(path)
                  : OpenIndex::open(path, options.trust.in({}))->info();
    } catch (const Error& error) {
      if (!many) throw;
      out.flush();
      const int failed = report_error(error, options.reports.json);
      if (code == 0) code = failed;
      continue;
    }
    if (options.reports.json) {
      Json json = to_json(*found);
      if (many) put_bytes(json, "file", path);
      out.write(json.dump() + "\n");
    } else {
      if (!first) out.write("\n");
      print_for_people(*found, many ? path : "", out);
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
  command->add_option("PATH", options->paths, "index files, or directories of stores")
      ->required()
      ->transform(mapped_path());
  options->trust.add_to(*command);
  options->reports.add_to(*command);
  command->callback([options, &action] { action = [options] { return info(*options); }; });
}

}  // namespace crivo::cli
