// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crivo/build/key_form.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/build/kinds.hpp"
#include "crivo/detail/key_bytes.hpp"
#include "crivo/error.hpp"
#include "crivo/filter_set.hpp"
#include "crivo/index.hpp"
#include "crivo/inspect.hpp"
#include "crivo/progress.hpp"
#include "crivo/rows.hpp"
#include "crivo/suffixes.hpp"
#include "program/answers.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/first_found.hpp"
#include "program/input_paths.hpp"
#include "program/open_mode.hpp"
#include "program/open_path.hpp"
#include "program/option_groups.hpp"
#include "program/remote_index.hpp"
#include "program/rows_query.hpp"
#include "program/trust_options.hpp"
#include "program/values.hpp"

namespace crivo::cli {
namespace {

struct QueryOptions {
  std::string path;
  std::vector<std::string> inputs;
  std::vector<std::string> keys;
  struct Query {
    QueryInfo info;
    std::vector<std::string> values;
  };
  std::vector<Query> queries;
  std::string rules;                 ///< "psl": keys are rules, of which one is for a host
  std::string suffixes;              ///< the delimiter of labels whose borders are asked at
  std::uint64_t limit = UINT64_MAX;  ///< of the answers to queries, or of a key's
  bool all = false;                  ///< groups of a filter set that may hold all keys
  std::string threshold;             ///< or so many, or such a share of them
  bool present = false;
  bool absent = false;
  bool hashed = false;  ///< keys are found by their hashes alone
  bool raw = false;     ///< what is asked for is a key as it is
  bool sql = false;     ///< the statement that fetches the rows is the answer
  RowFileOptions row_files;
  OpenModeOption open;
  TrustOptions trust;
  RemoteAccess remote;
  FormatOptions formats;
  ReportOptions reports;
  AnswerFormOption form;
};

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Calls use(values) with the values of a query, those that stand in files block by block.
template <typename Use>
void for_each_value(const QueryOptions::Query& query, const Use& use) {
  if (!query.info.of_numbers) return use(query.values);
  for (const std::string& value : query.values) {
    if (is_number(value)) {
      use(std::vector<std::string>{value});
      continue;
    }
    Progress progress;
    read_keys({.paths = {value}, .format = {}}, progress, [&](const KeyBlock& block) {
      use(std::vector<std::string>(block.keys.begin(), block.keys.end()));
    });
  }
}

/// The first answers to a query, as many as are asked for.
void query_some(OpenIndex& index, const QueryOptions::Query& query, const QueryOptions& options,
                AnswerWriter& out) {
  first_found(
      options.limit,
      [&](std::string_view key, const Answer& answer) { out.write_found(key, answer); },
      [&](const OpenIndex::Visit& visit) {
        for_each_value(query, [&](const std::vector<std::string>& values) {
          index.query(query.info.name, values, visit);
        });
      });
}

std::shared_ptr<OpenIndex> open_index(const QueryOptions& options) {
  auto index = open_if_url(options.path, options.open, options.trust, options.remote);
  if (index != nullptr) return index;
  return open_path(options.path, options.trust.in(options.open.options()));
}

/// Makes keys of what is asked for, as those of the file were made.
class KeyMaker {
 public:
  /// As the metadata of the file says; nothing of what is asked for raw. Throws Error(usage) where
  /// an index of rows is asked for numbers as bytes, and has texts, or for other bytes than these.
  KeyMaker(const FileInfo& info, const QueryOptions& options) {
    const unsigned fixed = options.formats.fixed;
    has_numbers_ = info.metadata.contains(kFixedName);
    const bool is_rows = info.kind == "rows" || (info.kind == "chain" && info.algorithm == "rows");
    if (is_rows && fixed != 0 && fixed != (has_numbers_ ? 8 : 0))
      throw Error(ErrorKind::usage,
                  options.path + (has_numbers_
                                      ? ": its keys are 64-bit numbers; ask for them in digits, or "
                                        "as bytes with --fixed 8"
                                      : ": its keys are texts; ask for them without --fixed"));
    if (options.raw) return;
    makes_numbers_ = has_numbers_ && fixed == 0 && !options.formats.hex;
    form_ = keys::recorded_form(info.metadata);
    delimiter_ = recorded_prefixes(info.metadata);
  }

