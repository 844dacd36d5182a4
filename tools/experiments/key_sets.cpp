// SPDX-License-Identifier: Apache-2.0
#include "experiments/key_sets.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "crivo/error.hpp"
#include "hashing/key_hash.hpp"

namespace crivo::experiments {

KeySet KeySet::generate(gen::Kind kind, std::uint64_t count, std::uint64_t first) {
  constexpr std::uint64_t kBlock = std::uint64_t{1} << 16;
  const auto generator = gen::make_generator(kind, 0, gen::Form::nul);
  std::string text;
  for (std::uint64_t made = 0; made < count; made += kBlock) {
    generator->append_block(first + made, std::min(kBlock, count - made), text);
  }
  return of(std::move(text));
}

KeySet KeySet::of(std::string text) {
  if (!text.empty() && text.back() != '\0') {
    throw Error(ErrorKind::usage, "a key set's text has no zero byte after its last key");
  }
  if (text.size() >= UINT32_MAX) {
    throw Error(ErrorKind::usage, "the keys of an experiment have at most 4 GiB in all");
  }
  KeySet set;
  set.text_ = std::move(text);
  set.starts_.reserve(static_cast<std::size_t>(std::ranges::count(set.text_, '\0')) + 1);
  set.starts_.push_back(0);
  for (std::size_t at = 0; at < set.text_.size();) {
    at = set.text_.find('\0', at) + 1;
    set.starts_.push_back(static_cast<std::uint32_t>(at));
  }
  return set;
}

KeySet KeySet::read(const std::filesystem::path& file) {
  const auto fail = [&](const std::string& problem) {
    throw Error(ErrorKind::bad_input, file.string() + ": " + problem);
  };
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(ErrorKind::io, file.string() + ": cannot open");
  const std::string all(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) throw Error(ErrorKind::io, file.string() + ": cannot read");
  if (all.find('\0') != std::string::npos) fail("has a zero byte, which no key here may have");
  std::unordered_set<std::string_view> known;
  std::string text;
  text.reserve(all.size() + 1);
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    const std::string_view key(all.data() + begin, end - begin);
    if (key.size() > hashing::kMaxTableKeyBytes) fail("has a line that is too long for hu and hz");
    if (!key.empty() && known.insert(key).second) text.append(key) += '\0';
    begin = end + 1;
  }
  constexpr std::size_t kLeast = 1000;
  if (known.size() < kLeast) fail("has fewer than 1000 keys, of which nothing could be said");
  return of(std::move(text));
}

KeySet KeySets::absent(std::string_view name, std::uint64_t count) {
  Lazy& lazy = name == "words" ? words_ : urls_;
  const KeySet& set = lazy.made();
  count = std::min(count, set.size());
  // What is generated beyond a generated set is not in it; a file may have anything.
  if (lazy.source.file.empty()) return KeySet::generate(lazy.source.kind, count, set.size());
  std::unordered_set<std::string_view> known;
  for (std::uint64_t i = 0; i < set.size(); ++i) known.insert(set[i]);
  constexpr std::uint64_t kFar = std::uint64_t{1} << 32;  // beyond what a file is made of
  const KeySet drawn = KeySet::generate(lazy.source.kind, count, kFar);
  std::string text;
  for (std::uint64_t i = 0; i < drawn.size(); ++i) {
    if (!known.contains(drawn[i])) text.append(drawn[i]) += '\0';
  }
  if (text.empty()) throw Error(ErrorKind::bad_input, "all keys that could be absent are there");
  return KeySet::of(std::move(text));
}

}  // namespace crivo::experiments
