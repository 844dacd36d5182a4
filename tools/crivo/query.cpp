// SPDX-License-Identifier: Apache-2.0
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
#include "crivo/values.hpp"

namespace crivo::cli {
namespace {

struct QueryOptions {
  std::string path;
  std::vector<std::string> inputs;
  std::vector<std::string> keys;
  bool present = false;
  bool absent = false;
  OpenModeOption open;
  FormatOptions formats;
  ReportOptions reports;
  AnswerFormOption form;
};

/// Answers blocks of keys from whatever was opened.
class Answerer {
 public:
  /// An empty key is looked up where absent keys can be told; an mphf or map without signatures
  /// would give it some number, and so is asked for it only with `allow_empty`.
  Answerer(const Opened& opened, const std::string& path, bool allow_empty) : opened_(opened) {
    const auto* mphf = std::get_if<Mphf>(&opened);
    const auto* map = std::get_if<Map>(&opened);
    takes_empty_ = allow_empty || !((mphf != nullptr && mphf->signature_bits() == 0) ||
                                    (map != nullptr && map->signature_bits() == 0));
    if (const auto* store = std::get_if<Store>(&opened)) records_.emplace(*store, path);
  }

  void answer(std::span<const std::string_view> keys, AnswerWriter& out) {
    if (const auto* mphf = std::get_if<Mphf>(&opened_)) {
      ranks_.resize(keys.size());
      mphf->lookup(keys, ranks_);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        write(keys[i], ranks_[i] != Mphf::kAbsent, ranks_[i], out);
      }
    } else if (const auto* map = std::get_if<Map>(&opened_)) {
      for (std::size_t begin = 0; begin < keys.size(); begin += kBlock) {
        const auto block = keys.subspan(begin, std::min(kBlock, keys.size() - begin));
        std::array<std::uint64_t, kBlock> values;
        std::array<bool, kBlock> present;
        map->lookup(block, std::span(values).first(block.size()),
                    std::span(present).first(block.size()));
        for (std::size_t i = 0; i < block.size(); ++i) {
          write(block[i], present[i], values[i], out, map->value_form());
        }
      }
    } else if (const auto* filter = std::get_if<Filter>(&opened_)) {
      for (const std::string_view key : keys) {
        if (filter->contains(key)) {
          out.write_text(key, "maybe");
        } else {
          out.write_absent(key);
        }
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
      if (record != nullptr) {
        out.write_text(key, *record);
      } else {
        out.write_absent(key);
      }
    });
  }

 private:
  static constexpr std::size_t kBlock = 1024;

  void write(std::string_view key, bool found, std::uint64_t number, AnswerWriter& out,
             const ValueForm& form = {}) const {
    if (found && (takes_empty_ || !key.empty())) {
      out.write_number(key, number, form);
    } else {
      out.write_absent(key);
    }
  }

  const Opened& opened_;
  bool takes_empty_;
  std::optional<StoreAnswers> records_;
  std::vector<std::uint64_t> ranks_;
};

int query(QueryOptions& options) {
  const Opened opened = open_any(options.path, options.open.options());
  Answerer answerer(opened, options.path, options.formats.allow_empty);
  AnswerWriter out(options.form.form(options.reports),
                   options.present  ? Wanted::present
                   : options.absent ? Wanted::absent
                                    : Wanted::all,
                   options.formats);
  for (std::string& key : options.keys) key = options.formats.key_of_text(key);
  const std::vector<std::string_view> keys(options.keys.begin(), options.keys.end());
  answerer.answer(keys, out);
  if (options.inputs.empty() && options.keys.empty()) options.inputs.emplace_back("-");
  KeyFormat format = options.formats.format();
  format.allow_empty = true;  // an empty line is answered like any
  try {
    stream_keys(options.inputs, format, false, "query", options.reports,
                [&](const KeyBlock& block, bool last_for_now) {
                  answerer.answer(block.keys, out);
                  if (!last_for_now) return;
                  answerer.finish(out);
                  out.flush();
                });
  } catch (const Error&) {
    answerer.finish(out);  // the keys before the one that cannot be read are answered
    throw;
  }
  answerer.finish(out);
  out.flush();
  return 0;
}

}  // namespace

void add_query(CLI::App& app, Action& action) {
  auto options = std::make_shared<QueryOptions>();
  CLI::App* command = app.add_subcommand(
      "query",
      "look keys up: a line key<TAB>answer for each key\n\n"
      "The answer is the rank (mphf), the value (map), \"maybe\" (filter) or the record (store), "
      "and\n"
      "\"-\" for an absent key. An mphf or map without signatures gives any key some answer.\n"
      "Text cannot tell a record \"-\" from an absent key, or where a key with a TAB ends. These "
      "can:\n"
      "  --null-output  key NUL, then 1 and the answer, or 0 alone for an absent key, and NUL\n"
      "  --json         a line per key: {\"key\":...,\"found\":...,\"answer\":...}; bytes that are "
      "not\n"
      "                 UTF-8 are under key_hex, answer_hex\n"
      "An empty line is answered \"-\" unless the file holds the empty key (for an mphf or map "
      "without\n"
      "signatures, use --allow-empty).\n"
      "Example: crivo query urls.crv wanted.txt --absent\n"
      "         crivo query leaked.crv hashes.txt --hex --delimiter : --present");
  command->add_option("PATH", options->path, "an index file, or a store's directory")
      ->required()
      ->transform(mapped_path());
  command->add_option("KEYS", options->inputs, "files of keys; - or none is standard input");
  command->add_option("-k,--key", options->keys, "look up this key; may be given more than once")
      ->type_name("KEY")
      ->type_size(1)
      ->allow_extra_args(false);
  CLI::Option* present =
      command->add_flag("--present", options->present, "print only keys that are found");
  command->add_flag("--absent", options->absent, "print only keys that are absent")
      ->excludes(present);
  options->open.add_to(*command);
  options->formats.add_to(*command);
  options->reports.add_to(*command);
  option_named(*command, "--json")->description("a JSON object a line for each key");
  options->form.add_to(*command, "write key NUL, 1 and the answer (or 0 alone: absent), NUL");
  command->callback([options, &action] { action = [options] { return query(*options); }; });
}

}  // namespace crivo::cli
