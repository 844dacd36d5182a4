// SPDX-License-Identifier: Apache-2.0
// crivo-scan: many strings searched for in a stream, told as grep -F -o -b tells them.

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/program.hpp"
#include "apps/scanner.hpp"
#include "apps/string_index.hpp"
#include "crivo/error.hpp"

namespace crivo::apps {
namespace {

/// grep's exit codes.
constexpr int kFound = 0;
constexpr int kNothing = 1;
constexpr int kTrouble = 2;

struct ScanOptions {
  std::string strings;
  std::string index;
  bool line_numbers = false;
  bool stats = false;
  std::vector<std::string> files;

  std::string output;
  FilterOptions filter{.type = "split-block-bloom"};
};

std::string content_of(const std::string& path) {
  Input input(path);
  std::string all;
  constexpr std::size_t kReadBytes = std::size_t{1} << 16;
  for (bool at_end = false; !at_end;) {
    const std::size_t size = all.size();
    all.resize(size + kReadBytes);
    const std::size_t got = input.read({all.data() + size, kReadBytes});
    all.resize(size + got);
    at_end = got < kReadBytes;
  }
  return all;
}

void write_number(Output& out, std::uint64_t number) {
  std::array<char, 24> text;
  char* end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  *end++ = ':';
  out.write({text.data(), end});
}

/// Scans a file; says whether grep would have selected a line of it.
bool scan_file(const std::string& file, const ScanOptions& options, bool has_empty,
               Scanner& scanner, Output& out) {
  Input input(file);
  const Scanner::Counts before = scanner.counts();
  scanner.scan(input, [&](const Scanner::Match& match) {
    if (options.files.size() > 1) {
      out.write(input.name());
      out.write(":");
    }
    if (options.line_numbers) write_number(out, match.line);
    write_number(out, match.offset);
    out.write(match.text);
    out.write("\n");
  });
  const Scanner::Counts& now = scanner.counts();
  // The empty string is in every line, and is not shown.
  return now.found > before.found || (has_empty && now.bytes > before.bytes);
}

int scan(const ScanOptions& options, const options::Program& program) {
  if (options.strings.empty() == options.index.empty()) {
    throw Error(ErrorKind::usage, "name one of --file and --index (see --help)");
  }
  const bool is_built = options.strings.empty();
  const StringIndex index(
      is_built ? content_of(options.index) : StringIndex::build(options.strings, options.filter),
      is_built ? options.index : options.strings);
  Scanner scanner(index, options.line_numbers);
  Output out;
  bool found = false;
  bool trouble = false;
  for (const std::string& file : options.files) {
    try {
      found = scan_file(file, options, index.has_empty(), scanner, out) || found;
    } catch (const Error& error) {  // the other files are scanned all the same
      out.flush();
      program.report(error.what());
      trouble = true;
    }
  }
  out.flush();
  if (options.stats) {
    const Scanner::Counts& counts = scanner.counts();
    std::fprintf(stderr,
                 "bytes: %ju\nasked of a filter: %ju\nlook-ups: %ju\nfound: %ju\n"
                 "false positives: %ju\n",
                 std::uintmax_t{counts.bytes}, std::uintmax_t{counts.windows},
                 std::uintmax_t{counts.passed}, std::uintmax_t{counts.found},
                 std::uintmax_t{counts.passed - counts.found});
  }
  if (trouble) return kTrouble;
  return found ? kFound : kNothing;
}

int start_scan(int argc, char** argv) {
  options::Program program(
      "crivo-scan",
      "Searches files for many strings at once: a filter over the strings' fingerprints is asked\n"
      "for the window of each length that a string may have there, and what passes is compared. It "
      "writes OFFSET:STRING for each match, the same bytes as\n"
      "  LC_ALL=C grep -a -F -o -b -f STRINGS FILE\n\n"
      "Examples:\n"
      "  crivo-scan -f /usr/share/dict/american-english book.txt\n"
      "  crivo-scan build signatures.txt -o signatures && crivo-scan -x signatures < stream",
      "Of the strings that stand at one place of a line the longest counts, and after it the "
      "search\n"
      "goes on: matches do not overlap. Strings are any bytes but LF, up to 1 MiB each. NUL is a "
      "byte\n"
      "like others. The names of files stand first if there are several.\n"
      "Exit codes, as grep's: 0 something was found, 1 nothing was, 2 an error.");
  ScanOptions options;
  program.option("FILE", options.files, "files; standard input if there are none, or for -");
  program.option("-f,--file", options.strings, "the strings to search for, one a line");
  program.option("-x,--index", options.index, "instead: a file that `build` made of them");
  program.flag("-n,--line-number", options.line_numbers,
               "write the line, from 1, before the offset");
  program.flag("--stats", options.stats,
               "say on standard error how many windows were asked of a filter, how many look-ups "
               "that took, and how many of them were in vain");
  options::Command build_command =
      program.subcommand("build",
                         "make an index of the strings to search for, to use it more than once\n\n"
                         "Example: crivo-scan build signatures.txt -o signatures");
  build_command.option("STRINGS", options.strings, "the strings, one a line").required();
  build_command.option("-o,--output", options.output, "file to make").required();
  add_filter_options(build_command, options.filter);
  return program.run(
      argc, argv,
      [&] {
        if (options.files.empty()) options.files = {"-"};
        if (!build_command.given()) return scan(options, program);
        make_file(options.output, StringIndex::build(options.strings, options.filter));
        return kFound;
      },
      kTrouble);
}

}  // namespace
}  // namespace crivo::apps

int main(int argc, char** argv) {
  return crivo::apps::start_scan(argc, argv);
}
