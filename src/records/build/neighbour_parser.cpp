// SPDX-License-Identifier: Apache-2.0
#include "records/build/neighbour_parser.hpp"

#include <bit>

namespace crivo::records {

RecordParser::RecordParser(base::ByteView text, const SymbolCodes& codes)
    : codes_(codes), text_(text.begin(), text.end()) {
  finder_.reserve(text.size());
  note(text.size());
  finder_.keep();
  first_ = text.size();
  begin();
}

void RecordParser::begin() {
  finder_.restore();
  text_.resize(first_);
  noted_ = places_of(first_);
}

void RecordParser::cut(std::size_t size) noexcept {
  while (noted_ > places_of(size))
    finder_.take_back(text_.data(), static_cast<std::uint32_t>(--noted_));
  text_.resize(size);
}

void RecordParser::parse(std::string_view record, std::uint32_t last,
                         std::vector<Sequence>& sequences) {
  const std::size_t begin = text_.size();
  const base::ByteView bytes = base::as_bytes(record);
  text_.insert(text_.end(), bytes.begin(), bytes.end());
  finder_.reserve(text_.size());
  note(begin);
  find_cheapest(begin, last);
  trace(begin, sequences);
}

std::uint32_t RecordParser::match_at(std::size_t at, std::uint32_t distance) const noexcept {
  if (distance == 0 || distance > at) return 0;
  const std::size_t most = text_.size() - at;
  const std::byte* const here = text_.data() + at;
  const std::byte* const there = here - distance;
  std::size_t size = 0;
  for (; size + 8 <= most; size += 8) {
    const auto other =
        base::load_le<std::uint64_t>(here + size) ^ base::load_le<std::uint64_t>(there + size);
    if (other != 0)
      return static_cast<std::uint32_t>(size + static_cast<unsigned>(std::countr_zero(other)) / 8);
  }
  while (size < most && here[size] == there[size]) ++size;
  return static_cast<std::uint32_t>(size);
}

void RecordParser::take(std::size_t from, std::uint32_t least, std::uint32_t size,
                        std::uint32_t distance) {
  const Way& way = ways_[from];
  const std::uint32_t cost =
      way.cost + codes_.place(Offset::of(distance, way.last)) + codes_.literals(0);
  const auto take_part = [&](std::uint32_t part) {
    const std::uint32_t all = cost + codes_.match(part - 1);
    Way& to = ways_[from + part];
    if (all < to.cost) to = {all, 0, part, distance};
  };
  for (std::uint32_t part = least; part < std::min(size, kTried); ++part) take_part(part);
  take_part(size);
}

std::uint32_t RecordParser::try_matches(std::size_t begin, std::size_t at) {
  const std::uint32_t last = ways_[at].last;
  std::uint32_t longest = 0;  // those found later lie no nearer: shorter ones cost no less
  const auto try_one = [&](std::uint32_t least, std::uint32_t distance) {
    const std::uint32_t size = match_at(begin + at, distance);
    if (size < std::max(least, longest + 1)) return;
    take(at, size < kEnough ? std::max(least, longest + 1) : size, size, distance);
    longest = size;
  };
  try_one(kLeastAgain, last);
  if (longest == 0) {
    for (std::uint32_t near = 1; near <= Offset::kNear; ++near) {
      try_one(kLeastNear, last + near);
      if (near < last) try_one(kLeastNear, last - near);
    }
  }
  if (longest < kEnough && begin + at + MatchFinder::kLeast <= text_.size()) {
    const auto here = static_cast<std::uint32_t>(begin + at);
    finder_.for_each(text_.data(), here, [&](std::uint32_t place) {
      if (place != here) try_one(MatchFinder::kLeast, here - place);
    });
  }
  return longest < kEnough ? 0 : longest;
}

void RecordParser::find_cheapest(std::size_t begin, std::uint32_t last) {
  const std::size_t size = text_.size() - begin;
  ways_.assign(size + 1, {});
  ways_[0] = {codes_.literals(0), 0, 0, last};
  std::size_t next = 0;  // before it nothing is tried
  for (std::size_t at = 0; at < size; ++at) {
    note(begin + at);
    const Way way = ways_[at];
    if (at < next || way.cost == UINT32_MAX) continue;
    const std::uint32_t cost = way.cost + codes_.literal(text_[begin + at]) +
                               codes_.literals(way.literals + 1) - codes_.literals(way.literals);
    if (cost < ways_[at + 1].cost) ways_[at + 1] = {cost, way.literals + 1, 0, way.last};
    next = at + try_matches(begin, at);
  }
}

void RecordParser::trace(std::size_t begin, std::vector<Sequence>& sequences) const {
  sequences.clear();
  std::size_t at = text_.size() - begin;
  sequences.push_back({ways_[at].literals, 0, 0});
  for (at -= ways_[at].literals; at != 0; at -= ways_[at].literals) {
    const Way& way = ways_[at];
    at -= way.match;
    sequences.push_back({ways_[at].literals, way.match, way.last});
  }
  std::ranges::reverse(sequences);
}

}  // namespace crivo::records