  /// The keys of some texts, until the next call. Each text is kept until it is taken().
  std::span<const std::string_view> make(std::span<const std::string_view> texts) {
    if (has_numbers_ && !makes_numbers_) check_widths(texts);
    if (!makes()) return texts;
    made_.clear();
    keys_.clear();
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string_view text = texts[i];
      asked_.emplace_back(text);
      made_.push_back(makes_numbers_ ? number_of(text, i + 1)
                      : form_        ? keys::key_of(*form_, text)
                                     : std::string(text));
      if (delimiter_) made_.back().resize(without_delimiter(made_.back(), *delimiter_).size());
    }
    keys_.assign(made_.begin(), made_.end());
    return keys_;
  }

  /// The text that the next key was made of.
  std::string take() {
    std::string text = std::move(asked_.front());
    asked_.pop_front();
    return text;
  }
  bool makes() const noexcept { return makes_numbers_ || form_ || delimiter_; }

 private:
  [[noreturn]] static void refuse_number(std::string_view text, std::size_t line,
                                         const char* form) {
    throw Error(ErrorKind::bad_input,
                quote(text) + " is not a 64-bit number, as the keys of this index are" + form,
                {.line = line});
  }
  /// The 8 bytes of the number in digits. Throws Error(bad_input) for what is none.
  static std::string number_of(std::string_view text, std::size_t line) {
    const std::optional<std::uint64_t> number = keys::number(text);
    if (!number) refuse_number(text, line, "");
    return std::string(detail::KeyBytes(*number).view());
  }
  static void check_widths(std::span<const std::string_view> texts) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i].size() != sizeof(std::uint64_t)) refuse_number(texts[i], i + 1, ", in 8 bytes");
    }
  }

  bool has_numbers_ = false;    ///< the keys are numbers
  bool makes_numbers_ = false;  ///< of texts
  std::optional<keys::KeyForm> form_;
  std::optional<char> delimiter_;  ///< of prefixes, which the filter has beside its keys
  std::deque<std::string> asked_;
  std::vector<std::string> made_;
  std::vector<std::string_view> keys_;
};

/// The questions to an index that answers ranges: texts that are a key, or the first, a TAB and the
/// last of a range.
class RangeTexts {
 public:
  explicit RangeTexts(const FormatOptions& formats) : formats_(formats) {}

  /// Calls ask() with the ranges of some texts; a key is one of itself. Throws Error(bad_input) at
  /// a text that is none, after those before, with its index and 1 as line.
  template <typename Ask>
  void ask_all(std::span<const std::string_view> texts, Ask&& ask) {
    ends_.clear();
    ranges_.clear();
    try {
      for (const std::string_view text : texts) add(text);
    } catch (const Error& error) {
      ask(std::span<const AskedRange>(ranges_));
      throw Error(ErrorKind::bad_input, error.what(), {.line = ranges_.size() + 1});
    }
    ask(std::span<const AskedRange>(ranges_));
  }

 private:
  void add(std::string_view text) {
    const std::size_t tab = std::min(text.find('\t'), text.size());
    ends_.push_back(formats_.key_of_text(std::string(text.substr(0, tab))));
    const std::string_view low = ends_.back();
    if (tab != text.size())
      ends_.push_back(formats_.key_of_text(std::string(text.substr(tab + 1))));
    ranges_.push_back({text, low, ends_.back()});
  }

  const FormatOptions& formats_;
  std::deque<std::string> ends_;
  std::vector<AskedRange> ranges_;
};

/// Asks for keys in the way that the options say, and writes the answers.
class KeyQuery {
 public:
  KeyQuery(OpenIndex& index, const QueryOptions& options, bool asks_ranges, KeyMaker& maker,
           AnswerWriter& out)
      : index_(index),
        options_(options),
        asks_ranges_(asks_ranges),
        takes_empty_(options.formats.allow_empty || (index.tells_absent() && !asks_ranges)),
        maker_(maker),
        ranges_(options.formats),
        out_(out) {}

  void ask(std::span<const std::string_view> keys) {
    const auto write = [this](std::string_view key, const Answer& answer) {
      this->write(key, answer);
    };
    if (asks_ranges_) {
      return ranges_.ask_all(
          keys, [&](std::span<const AskedRange> ranges) { index_.answer_ranges(ranges, write); });
    }
    if (!options_.rules.empty()) return ask_rules(keys);
    if (!options_.suffixes.empty()) return ask_suffixes(keys);
    if (options_.hashed) return index_.answer_hashed(keys, write);
    index_.answer(keys, write);
  }

