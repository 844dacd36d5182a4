#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string>
#include <vector>

#include "crivo/command.hpp"
#include "crivo/common.hpp"
#include "crivo/error.hpp"
#include "crivo/opened.hpp"
#include "keys/hash_keys.hpp"
#include "util/quote.hpp"

namespace crivo::cli {
namespace {

struct QueryOptions {
  std::string path;
  std::vector<std::string> inputs;
  std::vector<std::string> keys;
  FormatOptions formats;
  ReportOptions reports;
};

/// Writes a line per key, or the parts of one JSON object.
class AnswerWriter {
 public:
  AnswerWriter(bool json, char terminator) : json_(json), terminator_(terminator) {
    if (json_) out_.write(R"({"schema":1,"answers":[)");
  }

  /// `answer` is absent where it is a null pointer. `is_text` tells a record from a number.
  void write(std::string_view key, const std::string_view* answer, bool is_text) {
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
    put(row, "key", key);
    if (answer == nullptr) {
      row["answer"] = nullptr;
    } else if (is_text) {
      put(row, "answer", *answer);
    } else {
      row["answer"] = Json::parse(*answer);
    }
    if (keys_ != 1) out_.write(",");
    out_.write(row.dump());
  }

  void flush() { out_.flush(); }

  void finish() {
    if (json_) {
      out_.write("],\"keys\":" + std::to_string(keys_) + ",\"absent\":" + std::to_string(absent_) +
                 "}\n");
    }
    out_.flush();
  }

 private:
  /// JSON text is Unicode: other bytes go under NAME_hex.
  static void put(Json& row, const char* name, std::string_view bytes) {
    if (auto text = utf8_json(bytes)) {
      row[name] = std::move(*text);
    } else {
      row[std::string(name) + "_hex"] = hex(bytes);
    }
  }

  bool json_;
  char terminator_;
  Output out_;
  std::uint64_t keys_ = 0;
  std::uint64_t absent_ = 0;
};

/// Answers blocks of keys from whatever was opened.
class Answerer {
 public:
  Answerer(const Opened& opened, const std::string& path) : opened_(opened), path_(path) {
    if (const auto* store = std::get_if<Store>(&opened)) reader_.emplace(*store);
  }

  void answer(std::span<const std::string_view> keys, AnswerWriter& out) {
    if (const auto* mphf = std::get_if<Mphf>(&opened_)) {
      ranks_.resize(keys.size());
      mphf->lookup(keys, ranks_);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (ranks_[i] == Mphf::kAbsent) {
          out.write(keys[i], nullptr, false);
        } else {
          write_number(keys[i], ranks_[i], out);
        }
      }
    } else if (const auto* map = std::get_if<Map>(&opened_)) {
      for (std::size_t begin = 0; begin < keys.size(); begin += kBlock) {
        const auto block = keys.subspan(begin, std::min(kBlock, keys.size() - begin));
        std::array<std::uint64_t, kBlock> values;
        std::array<bool, kBlock> present;
        map->lookup(block, values, present);
        for (std::size_t i = 0; i < block.size(); ++i) {
          if (present[i]) {
            write_number(block[i], values[i], out);
          } else {
            out.write(block[i], nullptr, false);
          }
        }
      }
    } else if (const auto* filter = std::get_if<Filter>(&opened_)) {
      for (const std::string_view key : keys) {
        static constexpr std::string_view kMaybe = "maybe";
        out.write(key, filter->contains(key) ? &kMaybe : nullptr, true);
      }
    } else if (reader_) {
      for (const std::string_view key : keys) {
        const Store::Answer answer = reader_->find(key);
        if (answer.status == Store::Status::damaged) {
          throw Error(ErrorKind::corrupt, path_ + ": damaged: the record of " + util::quote(key) +
                                              " has not its checksum");
        }
        out.write(key, answer.status == Store::Status::found ? &answer.record : nullptr, true);
      }
    }
  }

 private:
  static constexpr std::size_t kBlock = 1024;

  static void write_number(std::string_view key, std::uint64_t number, AnswerWriter& out) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
    out.write(key, &text, false);
  }

  const Opened& opened_;
  const std::string& path_;
  std::optional<Store::Reader> reader_;
  std::vector<std::uint64_t> ranks_;
};

int query(QueryOptions& options) {
  const Opened opened = open_any(options.path);
  Answerer answerer(opened, options.path);
  AnswerWriter out(options.reports.json, options.formats.null ? '\0' : '\n');
  std::vector<std::string_view> keys(options.keys.begin(), options.keys.end());
  answerer.answer(keys, out);
  if (options.inputs.empty() && options.keys.empty()) options.inputs.emplace_back("-");

  const KeyFormat format = options.formats.format();
  const keys::UnitFraming framing = keys::UnitFraming::of_keys(format);
  keys::ChunkReader reader(options.inputs, framing, {.in_order = true, .eager = true});
  Progress progress;
  const ProgressLine line(progress, options.reports);
  const auto bytes = keys::regular_input_bytes(options.inputs);
  progress.begin("query", bytes.value_or(0), Progress::Unit::bytes);
  keys::for_each_chunk(
      reader, options.inputs, framing, {1, progress}, [&](unsigned, const keys::Chunk& chunk) {
        keys.clear();
        keys::for_each_key(chunk, format, [&](std::string_view key, std::uint64_t, std::size_t) {
          keys.push_back(key);
        });
        answerer.answer(keys, out);
        if (!bytes) out.flush();  // whoever feeds a pipe may wait for the answers
      });
  out.finish();
  return 0;
}

}  // namespace

void add_query(CLI::App& app, Action& action) {
  auto options = std::make_shared<QueryOptions>();
  CLI::App* command =
      app.add_subcommand("query",
                         "look keys up: a line per key on standard output, key<TAB>answer\n\n"
                         "The answer is the rank (mphf), \"maybe\" (filter), the value (map), the "
                         "record (store), or \"-\" for an absent key.\n"
                         "Example: crivo query urls.crv wanted.txt | awk -F'\\t' '$2 == \"-\"'");
  command->add_option("PATH", options->path, "an index file, or a store's directory")->required();
  command->add_option("KEYS", options->inputs, "files of keys; - or none is standard input");
  command->add_option("-k,--key", options->keys, "look up this key")
      ->type_name("KEY")
      ->type_size(1)
      ->allow_extra_args(false);
  options->formats.add_to(*command);
  options->reports.add_to(*command);
  command->callback([options, &action] { action = [options] { return query(*options); }; });
}

}  // namespace crivo::cli
