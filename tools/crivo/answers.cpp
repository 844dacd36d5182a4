#include "crivo/answers.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "keys/hash_keys.hpp"

namespace crivo::cli {

void put_bytes(Json& row, const char* name, std::string_view bytes) {
  if (auto text = utf8_json(bytes)) {
    row[name] = std::move(*text);
  } else {
    row[std::string(name) + "_hex"] = hex(bytes);
  }
}

AnswerWriter::AnswerWriter(bool json, char terminator) : json_(json), terminator_(terminator) {
  if (json_) out_.write(R"({"schema":1,"answers":[)");
}

void AnswerWriter::write(std::string_view key, const std::string_view* answer, bool is_text) {
  ++keys_;
  if (answer == nullptr) ++absent_;
  if (!json_) {
    out_.write(key);
    out_.write("\t");
    out_.write(answer != nullptr ? *answer : "-");
    out_.write(std::string_view(&terminator_, 1));
    return;
  }
  Json row;
  put_bytes(row, "key", key);
  if (answer == nullptr) {
    row["answer"] = nullptr;
  } else if (is_text) {
    put_bytes(row, "answer", *answer);
  } else {
    row["answer"] = Json::parse(*answer);
  }
  if (keys_ != 1) out_.write(",");
  out_.write(row.dump());
}

void AnswerWriter::write_number(std::string_view key, std::uint64_t number) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
  write(key, &text, false);
}

void AnswerWriter::finish() {
  if (json_) {
    out_.write("],\"keys\":" + std::to_string(keys_) + ",\"absent\":" + std::to_string(absent_) +
               "}\n");
  }
  out_.flush();
}

void stream_keys(const std::vector<std::string>& paths, const KeyFormat& format, bool records,
                 const char* phase, const ReportOptions& reports,
                 const std::function<void(const KeyBlock&)>& visit) {
  const keys::UnitFraming framing =
      records ? keys::UnitFraming::of_records(format) : keys::UnitFraming::of_keys(format);
  keys::ChunkReader reader(paths, framing, {.in_order = true, .eager = true});
  Progress progress;
  const ProgressLine line(progress, reports);
  const auto bytes = keys::regular_input_bytes(paths);
  progress.begin(phase, bytes.value_or(0), Progress::Unit::bytes);
  KeyBlock block;
  block.last_for_now = !bytes;
  keys::for_each_chunk(
      reader, paths, framing, {1, progress}, [&](unsigned, const keys::Chunk& chunk) {
        block.keys.clear();
        block.units.clear();
        if (records) {
          keys::for_each_record(
              chunk, format,
              [&](std::string_view key, std::string_view record, std::uint64_t, std::size_t) {
                block.keys.push_back(key);
                // The record stands behind the key and one delimiter.
                block.units.emplace_back(key.data(), key.size() + 1 + record.size());
              });
        } else {
          keys::for_each_key(chunk, format, [&](std::string_view key, std::uint64_t, std::size_t) {
            block.keys.push_back(key);
          });
          block.units = block.keys;
        }
        visit(block);
      });
}

}  // namespace crivo::cli