 private:
  void ask_rules(std::span<const std::string_view> hosts) {
    answer_public_suffixes(
        index_, hosts,
        [this](std::string_view host, const PublicSuffix& found, const Answer& answer) {
          const std::array<NamedText, 3> columns{
              {{"rule", found.rule}, {"suffix", found.suffix}, {"domain", found.domain}}};
          write(host, answer, columns);
        });
  }
  void ask_suffixes(std::span<const std::string_view> keys) {
    index_.answer_suffixes(
        keys, options_.suffixes.front(),
        [this](std::string_view key, std::string_view suffix, const Answer& answer) {
          const NamedText column{"suffix", suffix};
          write(key, answer, {&column, 1});
        });
  }
  void write(std::string_view key, const Answer& answer, std::span<const NamedText> columns = {}) {
    const Answer& said = takes_empty_ || !key.empty() ? answer : Answer{};
    answers_ = answer.is_further ? answers_ + 1 : 1;
    if (answer.is_further && answers_ > options_.limit) return;
    if (maker_.makes()) {
      if (!answer.is_further) made_of_ = maker_.take();
      return out_.write(made_of_, said, columns);
    }
    out_.write(key, said, columns);
  }

  OpenIndex& index_;
  const QueryOptions& options_;
  bool asks_ranges_;
  /// An empty key is looked up where absent keys can be told; others would give it some number, and
  /// so are asked for it only with --allow-empty.
  bool takes_empty_;
  KeyMaker& maker_;
  std::string made_of_;  ///< the text of the last key, where keys are made of texts
  RangeTexts ranges_;
  AnswerWriter& out_;
  std::uint64_t answers_ = 0;  ///< of the last key
};

AnswerWriter answer_writer(const QueryOptions& options, const FormatOptions& formats) {
  return {options.form.form(options.reports),
          options.present  ? Wanted::present
          : options.absent ? Wanted::absent
                           : Wanted::all,
          formats};
}

/// Answers by the rows of keys in more ways than an index does, or with the statement that fetches
/// them.
int query_rows(QueryOptions& options) {
  if (is_url(options.path))
    throw Error(ErrorKind::usage, "--sql, --check-files and --rename need a file, not a URL");
  const Rows rows = Rows::open(options.path, options.trust.in(options.open.options()));
  RowFileNames names(rows, options.row_files);
  RowsSql sql;
  AnswerWriter out = answer_writer(options, options.formats);
  KeyMaker maker(rows.info(), options);
  const auto ask_one = [&](std::string_view text, std::string_view key) {
    bool is_further = false;
    const bool found = for_each_row(rows, key, [&](const Rows::Row& row) {
      const std::string name = names.name_of(row);
      if (options.sql) return sql.add(name, row.row);
      const std::string row_text = name + (row.group ? '\t' + std::to_string(*row.group) : "") +
                                   '\t' + std::to_string(row.row);
      out.write(text, {.found = true, .is_further = is_further, .text = row_text});
      is_further = true;
    });
    if (!found && !options.sql) out.write(text, {});
  };
  const auto ask = [&](std::span<const std::string_view> texts) {
    const auto keys = maker.make(texts);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::string text = maker.makes() ? maker.take() : std::string(texts[i]);
      ask_one(text, keys[i]);
    }
  };
  for (std::string& key : options.keys) key = options.formats.key_of_text(key);
  ask(std::vector<std::string_view>(options.keys.begin(), options.keys.end()));
  if (options.inputs.empty() && options.keys.empty()) options.inputs.emplace_back("-");
  KeyFormat format = options.formats.format();
  format.allow_empty = true;
  stream_keys(options.inputs, format, false, "query", options.reports,
              [&](const KeyBlock& block, bool last_for_now) {
                ask(block.keys);
                if (last_for_now) out.flush();
              });
  out.flush();
  if (options.sql) {
    Output statement;
    statement.write(sql.statement());
    statement.flush();
  }
  return 0;
}

/// How many of so many keys are asked for. Throws Error(usage) for what is neither a count nor a
/// share.
std::uint64_t threshold_of(const QueryOptions& options, std::uint64_t keys) {
  if (options.all) return keys;
  const bool is_share = options.threshold.find_first_of(".%/") != std::string::npos;
  if (!is_share) return parse_count(options.threshold);
  const double share = parse_rate(options.threshold);
  return static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(keys) - 1e-9));
}

