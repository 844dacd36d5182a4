// SPDX-License-Identifier: Apache-2.0
#include "program/topics.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "program/common.hpp"
#include "program/exchange_option.hpp"
#include "program/from_option.hpp"
#include "program/help_formatter.hpp"
#include "program/input_paths.hpp"
#include "program/notes.hpp"
#include "program/open_mode.hpp"
#include "program/option_groups.hpp"
#include "program/remote_index.hpp"
#include "program/trust_options.hpp"
#include "program/work_options.hpp"

namespace crivo::cli {
namespace {

// Adding options to a page, which nothing is parsed with. What they would set is never read.

void add_input(CLI::App& app) {
  static std::vector<std::string> paths;
  static FormatOptions formats;
  static FromOption from;
  add_files_from(app, paths);
  formats.add_to(app);
  from.add_to(app);
}

void add_opening(CLI::App& app) {
  static OpenModeOption open;
  static TrustOptions trust;
  static RemoteAccess remote;
  open.add_to(app);
  trust.add_to(app);
  remote.add_to(app);
}

void add_resources(CLI::App& app) {
  static WorkOptions work;
  static std::filesystem::path resume;
  static ExchangeCommands exchange;
  work.add_to(app);
  static std::string again;
  static std::uint64_t passes = 1;
  add_resume(app, resume);
  add_passes(app, again, passes);
  add_exchange(app, exchange, "the output");
}

void add_output(CLI::App& app) {
  static ReportOptions reports;
  static NoteOptions notes;
  static bool flag = false;
  add_force(app, flag);
  notes.add_to(app);
  add_allow_empty_set(app, flag);
  reports.add_to(app);
}

constexpr std::array kTopics{
    Topic{
        "mphf", "a number from 0 to n - 1 for each of n keys",
        "Use it    to index arrays or files of your own by key.\n"
        "It costs  1.86 bits/key (--algorithm compact: 1.78, tiny: 1.48), and about 1 cache miss\n"
        "          a lookup (tiny: 3). It does not hold the keys.\n"
        "Errors    A key outside the set gets some number, too. --signature 8, 16 or 32 refuses\n"
        "          all but 1 in 2^8, 2^16 or 2^32 of these, for as many bits/key more.\n"
        "Instead   map gives numbers of your own; dictionary gives numbers in the order of the\n"
        "          keys, and the keys back.\n\n"
        "Example: crivo build mphf urls.txt -o urls.crv --signature 16\n"
        "         crivo query urls.crv wanted.txt"},
    Topic{"filter", "whether a key is in a set, with few errors and few bits",
          "Use it    to answer \"surely absent\" before a slower lookup, or where an error in 256, "
          "or\n"
          "          in a million, does no harm.\n"
          "It costs  8.03 bits/key at 1 in 256, and 1 bit/key more for each halving of the rate.\n"
          "Errors    A part of the absent keys, at most --fpr, is answered \"maybe\". A key of the "
          "set\n"
          "          is never answered \"absent\". Where strangers choose the keys, use --seed "
          "random.\n"
          "Changes   --type cuckoo (add, remove) and bloom (add, union) take 11.5 bits/key and "
          "more;\n"
          "          crivo filter --help lists the commands. crivo filter advise chooses a type.\n"
          "Instead   exact has no errors, where all keys that will be asked are known.\n\n"
          "Example: crivo build filter urls.txt -o seen.crv --fpr 0.1%\n"
          "         crivo query seen.crv new.txt --absent"},
    Topic{"map", "a number of your own for each key",
          "Use it    for counts, offsets, classes and other numbers, without keeping the keys.\n"
          "It costs  the bits of the largest value and 0.2 % more; with --compress about the "
          "entropy\n"
          "          of the values. A lookup takes 1 to 2 cache misses.\n"
          "Errors    A key outside the set gets some value, too, unless --signature refuses it.\n"
          "Instead   store keeps records of any bytes, and the keys.\n\n"
          "Example: crivo build map counts.tsv -o counts.crv --values --signature 16\n"
          "         crivo query counts.crv --key apple"},
    Topic{"rows", "the row of a table that lies as files, for each key",
          "Use it    to read one row of thousands of Parquet or CSV files without asking all of "
          "them.\n"
          "It costs  the bits of the number of rows, and 16 more: 5.8 bytes/key for 10^9 rows. A "
          "lookup\n"
          "          takes 3 to 4 cache misses.\n"
          "Errors    1 in 2^16 keys outside the set gets some row (--signature 8, 16 or 32): "
          "compare\n"
          "          the key of the row that was read.\n"
          "Instead   store keeps the rows themselves; map gives numbers of your own.\n\n"
          "Example: crivo build rows ids.tsv -o ids.crv\n"
          "         crivo query ids.crv --key 4711"},
    Topic{
        "filterset", "in which of thousands of groups a key may be, each with a filter",
        "Use it    to find the files, row groups or documents that may have a key, with one hash.\n"
        "It costs  a filter a group, within 5 % of the bound from 1,000 keys on, its name and "
        "5.75\n"
        "          bytes. A lookup asks one group, or all of them at some 15 ns each; of --type "
        "bloom\n"
        "          --layout blocks, which takes 1.5 times the space, at 1 ns.\n"
        "Errors    Each group that lacks the key is named for a part of the keys, at most --fpr.\n"
        "Changes   crivo filterset add, remove and compact, by layers.\n"
        "Instead   rows names the one row of a key; filter answers for all keys as one set.\n\n"
        "Example: crivo build filterset pairs.tsv -o files.crv --fpr 1%\n"
        "         crivo query files.crv --key 4711\n"
        "         crivo query files.crv words.txt --threshold 80%"},
    Topic{
        "store", "a record of any bytes for each key",
        "Use it    to get pages, rows or documents by key, with no false answers.\n"
        "It costs  the keys and records, encoded, and about 9 bytes a record. An absent key takes\n"
        "          about 2 cache misses, a present one those of its record, too.\n"
        "Errors    none: keys are compared.\n"
        "Changes   crivo store set and remove change records under their readers, and add some.\n"
        "          --backend flat has faster lookups, and can be signed; with --ordered it keeps\n"
        "          the order of the keys, for prefixes and ranges.\n\n"
        "Example: crivo build store pages.tsv -o pages\n"
        "         crivo get pages http://a.example/"},
    Topic{
        "dictionary", "keys in byte order: from key to id and back, prefixes, ranges",
        "Use it    for the terms of a search engine, for completion, and where keys are wanted "
        "back.\n"
        "It costs  2.5 bytes a word, 6 to 13 bytes a URL. A lookup takes 3 to 6 cache misses;\n"
        "          with --hashed, 1 to 2.\n"
        "Errors    none: keys are compared. (query --hashed gives 1 in 256 absent keys some id.)\n"
        "Instead   mphf takes 1.86 bits/key, where neither the order nor the keys are needed.\n\n"
        "Example: crivo build dictionary words.txt -o words.crv\n"
        "         crivo query words.crv --prefix ap --limit 10"},
    Topic{"exact", "member or not, without errors, among keys that are all known",
          "Use it    to ship a list such as revoked certificates, where every key that will be "
          "asked\n"
          "          is known when it is built.\n"
          "It costs  about 10 % more than the fewest bits possible: 0.31 bits a known key where 1 "
          "in 20\n"
          "          is a member.\n"
          "Errors    none for a known key. An unknown one gets some answer, mostly \"other\".\n"
          "Changes   crivo diff makes a small delta, crivo apply adds it.\n"
          "Instead   filter needs only the members, and errs.\n\n"
          "Example: crivo build exact --members revoked.txt --universe all.txt -o revoked.crv\n"
          "         crivo query revoked.crv asked.txt"},
    Topic{
        "input", "where keys come from, and how they are written",
        "Files are read in order as one; - is standard input. gzip, zstd, xz and bzip2 are "
        "detected\n"
        "by content. A key is a line, without its LF, of at most 1 MiB; with records, the line is\n"
        "key<TAB>record. These options, of the commands that list them, say otherwise:",
        kInputGroup, add_input},
    Topic{
        "opening", "how a file is opened, and who must have signed it",
        "An index is mapped into memory, and its checksums are read by crivo verify alone, unless\n"
        "these options say otherwise:",
        kOpeningGroup, add_opening},
    Topic{
        "resources", "threads, memory, temporary files, and work that is resumed",
        "A build uses all cores, and at most three quarters of the free memory. What does not fit\n"
        "goes to temporary files. The result is the same, byte for byte, whatever it may use.",
        kResourcesGroup, add_resources},
    Topic{"output", "what is written, and what is told",
          "The output appears under its name when it is complete. A build that fails or is killed\n"
          "leaves the old file as it was. Standard output is data only; the rest goes to standard\n"
          "error.",
          kOutputGroup, add_output},
    Topic{
        "exit-codes", "how commands end",
        "0  done\n"
        "1  a key is absent (get), or a mismatch was found (verify, reproduce)\n"
        "2  wrong usage\n"
        "3  bad input, such as a duplicate key or a line without a record\n"
        "4  a file is corrupt, truncated, not signed as it must be, or of an unsupported version\n"
        "5  I/O or resources, such as a full disk, too little memory, or a missing file\n\n"
        "An error is one line on standard error: what is wrong, where, and what to do. With "
        "--json\n"
        "it is an object with schema, error, exit_code and, where they are known, file and "
        "line.\n\n"
        "Example: crivo get pages http://a.example/ || echo \"exit code $?\""}};

}  // namespace

std::span<const Topic> topics() {
  return kTopics;
}

const Topic* topic_named(std::string_view name) {
  const auto found = std::ranges::find(kTopics, name, &Topic::name);
  return found == kTopics.end() ? nullptr : &*found;
}

const Topic* topic_of_group(std::string_view group) {
  const auto found = std::ranges::find_if(
      kTopics, [&](const Topic& topic) { return topic.group != nullptr && topic.group == group; });
  return found == kTopics.end() ? nullptr : &*found;
}

std::string list_of_topics() {
  constexpr std::size_t kColumn = 30;
  std::string list = "Topics:";
  for (const Topic& topic : kTopics) {
    std::string line = "\n  " + std::string(topic.name);
    line.resize(kColumn + 1, ' ');
    list += line + std::string(topic.summary);
  }
  return list;
}

std::string page_of(const Topic& topic) {
  std::string page = std::string(topic.name) + ": " + std::string(topic.summary) + "\n\n" +
                     std::string(topic.text) + "\n";
  if (topic.options != nullptr) {
    CLI::App app;
    app.set_help_flag();
    topic.options(app);
    page += HelpFormatter(HelpFormatter::Groups::in_full).make_option_groups(&app);
  } else if (topic.group == nullptr && topic.name != "exit-codes") {
    page += "\ncrivo build " + std::string(topic.name) + " --help lists its options.\n";
  }
  return page;
}

}  // namespace crivo::cli
