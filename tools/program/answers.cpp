// SPDX-License-Identifier: Apache-2.0
#include "program/answers.hpp"

#include <string>
#include <utility>

#include "crivo/error.hpp"
#include "program/progress_line.hpp"

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

void AnswerWriter::write(std::string_view key, const Answer& answer,
                         std::span<const NamedText> columns) {
  if (wanted_ == (answer.found ? Wanted::absent : Wanted::present)) return;
  if (form_ == AnswerForm::json) {
    write_json(key, answer, columns);
  } else if (formats_.hex) {
    write_plain(formats_.text_of_key(key), answer);
  } else {
    write_plain(key, answer);
  }
}

void AnswerWriter::write_found(std::string_view key, const Answer& answer) {
  if (form_ != AnswerForm::text || !answer.is_number) {
    write(key, answer);
    return;
  }
  out_.write(answer.text);
  write_value(answer);
  out_.write("\t");
  out_.write(formats_.hex ? formats_.text_of_key(key) : key);
  out_.write("\n");
}

void AnswerWriter::write_value(const Answer& answer) {
  if (answer.value.empty()) return;
  out_.write("\t");
  out_.write(answer.value);
}

void AnswerWriter::write_json(std::string_view key, const Answer& answer,
                              std::span<const NamedText> columns) {
  Json row = answer_row(formats_.text_of_key(key), answer.found);
  if (!answer.found && answer.text.empty()) {
    row["answer"] = nullptr;
  } else if (answer.is_number) {
    row["answer"] = Json::integer(answer.text);
  } else {
    put_bytes(row, "answer", answer.text);
  }
  if (answer.value.find('.') != answer.value.npos) {
    put_bytes(row, "value", answer.value);
  } else if (!answer.value.empty()) {
    row["value"] = Json::integer(answer.value);
  }
  if (answer.found) {
    for (const NamedText& one : columns) put_bytes(row, one.name, formats_.text_of_key(one.text));
  }
  out_.write(row.dump() + "\n");
}

void AnswerWriter::write_plain(std::string_view key, const Answer& answer) {
  if (form_ == AnswerForm::null) {
    std::string joined;
    std::string_view text = answer.text;
    if (!answer.value.empty()) text = joined.append(text).append("\t").append(answer.value);
    write_null_answer(out_, key, answer.found ? &text : nullptr);
    return;
  }
  out_.write(key);
  out_.write("\t");
  out_.write(answer.found || !answer.text.empty() ? answer.text : "-");
  write_value(answer);
  out_.write("\n");
}

void Answerer::answer(std::span<const std::string_view> keys) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  if (keys_at_once_ <= 1) {
    ask_(keys);
    return;
  }
  for (const std::string_view key : keys) {
    texts_ += key;
    ends_.push_back(texts_.size());
  }
  if (ends_.size() >= keys_at_once_ || texts_.size() >= kMostBytes) finish();
}

void Answerer::finish() {
  const std::string texts = std::exchange(texts_, {});
  std::vector<std::string_view> keys;
  keys.reserve(ends_.size());
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    keys.push_back(std::string_view(texts).substr(begin, end - begin));
    begin = end;
  }
  ends_.clear();
  ask_(keys);
}

void stream_keys(const std::vector<std::string>& paths, const KeyFormat& format, bool records,
                 const char* phase, const ReportOptions& reports,
                 const std::function<void(const KeyBlock&, bool last_for_now)>& visit) {
  if (paths.empty()) return;  // the command line names all keys
  Progress progress;
  const ProgressLine line(progress, reports, paths, Meanwhile::answers);
  const auto bytes = input_bytes(paths);
  progress.begin(phase, bytes.value_or(0), Progress::Unit::bytes);
  const auto read = records ? read_records : read_keys;
  read({paths, format}, progress, [&](const KeyBlock& block) { visit(block, !bytes); });
}

}  // namespace crivo::cli
