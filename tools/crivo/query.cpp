#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "crivo/answers.hpp"
#include "crivo/command.hpp"
#include "crivo/common.hpp"
#include "crivo/error.hpp"
#include "crivo/opened.hpp"
#include "crivo/store_answers.hpp"

namespace crivo::cli {
namespace {

struct QueryOptions {
  std::string path;
  std::vector<std::string> inputs;
  std::vector<std::string> keys;
  FormatOptions formats;
  ReportOptions reports;
};

/// Answers blocks of keys from whatever was opened.
class Answerer {
 public:
  Answerer(const Opened& opened, const std::string& path) : opened_(opened) {
    if (const auto* store = std::get_if<Store>(&opened)) records_.emplace(*store, path);
  }

  void answer(std::span<const std::string_view> keys, AnswerWriter& out) {
    if (const auto* mphf = std::get_if<Mphf>(&opened_)) {
      ranks_.resize(keys.size());
      mphf->lookup(keys, ranks_);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (ranks_[i] == Mphf::kAbsent) {
          out.write(keys[i], nullptr, false);
        } else {
          out.write_number(keys[i], ranks_[i]);
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
            out.write_number(block[i], values[i]);
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
    } else if (records_) {
      records_->add(keys);
      if (records_->full()) finish(out);
    }
  }

  /// Answers what answer() has put off, since a store is quicker with many keys at once.
  void finish(AnswerWriter& out) {
    if (!records_) return;
    records_->answer([&](std::string_view key, const std::string_view* record) {
      out.write(key, record, true);
    });
  }

 private:
  static constexpr std::size_t kBlock = 1024;

  const Opened& opened_;
  std::optional<StoreAnswers> records_;
  std::vector<std::uint64_t> ranks_;
};

int query(QueryOptions& options) {
  const Opened opened = open_any(options.path);
  Answerer answerer(opened, options.path);
  AnswerWriter out(options.reports.json, options.formats.null ? '\0' : '\n');
  const std::vector<std::string_view> keys(options.keys.begin(), options.keys.end());
  answerer.answer(keys, out);
  if (options.inputs.empty() && options.keys.empty()) options.inputs.emplace_back("-");
  try {
    stream_keys(options.inputs, options.formats.format(), false, "query", options.reports,
                [&](const KeyBlock& block) {
                  answerer.answer(block.keys, out);
                  if (!block.last_for_now) return;
                  answerer.finish(out);
                  out.flush();
                });
  } catch (const Error&) {
    answerer.finish(out);  // the keys before the one that cannot be read are answered
    throw;
  }
  answerer.finish(out);
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