/// Answers with the groups of a filter set that may hold all keys, or many: a line for each, with
/// how many those are.
int query_groups(QueryOptions& options) {
  if (is_url(options.path))
    throw Error(ErrorKind::usage, "--all and --threshold need a file, not a URL");
  (void)threshold_of(options, 0);
  const FilterSet set = FilterSet::open(options.path, options.trust.in(options.open.options()));
  std::vector<std::uint32_t> counts(set.groups());
  std::uint64_t asked = 0;
  const auto count = [&](std::span<const std::string_view> keys) {
    std::vector<KeyHash> hashes;
    for (const std::string_view key : keys) hashes.push_back(set.hash_function()(key));
    set.count(hashes, counts);
    asked += keys.size();
  };
  for (const std::string& key : options.keys) {
    const std::string text = options.formats.key_of_text(key);
    const std::string_view view = text;
    count({&view, 1});
  }
  if (options.inputs.empty() && options.keys.empty()) options.inputs.emplace_back("-");
  KeyFormat format = options.formats.format();
  format.allow_empty = true;
  stream_keys(options.inputs, format, false, "query", options.reports,
              [&](const KeyBlock& block, bool) { count(block.keys); });
  AnswerWriter out = answer_writer(options, options.formats);
  const std::uint64_t least = std::max<std::uint64_t>(threshold_of(options, asked), 1);
  std::uint64_t left = options.limit;
  for (std::uint64_t group = 0; group < set.groups() && left != 0; ++group) {
    if (counts[group] < least) continue;
    out.write(set.name(group),
              {.found = true, .is_number = true, .text = std::to_string(counts[group])});
    --left;
  }
  out.flush();
  return 0;
}

int query(QueryOptions& options) {
  if (options.all || !options.threshold.empty()) return query_groups(options);
  if (options.sql || options.row_files.is_given()) return query_rows(options);
  const auto index = open_index(options);
  KeyMaker maker(index->info(), options);
  const bool asks_ranges = index->takes_ranges() && options.formats.fixed == 0 &&
                           options.suffixes.empty() && options.rules.empty() && !maker.makes();
  FormatOptions formats = options.formats;
  if (asks_ranges) formats.hex = false;  // of each end by itself
  AnswerWriter out = answer_writer(options, formats);
  if (options.absent && !index->tells_absent() && !options.reports.quiet)
    print_warning({index->name() + ": finds every key, since it has no signatures, so that no key "
                                   "is absent; build it with some",
                   "signature_bits"});
  for (const QueryOptions::Query& query : options.queries) query_some(*index, query, options, out);
  KeyQuery asked(*index, options, asks_ranges, maker, out);
  // Questions that ask for more than each key name the line of one at fault, so their blocks stay
  // as they are.
  const bool is_plain = options.suffixes.empty() && options.rules.empty() && !asks_ranges;
  Answerer answerer(is_plain ? index->keys_at_once() : 1,
                    [&](std::span<const std::string_view> keys) { asked.ask(keys); });
  for (std::string& key : options.keys) key = formats.key_of_text(key);
  const std::vector<std::string_view> keys(options.keys.begin(), options.keys.end());
  answerer.answer(maker.make(keys));
  if (options.inputs.empty() && options.keys.empty() && options.queries.empty())
    options.inputs.emplace_back("-");
  KeyFormat format = formats.format();
  format.allow_empty = true;  // an empty line is answered like any
  try {
    stream_keys(options.inputs, format, false, "query", options.reports,
                [&](const KeyBlock& block, bool last_for_now) {
                  answerer.answer(maker.make(block.keys));
                  if (!last_for_now) return;
                  answerer.finish();
                  out.flush();
                });
  } catch (const Error&) {
    answerer.finish();  // the keys before the one that cannot be read are answered
    throw;
  }
  answerer.finish();
  out.flush();
  return 0;
}

/// Adds an option for each query that some kind takes.
void add_queries(CLI::App& command, QueryOptions& options) {
  const InGroup queries(command, "Queries");
  std::set<std::string_view> added;
  for (const KindInfo& kind : kinds()) {
    for (const QueryInfo& query : kind.queries) {
      if (!added.insert(query.name).second) continue;
      CLI::Option* const option = command.add_option_function<std::vector<std::string>>(
          "--" + std::string(query.name),
          [&options, query](const std::vector<std::string>& values) {
            options.queries.push_back({query, values});
          },
          std::string(query.help));
      option->type_name(std::string(query.value_name))
          ->type_size(static_cast<int>(std::max(query.values, 1U)))
          ->allow_extra_args(query.values == 0);
      if (query.value_name == "ID") option->transform(count_value());
    }
  }
}

}  // namespace

