// SPDX-License-Identifier: Apache-2.0
#include "crivo/answers.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "crivo/error.hpp"
#include "crivo/progress_line.hpp"
#include "crivo/text.hpp"

namespace crivo::cli {

void put_bytes(Json& row, const char* name, std::string_view bytes) {
  if (is_utf8(bytes)) {
    row[name] = bytes;
  } else {
    row[std::string(name) + "_hex"] = hex(bytes);
  }
}

Json answer_row(std::string_view key, bool found) {
  Json row;
  put_bytes(row, "key", key);
  row["found"] = found;
  return row;
}

void AnswerFormOption::add_to(CLI::App& command, const std::string& help) {
  command.add_flag("--null-output", null_output, help)->excludes(option_named(command, "--json"));
}

AnswerForm AnswerFormOption::form(const ReportOptions& reports) const {
  return reports.json ? AnswerForm::json : null_output ? AnswerForm::null : AnswerForm::text;
}

void write_null_answer(Output& out, std::string_view key, const std::string_view* answer) {
  constexpr std::string_view kNull("\0", 1);
  out.write(key);
  out.write(kNull);
  out.write(answer != nullptr ? "1" : "0");
  if (answer != nullptr) out.write(*answer);
  out.write(kNull);
}

void AnswerWriter::write_text(std::string_view key, std::string_view answer) {
  if (wanted_ == Wanted::absent) return;
  if (form_ != AnswerForm::json) {
    write_plain(key, &answer);
    return;
  }
  Json row = answer_row(formats_.text_of_key(key), true);
  put_bytes(row, "answer", answer);
  out_.write(row.dump() + "\n");
}

void AnswerWriter::write_number(std::string_view key, std::uint64_t number, const ValueForm& form) {
  if (wanted_ == Wanted::absent) return;
  if (form.type != ValueType::unsigned_integer && form_ != AnswerForm::json) {
    const std::string text = value_text(number, form);
    const std::string_view answer = text;
    write_plain(key, &answer);
    return;
  }
  if (form_ != AnswerForm::json) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    const std::string_view answer(digits.data(), static_cast<std::size_t>(end - digits.data()));
    write_plain(key, &answer);
    return;
  }
  Json row = answer_row(formats_.text_of_key(key), true);
  switch (form.type) {
    case ValueType::unsigned_integer:
      row["answer"] = number;
      break;
    case ValueType::signed_integer:
      row["answer"] = static_cast<std::int64_t>(number);
      break;
    case ValueType::decimal:
      row["answer"] = value_text(number, form);
      break;
  }
  out_.write(row.dump() + "\n");
}

void AnswerWriter::write_absent(std::string_view key) {
  if (wanted_ == Wanted::present) return;
  if (form_ != AnswerForm::json) {
    write_plain(key, nullptr);
    return;
  }
  Json row = answer_row(formats_.text_of_key(key), false);
  row["answer"] = nullptr;
  out_.write(row.dump() + "\n");
}

void AnswerWriter::write_plain(std::string_view key, const std::string_view* answer) {
  if (formats_.hex) {
    write_as_input(formats_.text_of_key(key), answer);
  } else {
    write_as_input(key, answer);
  }
}

void AnswerWriter::write_as_input(std::string_view key, const std::string_view* answer) {
  if (form_ == AnswerForm::null) {
    write_null_answer(out_, key, answer);
    return;
  }
  out_.write(key);
  out_.write("\t");
  out_.write(answer != nullptr ? *answer : "-");
  out_.write("\n");
}

void stream_keys(const std::vector<std::string>& paths, const KeyFormat& format, bool records,
                 const char* phase, const ReportOptions& reports,
                 const std::function<void(const KeyBlock&, bool last_for_now)>& visit) {
  if (paths.empty()) return;  // the command line names all keys
  Progress progress;
  const ProgressLine line(progress, reports, paths, Beside::answers);
  const auto bytes = input_bytes(paths);
  progress.begin(phase, bytes.value_or(0), Progress::Unit::bytes);
  const auto read = records ? read_records : read_keys;
  read({paths, format}, progress, [&](const KeyBlock& block) { visit(block, !bytes); });
}

}  // namespace crivo::cli
