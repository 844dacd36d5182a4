#include "apps/string_index.hpp"

#include <algorithm>
#include <memory>
#include <tuple>

#include "apps/program.hpp"
#include "crivo/build.hpp"
#include "crivo/error.hpp"
#include "crivo/keys.hpp"

namespace crivo::apps {
namespace {

constexpr const char* kStrings = "strings";

std::filesystem::path filter_path(const std::filesystem::path& directory, std::size_t length) {
  return directory / (std::to_string(length) + ".crv");
}

/// Numbers as `--fixed 8` reads them.
std::string bytes_of(const std::vector<std::uint64_t>& numbers) {
  std::string bytes;
  for (std::uint64_t number : numbers) {
    for (int i = 0; i < 8; ++i, number >>= 8) bytes += static_cast<char>(number & 0xff);
  }
  return bytes;
}

struct Entry {
  std::string text;
  std::uint64_t print = fingerprint::of(text);

  auto order() const noexcept {
    return std::make_tuple(text.size(), print, std::string_view(text));
  }
};

}  // namespace

std::uint64_t fingerprint::of(std::string_view text) noexcept {
  std::uint64_t print = 0;
  for (const char byte : text) print = append(print, byte);
  return print;
}

void StringIndex::build(const std::string& strings, const std::filesystem::path& directory,
                        const FilterOptions& filter) {
  std::vector<Entry> entries;
  Lines lines(strings);
  std::string_view line;
  while (lines.next(line)) {
    if (line.size() > kMaxKeyBytes) {
      throw Error(ErrorKind::bad_input, lines.place() + ": a string of more than 1 MiB");
    }
    entries.push_back({.text = std::string(line)});
  }
  std::ranges::sort(entries, {}, &Entry::order);
  const auto repeated = std::ranges::unique(entries, {}, &Entry::text);
  entries.erase(repeated.begin(), repeated.end());

  std::string text;
  for (const Entry& entry : entries) text.append(entry.text).append("\n");
  const TemporaryDirectory temporary;
  const std::filesystem::path numbers = temporary.path() / "fingerprints";
  const KeyInput input{.paths = {numbers},
                       .format = {.framing = KeyFormat::Framing::fixed, .width = 8}};
  BuildOptions options;
  options.ignore_duplicates = true;  // two strings may have one fingerprint
  make_directory(directory, [&](const std::filesystem::path& made) {
    write_file(made / kStrings, text);
    for (std::size_t i = 0; i < entries.size();) {
      const std::size_t length = entries[i].text.size();
      std::vector<std::uint64_t> prints;
      for (; i < entries.size() && entries[i].text.size() == length; ++i) {
        prints.push_back(entries[i].print);
      }
      if (length == 0) continue;
      write_file(numbers, bytes_of(prints));
      build_filter(input, filter_path(made, length), filter, options);
    }
  });
}

StringIndex::StringIndex(const std::filesystem::path& directory) {
  const std::string name = (directory / kStrings).string();
  const auto fail = [&](const std::string& problem) {
    throw Error(ErrorKind::corrupt, name + ": " + problem + "; build the index again");
  };
  Lines lines(name);
  std::string_view before;
  std::string_view line;
  while (lines.next(line)) {
    if (!lines.has_end() || line.size() > kMaxKeyBytes) fail("not strings in order");
    if (line.empty()) {
      if (lines.number() > 1) fail("not strings in order");
      has_empty_ = true;
      continue;
    }
    const std::uint64_t print = fingerprint::of(line);
    if (groups_.empty() || line.size() > groups_.back().length) {
      std::uint64_t power = 1;
      for (std::size_t i = 0; i < line.size(); ++i) {
        power = fingerprint::product(power, fingerprint::kBase);
      }
      groups_.push_back({.length = line.size(),
                         .power = power,
                         .first = prints_.size(),
                         .count = 0,
                         .begin = text_.size(),
                         .filter = Filter::open(filter_path(directory, line.size()))});
    } else {
      before = string(groups_.back(), groups_.back().count - 1);
      if (std::make_tuple(line.size(), print, line) <=
          std::make_tuple(before.size(), prints_.back(), before)) {
        fail("not strings in order");
      }
    }
    ++groups_.back().count;
    prints_.push_back(print);
    text_.append(line).append("\n");
  }
  for (const Group& group : groups_) {
    const auto answers = std::make_unique<bool[]>(group.count);
    const std::span<bool> all(answers.get(), group.count);
    group.filter.contains(std::span(prints_).subspan(group.first, group.count), all);
    if (!std::ranges::all_of(all, [](bool answer) { return answer; })) {
      fail("the filter of length " + std::to_string(group.length) + " is of other strings");
    }
  }
}

bool StringIndex::holds(const Group& group, std::uint64_t print,
                        std::string_view window) const noexcept {
  const auto begin = prints_.begin() + static_cast<std::ptrdiff_t>(group.first);
  const auto end = begin + static_cast<std::ptrdiff_t>(group.count);
  for (auto at = std::lower_bound(begin, end, print); at != end && *at == print; ++at) {
    if (string(group, static_cast<std::size_t>(at - begin)) == window) return true;
  }
  return false;
}

}  // namespace crivo::apps
