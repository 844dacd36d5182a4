// SPDX-License-Identifier: Apache-2.0
#include "program/from_option.hpp"

#include <algorithm>

#include "crivo/build/extract.hpp"
#include "crivo/error.hpp"
#include "crivo/suffixes.hpp"
#include "program/option_groups.hpp"
#include "program/values.hpp"

namespace crivo::cli {
namespace {

constexpr std::string_view kLmdb = "lmdb";

/// "lmdb", and the collections that have to be named.
std::vector<std::string> sources() {
  std::vector<std::string> names{std::string(kLmdb)};
  for (const CollectionInfo& each : collections()) {
    if (each.collection != Collection::detected && each.collection != Collection::lines)
      names.emplace_back(each.name);
  }
  return names;
}

/// "urls of warc, arc or cdx; ...": what is taken of each collection where nothing is named.
std::string usual_keys() {
  std::string text;
  for (std::size_t i = 0; i < kExtractNames.size(); ++i) {
    std::vector<std::string_view> names;
    for (const CollectionInfo& each : collections()) {
      if (each.collection > Collection::lines && each.keys.front() == Extract(i))
        names.push_back(each.name);
    }
    if (names.empty()) continue;
    text += (text.empty() ? "" : "; ") + std::string(kExtractNames[i]) + " of " + any_of(names);
  }
  return text;
}

}  // namespace

std::string any_of(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

void FromOption::add_to(CLI::App& command) {
  const InGroup input(command, kInputGroup);
  CLI::Option* option =
      command
          .add_option("--from", from,
                      "lmdb: an LMDB environment, whose values are the records or, with --values, "
                      "the numbers. Others: extract keys of a collection (crivo extract), by "
                      "default " +
                          usual_keys())
          ->transform(one_of(sources()));
  command.add_option("--db", database, "which database of the environment")
      ->type_name("NAME")
      ->transform(name_value())
      ->needs(option);
  command
      .add_flag("--binary-values", binary_values,
                "numbers in LMDB are 1 to 8 bytes, lowest first, not decimal digits")
      ->needs(option);
  command.add_option("--extract", what, "what to extract: urls, terms, docnos or kmers")
      ->transform(one_of(std::span(kExtractNames).subspan(1)))
      ->needs(option);
  command.add_flag("--surt", extract.surt, "write URLs as com,example)/path")->needs(option);
  command.add_flag("--no-fold", no_fold, "keep A to Z in terms")->needs(option);
  command.add_option("-k", extract.k, "bases of a k-mer, 1 to 31")
      ->type_name("K")
      ->transform(count_value(1, kMostBases))
      ->capture_default_str()
      ->needs(option);
  command
      .add_option(
          "--max-record", extract.max_record_bytes,
          "of terms: a page that its Content-Encoding makes larger is a bad record; default 64M")
      ->type_name("BYTES")
      ->transform(size_value(1, UINT64_MAX))
      ->needs(option);
  command.add_flag("--strict", extract.strict, "end with exit 3 at a bad record of a collection")
      ->needs(option);
}

KeyInput FromOption::entries(const std::vector<std::string>& paths, LmdbTake take) const {
  if (paths.size() != 1 || paths.front() == "-")
    throw Error(ErrorKind::usage, "--from lmdb reads one environment");
  if (binary_values && take != LmdbTake::text_values)
    throw Error(ErrorKind::usage, "--binary-values needs --values");
  if (binary_values) take = LmdbTake::binary_values;
  return lmdb_entries(paths.front(), {.database = database, .take = take});
}

KeyInput FromOption::input(const std::vector<std::string>& paths, LmdbTake take,
                           BuildOptions& options) {
  const bool extracts = !what.empty() || extract.surt || no_fold || extract.strict;
  if (from == kLmdb) {
    if (extracts)
      throw Error(ErrorKind::usage,
                  "--extract, --surt, --no-fold and --strict cannot be used with --from lmdb");
    if (extract.group_by_file)
      throw Error(ErrorKind::usage, "--group-by-file cannot be used with --from lmdb");
    return entries(paths, take);
  }
  if (!database.empty() || binary_values)
    throw Error(ErrorKind::usage, "--db and --binary-values need --from lmdb");
  if (take != LmdbTake::keys)
    throw Error(ErrorKind::usage,
                "--from " + from + ": a collection has keys only, without values or records");
  const CollectionInfo& collection = collection_named(from);
  extract.from = collection.collection;
  extract.what =
      what.empty()
          ? collection.keys.front()
          : static_cast<Extract>(std::ranges::find(kExtractNames, what) - kExtractNames.begin());
  extract.fold = !no_fold;
  extract.distinct = true;
  extract.binary = true;
  extract.threads = options.resources.threads;
  options.ignore_duplicates = true;
  options.notes.insert_or_assign(std::string(keys::kFormName),
                                 keys::form_text(keys::form_of(extract)));
  return extracted_keys(paths, extract, extracted);
}

KeyInput FromOption::grouped_input(const std::vector<std::string>& paths, bool by_file,
                                   const KeyFormat& format, BuildOptions& options) {
  if (!by_file) throw Error(ErrorKind::usage, "--from needs --group-by-file with filter sets");
  if (format != KeyFormat{} || !options.resume_dir.empty())
    throw Error(ErrorKind::usage, "--from cannot be used with --resume or the options of files");
  extract.group_by_file = true;
  return input(paths, LmdbTake::keys, options);
}

bool FromOption::report(std::vector<Warning>& warnings) const {
  warnings.insert(warnings.end(), extracted.warnings.begin(), extracted.warnings.end());
  const std::uint64_t faults = extracted.bad_records + extracted.cut_files;
  if (faults > extracted.warnings.size()) {
    warnings.push_back(
        {.text = std::to_string(faults - extracted.warnings.size()) + " more like these"});
  }
  return extracted.cut_files == 0;
}

}  // namespace crivo::cli
