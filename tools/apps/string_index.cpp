// SPDX-License-Identifier: Apache-2.0
#include "apps/string_index.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

#include "apps/program.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"

namespace crivo::apps {
namespace {

constexpr std::string_view kMagic = "crivo-scan 1\n";
constexpr std::size_t kSizeBytes = 8;

std::string bytes_of(std::uint64_t number) {
  std::string bytes;
  for (std::size_t i = 0; i < kSizeBytes; ++i, number >>= 8) {
    bytes += static_cast<char>(number & 0xff);
  }
  return bytes;
}
std::uint64_t number_of(std::string_view bytes) noexcept {
  std::uint64_t number = 0;
  for (std::size_t i = kSizeBytes; i-- > 0;) {
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return number;
}

[[noreturn]] void fail(const std::string& name, const std::string& problem) {
  throw Error(ErrorKind::corrupt, name + ": " + problem + "; build the index again");
}

/// Where the strings are in the bytes of an index.
std::string_view strings_of(std::string_view bytes, const std::string& name) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + kSizeBytes) {
    fail(name, "no index of crivo-scan");
  }
  const std::string_view rest = bytes.substr(kMagic.size() + kSizeBytes);
  const std::uint64_t size = number_of(bytes.substr(kMagic.size()));
  if (size > rest.size()) fail(name, "it is cut short");
  return rest.substr(0, size);
}

/// The filter behind them.
Filter filter_of(std::string_view bytes, std::string_view strings, const std::string& name) {
  const std::string_view rest =
      bytes.substr(static_cast<std::size_t>(strings.data() + strings.size() - bytes.data()));
  try {
    return Filter::open(std::as_bytes(std::span(rest)));
  } catch (const Error& error) {
    throw Error(error.kind(), name + ": its filter: " + error.what());
  }
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

std::string StringIndex::build(const std::string& strings, const FilterOptions& filter) {
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
  std::vector<std::uint64_t> prints;
  for (const Entry& entry : entries) {
    text.append(entry.text).append("\n");
    if (!entry.text.empty()) prints.push_back(entry.print);
  }
  BuildOptions options;
  options.ignore_duplicates = true;  // two strings may have one fingerprint
  std::string index = std::string(kMagic) + bytes_of(text.size()) + text;
  build_filter(keys_in(prints), crivo::Output::to([&](std::span<const std::byte> bytes) {
                 index.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
               }),
               filter, options);
  return index;
}

StringIndex::StringIndex(std::string bytes, const std::string& name)
    : bytes_(std::move(bytes)),
      text_(strings_of(bytes_, name)),
      filter_(filter_of(bytes_, text_, name)) {
  for (std::size_t begin = 0; begin < text_.size();) {
    const std::size_t end = text_.find('\n', begin);
    if (end == std::string_view::npos || end - begin > kMaxKeyBytes) {
      fail(name, "not strings in order");
    }
    const std::string_view line = text_.substr(begin, end - begin);
    const std::size_t at = std::exchange(begin, end + 1);
    if (line.empty()) {
      if (at > 0) fail(name, "not strings in order");
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
                         .begin = at});
    } else {
      const std::string_view before = string(groups_.back(), groups_.back().count - 1);
      if (std::make_tuple(line.size(), print, line) <=
          std::make_tuple(before.size(), prints_.back(), before)) {
        fail(name, "not strings in order");
      }
    }
    ++groups_.back().count;
    prints_.push_back(print);
  }
  const auto answers = std::make_unique<bool[]>(prints_.size());
  const std::span<bool> all(answers.get(), prints_.size());
  filter_.contains(std::span<const std::uint64_t>(prints_), all);
  if (!std::ranges::all_of(all, [](bool answer) { return answer; })) {
    fail(name, "the filter is of other strings");
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
