// SPDX-License-Identifier: Apache-2.0
#include "program/common.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>

#include "crivo/build/kinds.hpp"
#include "crivo/error.hpp"
#include "http/shown_url.hpp"
#include "program/option_groups.hpp"
#include "program/remedies.hpp"
#include "program/values.hpp"

namespace crivo::cli {

CLI::Option* option_named(CLI::App& command, const std::string& name) {
  return command.get_options([&](const CLI::Option* o) { return o->check_name(name); }).front();
}

void FormatOptions::add_to(CLI::App& command, bool with_fixed, bool fixed_is_kept) {
  const InGroup input(command, kInputGroup);
  CLI::Option* null_flag =
      command.add_flag("-0,--null", null, "keys (and records) that are read end with NUL, not LF");
  CLI::Option* crlf_flag =
      command.add_flag("--crlf", crlf, "a CR before the LF is not part of the line");
  crlf_flag->excludes(null_flag);
  command
      .add_flag("--binary-lines", binary_lines,
                "lines, even if a file begins as an archive or another format does")
      ->excludes(null_flag);
  if (with_fixed) {
    command.add_option("--fixed", fixed, "keys of N bytes each, with nothing between them")
        ->type_name("N")
        ->transform(size_value(1, kMaxKeyBytes))
        ->excludes(null_flag)
        ->excludes(crlf_flag);
  }
  command.add_flag("--allow-empty", allow_empty, "allow the empty key");
  const std::vector<CLI::Option*> of_lines{
      command
          .add_option("--column", columns,
                      "the key is column N of each line, from 1, or with --header the column of "
                      "that name; a value or record is column M, or all after column N (with "
                      "--csv, the column after it); R is put behind it, with a TAB between; given "
                      "again, the key is all N, with TABs between")
          ->type_name("N[,M[,R]]")
          ->type_size(1)
          ->allow_extra_args(false)
          ->transform(columns_value()),
      command
          .add_option("--delimiter", delimiter,
                      "one byte between columns, \\t for TAB; default TAB, of --csv a comma")
          ->type_name("C")
          ->transform(byte_value()),
      command.add_flag("--csv", csv,
                       "columns may be in double quotes and hold line ends there; a CR before the "
                       "LF is not part of the line"),
      command.add_flag("--header", header,
                       "the first line of each file is not a key; it may name columns")};
  CLI::Option* hex_flag =
      command.add_flag("--hex", hex, "keys are hexadecimal digits, two for each byte");
  for (CLI::Option* option : of_lines) {
    option->excludes(null_flag);
    // Of rows of a table --fixed says how keys are kept (crivo partition --rows).
    if (with_fixed && !fixed_is_kept) option->excludes(option_named(command, "--fixed"));
  }
  if (with_fixed) hex_flag->excludes(option_named(command, "--fixed"));
  CLI::Option* json =
      command
          .add_option("--json-key", json_keys,
                      "each line is a JSON object (NDJSON); the key is this member: a string, or a "
                      "number as it is written; given again, all these, with TABs between")
          ->type_name("NAME")
          ->type_size(1)
          ->allow_extra_args(false)
          ->transform(name_value());
  command
      .add_option("--json-value", json_value,
                  "the value or record is this member; for records the default is the whole object")
      ->type_name("NAME")
      ->transform(name_value())
      ->needs(json);
  command
      .add_option("--json-row", json_row,
                  "this member is put behind the value or record, with a TAB between")
      ->type_name("NAME")
      ->transform(name_value())
      ->needs(option_named(command, "--json-value"));
  json->excludes(null_flag);
  if (with_fixed && !fixed_is_kept) json->excludes(option_named(command, "--fixed"));
  for (CLI::Option* option : of_lines) json->excludes(option);
  command.add_option("--max-key", max_key, "a longer key is an error; default and most 1M")
      ->type_name("BYTES")
      ->transform(size_value(1, kMaxKeyBytes));
  command
      .add_option("--max-line", max_line,
                  "a longer line, which holds its key among other things, is an error; default and "
                  "most 65M and a byte")
      ->type_name("BYTES")
      ->transform(size_value(1, kMaxLineBytes));
}

namespace {

/// Puts a column of --column where it belongs: a number, which no name of another column may be in
/// the header if there is one, or a name that the header has.
void put_column(const std::string& text, bool has_header, std::uint32_t& number,
                std::string& name) {
  const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
  if (is_number) number = static_cast<std::uint32_t>(parse_count(text));
  if (!is_number || has_header) name = text;
}

}  // namespace

KeyFormat FormatOptions::format() const {
  KeyFormat format;
  if (null) format.framing = KeyFormat::Framing::null;
  if (fixed != 0) format.framing = KeyFormat::Framing::fixed;
  format.width = fixed;
  format.strip_cr = crlf;
  format.binary_lines = binary_lines;
  format.allow_empty = allow_empty;
  if (!columns.empty()) {
    for (std::size_t i = 0; i + 1 < columns.size(); ++i) {
      if (columns[i].find(',') != std::string::npos)
        throw Error(ErrorKind::usage,
                    "--column: the last one alone may name a value or record, too");
      format.leading_keys.push_back(columns[i]);
    }
    std::string_view rest = columns.back();
    const auto put_next = [&](std::uint32_t& number, std::string& name) {
      const std::string_view text = rest.substr(0, rest.find(','));
      if (!text.empty()) put_column(std::string(text), header, number, name);
      rest.remove_prefix(std::min(text.size() + 1, rest.size()));
    };
    put_next(format.key_column, format.key_name);
    put_next(format.value_column, format.value_name);
    put_next(format.row_column, format.row_name);
    std::vector<std::string> names{format.key_name, format.value_name, format.row_name};
    for (const std::string& one : format.leading_keys) {
      if (one.find_first_not_of("0123456789") != std::string::npos) names.push_back(one);
    }
    for (const std::string& name : names) {
      if (!name.empty() && !header)
        throw Error(ErrorKind::usage, "--column: " + shown(name) +
                                          " is not a number; to find a column by its name, use "
                                          "--header");
    }
  } else if (csv || !delimiter.empty()) {
    format.key_column = 1;
  }
  format.quotes = csv;
  format.strip_cr = crlf || csv;
  if (csv) format.column_delimiter = ',';
  if (!delimiter.empty()) format.column_delimiter = delimiter.front();
  format.skip_header = header;
  format.hex = hex;
  if (!json_keys.empty()) {
    format.json_key = json_keys.back();
    format.leading_keys.assign(json_keys.begin(), json_keys.end() - 1);
  }
  format.json_value = json_value;
  format.json_row = json_row;
  format.max_key_bytes = max_key;
  format.max_line_bytes = max_line;
  return format;
}

std::string FormatOptions::text_of_key(std::string_view key) const {
  return hex ? cli::hex(key) : std::string(key);
}

std::string FormatOptions::key_of_text(const std::string& text) const {
  return hex ? parse_hex(text) : text;
}

void ReportOptions::add_to(CLI::App& command) {
  const InGroup output(command, kOutputGroup);
  command.add_flag("--json", json, "one JSON object on standard output");
  command.add_flag("-q,--quiet", quiet, "only errors on standard error");
  command
      .add_option(
          "--progress", progress,
          "show progress on stderr: auto (only if stderr is a terminal where no keys are "
          "typed and no answers shown), always (without a terminal, a line every 5 s), never")
      ->transform(one_of({"auto", "always", "never"}))
      ->capture_default_str();
}

void add_force(CLI::App& command, bool& replace) {
  const InGroup output(command, kOutputGroup);
  command.add_flag("-f,--force", replace, "replace an existing output");
}

Output::~Output() {
  try {
    flush();
  } catch (const std::exception&) {  // an earlier error is on its way, or flush() was not called
  }
}

void Output::write(std::string_view text) {
  constexpr std::size_t kBufferBytes = std::size_t{1} << 16;
  if (text.size() >= kBufferBytes) {  // not copied
    flush();
    hand_on(text);
    return;
  }
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) flush();
}