void add_query(CLI::App& app, Action& action) {
  auto options = std::make_shared<QueryOptions>();
  CLI::App* command = app.add_subcommand(
      "query",
      "look keys up: a line key<TAB>answer for each key\n"
      "\n"
      "The answer is the rank (mphf), the value (map), \"maybe\" (filter), the record (store), the "
      "id\n"
      "(dictionary), file<TAB>row group<TAB>row (rows), a line for each group that may hold the "
      "key\n"
      "(filterset); \"-\" for an absent key; \"member\", \"other\" or \"outside\" (exact; with "
      "groups, lines\n"
      "are group<TAB>key). Without signatures an mphf, map or rows give any key some answer. Text\n"
      "cannot tell a record \"-\" from an absent key; --json and --null-output can. In JSON, bytes "
      "that\n"
      "are not UTF-8 are under key_hex and answer_hex. An empty line is answered \"-\", unless the "
      "file\n"
      "holds the empty key (mphf and map: only with --allow-empty).\n"
      "Example: crivo query urls.crv wanted.txt --absent\n"
      "         crivo query words.crv --prefix ap --limit 10\n"
      "         crivo query https://a.example/urls.crv --public-key ship.pub -k x");
  command
      ->add_option("PATH", options->path, "an index file, a store's directory, or the URL of one")
      ->required()
      ->transform(mapped_path_or_url());
  add_input_paths(*command, "KEYS", options->inputs, "files of keys; - or none is standard input");
  command->add_option("-k,--key", options->keys, "look up this key; may be given more than once")
      ->type_name("KEY")
      ->type_size(1)
      ->allow_extra_args(false);
  CLI::Option* present =
      command->add_flag("--present", options->present, "print only keys that are found");
  command->add_flag("--absent", options->absent, "print only keys that are absent")
      ->excludes(present);
  CLI::Option* suffixes =
      command
          ->add_option("--suffixes", options->suffixes,
                       "look up each key and what follows each C in it, such as the domains above "
                       "a host (--suffixes .); the longest found answers")
          ->type_name("C")
          ->transform(byte_value());
  CLI::Option* rules =
      command
          ->add_option("--rules", options->rules,
                       "KEYS are hosts, the file's keys rules of a public-suffix list (com, *.ck, "
                       "!www.ck); --json has suffix and registrable domain")
          ->type_name("psl")
          ->transform(one_of({"psl"}))
          ->excludes(suffixes);
  command
      ->add_flag("--hashed", options->hashed,
                 "find ids by hashes: faster; 1 in 256 absent keys gets some id")
      ->excludes(suffixes)
      ->excludes(rules);
  command->add_flag("--raw", options->raw,
                    "use the keys as they are, not made as those of the file were");
  CLI::Option* sql =
      command
          ->add_flag("--sql", options->sql,
                     "rows: print the SQL by which DuckDB fetches the rows of all keys")
          ->excludes(present)
          ->excludes(option_named(*command, "--absent"))
          ->excludes(suffixes)
          ->excludes(rules);
  options->row_files.add_to(*command);
  for (const char* const name : {"--check-files", "--rename"})
    option_named(*command, name)->excludes(suffixes)->excludes(rules);
  add_queries(*command, *options);
  CLI::Option* all = command
                         ->add_flag("--all", options->all,
                                    "filterset: print the groups that may hold all keys together")
                         ->excludes(sql)
                         ->excludes(suffixes)
                         ->excludes(rules)
                         ->excludes(option_named(*command, "--group"));
  command
      ->add_option("--threshold", options->threshold,
                   "filterset: print those that may hold so many: 10, 0.8 or 80%")
      ->type_name("T")
      ->excludes(all)
      ->excludes(sql)
      ->excludes(suffixes)
      ->excludes(rules)
      ->excludes(option_named(*command, "--group"));
  command
      ->add_option("--limit", options->limit,
                   "print at most N answers (dictionary, ordered store, filterset)")
      ->type_name("N")
      ->transform(count_value());
  options->open.add_to(*command);
  options->trust.add_to(*command);
  options->remote.add_to(*command);
  options->formats.add_to(*command);
  options->reports.add_to(*command);
  option_named(*command, "--json")
      ->description("one JSON object a key: {\"key\":...,\"found\":...,\"answer\":...}")
      ->group(kListed);
  option_named(*command, "--json")->excludes(sql);
  options->form.add_to(*command, "write key NUL, 1 and the answer (or 0 alone: absent), NUL");
  command->callback([options, &action] { action = [options] { return query(*options); }; });
}

}  // namespace crivo::cli
