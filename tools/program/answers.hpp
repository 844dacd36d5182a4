// SPDX-License-Identifier: Apache-2.0
/// Keys read from files block by block, and answers to them as `query` and its like print them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crivo/build/keys.hpp"
#include "crivo/index.hpp"
#include "program/common.hpp"

namespace crivo::cli {

/// bytes as the field `name` of a JSON object; what is not UTF-8 goes under NAME_hex.
void put_bytes(Json& row, const char* name, std::string_view bytes);

/// Returns the beginning of an answer to `key`, as a JSON object: the key, and whether it was
/// found.
Json answer_row(std::string_view key, bool found);

/// How answers are printed.
enum class AnswerForm {
  text,  ///< key TAB answer (TAB its value) LF, "-" where the key is absent: a record "-" looks the
         ///< same
  null,  ///< key NUL, then 1 and the answer or 0 alone, and NUL
  json,  ///< a line an answer: {"key":...,"found":...,"answer":...}
};

/// --null-output: what is written, whatever ends the keys that are read.
struct AnswerFormOption {
  /// Call it after ReportOptions::add_to(): it goes with no --json. `help` says what is written.
  void add_to(CLI::App& command, const std::string& help);
  AnswerForm form(const ReportOptions& reports) const;

  bool null_output = false;
};

/// An answer of AnswerForm::null on `out`: `key` NUL, then 1 and the answer, or 0 alone where there
/// is none, and NUL.
void write_null_answer(Output& out, std::string_view key, const std::string_view* answer);

/// A field of a JSON object.
struct NamedText {
  const char* name;
  std::string_view text;
};

/// Which answers are printed.
enum class Wanted { all, present, absent };

/// Writes answers on standard output, in one of the forms.
class AnswerWriter {
 public:
  AnswerWriter(AnswerForm form, Wanted wanted, const FormatOptions& formats)
      : form_(form), wanted_(wanted), formats_(formats) {}

  /// Writes what an index answers to a key. JSON has the `columns`, too, of a key that is found.
  void write(std::string_view key, const Answer& answer, std::span<const NamedText> columns = {});
  /// Writes what it answers to a key that a query found: the answer comes first, as keys may be
  /// long.
  void write_found(std::string_view key, const Answer& answer);
  /// Hands everything on; call it last, too.
  void flush() { out_.flush(); }

 private:
  void write_json(std::string_view key, const Answer& answer, std::span<const NamedText> columns);
  /// Writes a key as it is written in the input, in the other forms.
  void write_plain(std::string_view key, const Answer& answer);
  /// Writes the value beside the answer, if there is one.
  void write_value(const Answer& answer);

  AnswerForm form_;
  Wanted wanted_;
  const FormatOptions& formats_;  ///< keys are written as they stand in the input
  Output out_;
};

/// Asks an index for keys block by block; one that is quicker with many at once is asked for many,
/// which are copied until there are so many.
class Answerer {
 public:
  using Ask = std::function<void(std::span<const std::string_view> keys)>;
  /// `ask` asks an index for keys, so many at once, and gets all in their order.
  Answerer(std::size_t keys_at_once, Ask ask) : keys_at_once_(keys_at_once), ask_(std::move(ask)) {}
  /// `visit` gets each answer, in the order of the keys.
  Answerer(OpenIndex& index, OpenIndex::Visit visit)
      : Answerer(index.keys_at_once(),
                 [&index, visit = std::move(visit)](std::span<const std::string_view> keys) {
                   index.answer(keys, visit);
                 }) {}

  /// Throws what the index does, and `visit`.
  void answer(std::span<const std::string_view> keys);
  /// Answers what answer() has put off. Throws as it does.
  void finish();

 private:
  std::size_t keys_at_once_;
  Ask ask_;
  std::string texts_;              ///< of keys that are put off
  std::vector<std::size_t> ends_;  ///< theirs
};

/// Reads the keys of files, or of records with `records`, on one thread with a progress line called
/// `phase`. What stands before a fault of the input is visited before the fault is thrown.
/// `last_for_now`: whoever feeds a pipe may wait for the answers so far.
void stream_keys(const std::vector<std::string>& paths, const KeyFormat& format, bool records,
                 const char* phase, const ReportOptions& reports,
                 const std::function<void(const KeyBlock&, bool last_for_now)>& visit);

}  // namespace crivo::cli