void Output::flush() {
  try {
    hand_on(buffer_);
  } catch (...) {
    buffer_.clear();
    throw;
  }
  buffer_.clear();
}

void Output::hand_on(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error(ErrorKind::io,
                std::string("(standard output): cannot write: ") + std::strerror(errno));
  }
}

void print_json(const Json& object) {
  Output out;
  out.write(object.dump() + "\n");
  out.flush();
}

void print_line(const std::string& text) {
  std::cerr << escape(text) + "\n";
}

std::string counted(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

void print_warning(const Warning& warning) {
  const std::string text = http::without_passwords(with_remedy(warning.text, warning.remedy));
  std::cerr << "crivo: warning: " + escape(text) + "\n";
}

void warn_of_summary(const char* why) noexcept {
  std::cerr << "crivo: warning: the output is written, but its summary is not: " << why << '\n';
}

Json json_of(const std::vector<Parameter>& parameters) {
  Json json = Json::object();
  for (const Parameter& parameter : parameters) {
    std::visit([&](auto value) { json[parameter.name] = value; }, parameter.value);
  }
  return json;
}

void put_rows(Json& json, const std::vector<InfoRow>& rows) {
  for (const InfoRow& row : rows) {
    if (!row.name.empty())
      std::visit([&](const auto& value) { json[row.name] = value; }, row.value);
  }
}

std::string label_of(const Parameter& parameter) {
  std::string label = parameter.name;
  std::ranges::replace(label, '_', ' ');
  return label;
}

std::string text_of(const Parameter& parameter) {
  if (const bool* flag = std::get_if<bool>(&parameter.value)) return *flag ? "yes" : "no";
  if (const auto* number = std::get_if<std::uint64_t>(&parameter.value)) {
    return std::to_string(*number);
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.5g", std::get<double>(parameter.value));
  return text.data();
}

std::string hex(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

std::string percent(double fraction) {
  std::array<char, 32> text{};
  const double value = 100 * fraction;
  std::snprintf(text.data(), text.size(), value < 10 ? "%.2g %%" : "%.3g %%", value);
  return text.data();
}

std::string human_bytes(double bytes) {
  static constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  // Rounded up, so that what is said to be needed is enough where it is given as it was shown.
  if (unit != 0) bytes = std::ceil(100 * bytes - 1e-6) / 100;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.2f %s", bytes, kUnits[unit]);
  return text.data();
}

std::uint64_t peak_rss_bytes() {
  // (getrusage() counts what the process had that started this one.)
  std::ifstream status("/proc/self/status");
  for (std::string name; status >> name; std::getline(status, name)) {
    std::uint64_t kilobytes = 0;
    if (name == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  rusage usage{};  // where there is no /proc
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

bool has_choice(std::string_view kind, std::string_view name) {
  const std::span<const KindInfo> all = kinds();
  if (std::ranges::find(all, kind, &KindInfo::name) == all.end()) return false;
  const std::vector<Choice> rows = choices_of(kind);
  return std::ranges::find(rows, name, &Choice::name) != rows.end();
}

}  // namespace crivo::cli
