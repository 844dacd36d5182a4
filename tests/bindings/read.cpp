// SPDX-License-Identifier: Apache-2.0
// `read COMMAND PATH [ARGUMENT]`, on libcrivo-read alone, with the messages and exit codes of the
// program: `answers PATH KEYS` (the answers to the lines of KEYS, in a batch and one by one),
// `info PATH`, `verify PATH`, `signed PATH PUBLIC-KEY`, `ids PATH ID`,
// `opens STORE N` (opens a store N times, and says the record of `a`, which is never to go back).
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/error.hpp"
#include "crivo/index.hpp"
#include "crivo/inspect.hpp"
#include "crivo/open.hpp"
#include "crivo/rows.hpp"
#include "crivo/store.hpp"

namespace {

int exit_code(crivo::ErrorKind kind) {
  switch (kind) {
    case crivo::ErrorKind::mismatch:
      return 1;
    case crivo::ErrorKind::usage:
      return 2;
    case crivo::ErrorKind::bad_input:
      return 3;
    case crivo::ErrorKind::corrupt:
    case crivo::ErrorKind::too_new:
    case crivo::ErrorKind::too_old:
      return 4;
    case crivo::ErrorKind::io:
    case crivo::ErrorKind::cancelled:
      return 5;
  }
  return 5;
}

std::string line_of(const crivo::Answer& answer) {
  if (!answer.found && answer.text.empty()) return "-";
  std::string line(answer.text);
  if (!answer.value.empty()) line.append("\t").append(answer.value);
  return line;
}

/// Of a filter that takes ranges: a line is a key, or the first of a range, a TAB and the last.
crivo::AskedRange range_of(std::string_view line) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) return {line, line, line};
  return {line, line.substr(0, tab), line.substr(tab + 1)};
}

void answer_all(crivo::OpenIndex& index, std::span<const std::string_view> lines,
                const crivo::OpenIndex::Visit& visit) {
  if (!index.takes_ranges()) return index.answer(lines, visit);
  std::vector<crivo::AskedRange> ranges;
  for (const std::string_view line : lines) ranges.push_back(range_of(line));
  index.answer_ranges(ranges, visit);
}

void answer_one(crivo::OpenIndex& index, std::string_view line,
                const crivo::OpenIndex::Visit& visit) {
  if (!index.takes_ranges()) return index.answer(crivo::Key(line), visit);
  const crivo::AskedRange range = range_of(line);
  index.answer_ranges({&range, 1}, visit);
}

/// The key of a number.
std::string bytes_of(std::uint64_t number) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(number >> 8 * i));
  return bytes;
}

int print_answers(const std::string& path, const std::string& keys_file) {
  std::ifstream file(keys_file, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  const auto index = crivo::OpenIndex::open(path, {.verify = true});
  if (index->info().metadata.contains(crivo::kFixedName)) {
    for (std::string& line : lines) line = bytes_of(std::stoull(line));
  }
  const std::vector<std::string_view> keys(lines.begin(), lines.end());
  std::vector<std::string> batch;
  std::vector<std::string> firsts;  // of each key
  answer_all(*index, keys, [&](std::string_view, const crivo::Answer& answer) {
    batch.push_back(line_of(answer));
    if (!answer.is_further) firsts.push_back(batch.back());
  });
  std::size_t next = 0;
  bool same = firsts.size() == keys.size();
  for (std::size_t i = 0; same && i < keys.size(); ++i) {
    answer_one(*index, keys[i], [&](std::string_view, const crivo::Answer& answer) {
      same = same && line_of(answer) == batch[next++];
    });
  }
  if (!same) std::cerr << "read: two answers\n";
  for (const std::string& line : firsts) std::cout << line << '\n';
  return same ? 0 : 1;
}

int open_often(const std::string& path, long opens) {
  long last = -1;
  for (long i = 0; i < opens; ++i) {
    const crivo::Store store = crivo::Store::open(path);
    crivo::Store::Reader reader(store);
    const crivo::Store::Answer answer = reader.find("a");
    const long now =
        answer.status == crivo::Store::Status::found ? std::stol(std::string(answer.record)) : -1;
    if (now < last) {
      std::cerr << "open " << i << ": back from " << last << " to " << now << '\n';
      return 1;
    }
    last = now;
  }
  std::cout << last << " after " << opens << " opens\n";
  return 0;
}

int run(const std::string& command, const std::string& path, const std::string& argument) {
  if (command == "answers") return print_answers(path, argument);
  if (command == "opens") return open_often(path, std::stol(argument));
  if (command == "info") {
    std::cout << crivo::inspect(path).digest << '\n';
  } else if (command == "verify") {
    crivo::verify(path);
    std::cout << path << ": every checksum holds\n";
  } else if (command == "signed") {
    (void)crivo::OpenIndex::open(path, {.trust = {{.keys = {crivo::PublicKey::read(argument)}}}});
  } else if (command == "ids") {
    const std::vector<std::string> ids{argument};
    crivo::OpenIndex::open(path)->query(
        "ids", ids, [](std::string_view key, const crivo::Answer&) { std::cout << key << '\n'; });
  } else {
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  try {
    return run(argv[1], argv[2], argc > 3 ? argv[3] : "");
  } catch (const crivo::Error& error) {
    std::cerr << "crivo: " << error.what() << '\n';
    return exit_code(error.kind());
  }
}
