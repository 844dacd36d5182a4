// SPDX-License-Identifier: Apache-2.0
/// Options and output that several subcommands share.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"
#include "crivo/inspect.hpp"
#include "program/json.hpp"

namespace crivo::cli {

/// The option that a command has under this name. (CLI11's own get_option() ends the program where
/// it finds no memory.)
CLI::Option* option_named(CLI::App& command, const std::string& name);

/// How keys are written in the input: --null, --fixed, --crlf, --allow-empty, --column,
/// --delimiter, --csv, --header, --hex, --json-key, --json-value, --json-row; and how long they
/// may be: --max-key, --max-line.
struct FormatOptions {
  void add_to(CLI::App& command, bool with_fixed = true, bool fixed_is_kept = false);
  KeyFormat format() const;
  /// A key as it would be written in the input: in hexadecimal where keys are.
  std::string text_of_key(std::string_view key) const;
  /// The key that stands in an argument of the command line. Throws Error(usage): no hexadecimal.
  std::string key_of_text(const std::string& text) const;

  bool null = false;
  std::uint32_t fixed = 0;
  bool crlf = false;
  bool binary_lines = false;
  bool allow_empty = false;
  std::vector<std::string> columns;
  std::string delimiter;
  bool csv = false;
  bool header = false;
  bool hex = false;
  std::vector<std::string> json_keys;
  std::string json_value;
  std::string json_row;
  std::uint64_t max_key = kMaxKeyBytes;
  std::uint64_t max_line = kMaxLineBytes;
};

/// --json, --quiet, --progress.
struct ReportOptions {
  void add_to(CLI::App& command);

  bool json = false;
  bool quiet = false;
  std::string progress = "auto";
};

/// --force.
void add_force(CLI::App& command, bool& replace);

/// Buffered standard output that fails loudly: Error(io) when it cannot be written.
class Output {
 public:
  ~Output();
  void write(std::string_view text);
  /// Hands everything on; call it last, since a destructor cannot tell of a failure.
  void flush();

 private:
  static void hand_on(std::string_view text);

  std::string buffer_;
};

/// Writes `object` on one line of standard output.
void print_json(const Json& object);

/// Writes a line on standard error, where a command says what it did: of what was asked for
/// standard output has all, and nothing else.
void print_line(const std::string& text);

/// "1 key", "2 keys".
std::string counted(std::uint64_t count, const std::string& noun);

/// "crivo: warning: TEXT" on standard error, as one line whatever the text holds.
void print_warning(const Warning& warning);

/// That an output was written whose summary was not. Takes no memory.
void warn_of_summary(const char* why) noexcept;

/// Ends a command whose output has been published: prints the warnings (unless quiet), then calls
/// `print` for the summary, and returns exit code 0. That the summary cannot be printed is no more
/// than a warning: a caller who sees a failure would do again what is done.
template <typename Print>
int report_published(const std::vector<Warning>& warnings, bool quiet, Print&& print) noexcept {
  try {
    if (!quiet) std::ranges::for_each(warnings, print_warning);
    print();
  } catch (const std::bad_alloc&) {
    warn_of_summary("out of memory");
  } catch (const std::exception& error) {
    warn_of_summary(error.what());
  }
  return 0;
}

/// Writes the rows of a file's kind as fields.
void put_rows(Json& json, const std::vector<InfoRow>& rows);
/// Parameters as one object, and for people: the name in words, and the value.
Json json_of(const std::vector<Parameter>& parameters);
std::string label_of(const Parameter& parameter);
std::string text_of(const Parameter& parameter);

/// Bytes in lower-case hexadecimal.
std::string hex(std::string_view bytes);

/// A fraction as "0.39 %", for people.
std::string percent(double fraction);

/// "12.30 MiB"-style, for people, in the units of parse_size(), rounded up.
std::string human_bytes(double bytes);

/// The most memory the process has had resident, in bytes.
std::uint64_t peak_rss_bytes();

/// Whether builds of the kind have the choice. False for what is no kind of index.
bool has_choice(std::string_view kind, std::string_view name);

}  // namespace crivo::cli
