// SPDX-License-Identifier: Apache-2.0
#include "bench/stores/record_set.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <stdexcept>

namespace crivo::bench {

RecordSet::RecordSet(const std::string& name) : path(name) {
  std::ifstream in(path, std::ios::binary);
  bytes.assign(std::istreambuf_iterator<char>(in), {});
  if (!in || bytes.empty() || bytes.back() != '\0') {
    throw std::runtime_error(path + ": is no file of key NUL record NUL");
  }
  std::string_view rest = bytes;
  const auto take = [&] {
    const std::size_t end = rest.find('\0');
    if (end == rest.npos) throw std::runtime_error(path + ": a key has no record");
    const std::string_view text = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return text;
  };
  while (!rest.empty()) {
    const std::string_view key = take();
    pairs.emplace_back(key, take());
    pair_bytes += key.size() + pairs.back().second.size();
  }
}

std::vector<KeyAndRecord> RecordSet::sorted() const {
  std::vector<KeyAndRecord> in_order = pairs;
  std::ranges::sort(in_order);
  return in_order;
}

KeyList::KeyList(const RecordSet& set, std::size_t most, bool absent) {
  std::vector<std::uint32_t> order(set.pairs.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::shuffle(order, std::mt19937_64(absent ? 2 : 1));
  order.resize(std::min(order.size(), most));
  std::size_t size = 0;
  for (const std::uint32_t i : order) size += set.pairs[i].first.size() + 2;
  text_.reserve(size);
  for (const std::uint32_t i : order) {
    const std::string_view key = set.pairs[i].first;
    const std::size_t at = text_.size();
    text_ += key;
    if (absent) text_ += "\1?";
    keys_.emplace_back(text_.data() + at, text_.size() - at);
  }
}

}  // namespace crivo::bench
