// SPDX-License-Identifier: Apache-2.0
#include "input/duplicates.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "crivo/error.hpp"
#include "input/places.hpp"

namespace crivo::input {
namespace {

constexpr std::size_t kNamed = 3;

struct Occurrence {
  Place place;
  std::optional<std::string> text;
};

struct Repeat {
  std::uint64_t hash = 0;
  std::optional<Occurrence> first;
  Occurrence second;
};

/// The first repeats in the order of the input; nothing is held per key but one bit per repeated
/// hash.
bool find_second_occurrences(std::span<const Hash128> repeated, const KeyReplay& replay,
                             std::vector<Repeat>& found) {
  std::vector<std::uint64_t> wanted;
  wanted.reserve(repeated.size());
  for (const Hash128& hash : repeated) wanted.push_back(hash.lo);
  std::ranges::sort(wanted);
  std::vector<bool> seen(wanted.size());
  return replay([&](std::uint64_t hash, const Place& place, const std::string_view* text) {
    const auto at = std::ranges::lower_bound(wanted, hash);
    if (at == wanted.end() || *at != hash) return true;
    const auto index = static_cast<std::size_t>(at - wanted.begin());
    if (!seen[index]) {
      seen[index] = true;
      return true;
    }
    const auto named = [&](const Repeat& repeat) { return repeat.hash == hash; };
    if (std::ranges::none_of(found, named)) {
      found.push_back({hash, std::nullopt, {place, std::nullopt}});
      if (text != nullptr) found.back().second.text = std::string(*text);
    }
    return found.size() < kNamed;
  });
}

void find_first_occurrences(const KeyReplay& replay, std::vector<Repeat>& found) {
  std::size_t missing = found.size();
  replay([&](std::uint64_t hash, const Place& place, const std::string_view* text) {
    for (Repeat& repeat : found) {
      if (repeat.hash != hash || repeat.first) continue;
      repeat.first = {place, std::nullopt};
      if (text != nullptr) repeat.first->text = std::string(*text);
      --missing;
    }
    return missing != 0;
  });
}

}  // namespace

Repeats look_at_repeats(std::span<const Hash128> repeated, std::uint64_t surplus,
                        const Sources& sources, const UnitFraming& framing, const KeyReplay& replay,
                        std::string_view known) {
  const std::string count =
      "; " + std::to_string(surplus) + (surplus == 1 ? " duplicate" : " duplicates") + " in total";
  std::vector<Repeat> found;
  if (!find_second_occurrences(repeated, replay, found) || found.empty()) {
    return {false,
            {.file = sources.are_files() ? sources.paths[0] : "", .remedy = "ignore_duplicates"},
            input_name(sources, 0) +
                (known.empty() ? ": duplicate keys (on unknown lines, because the input could not "
                                 "be kept in the temporary directory)"
                               : ": duplicate key " + quote(known)) +
                count};
  }
  find_first_occurrences(replay, found);

  bool all_collide = true;
  std::string message;
  for (const Repeat& repeat : found) {
    const Place& place = repeat.second.place;
    message += (message.empty() ? place_name(sources, framing, place)
                                : "; " + unit_name(framing, place.line)) +
               ": ";
    const std::optional<std::string>& text = repeat.second.text;
    const Occurrence first_occurrence = repeat.first.value_or(Occurrence{});
    const std::optional<std::string>& first_text = first_occurrence.text;
    if (text && first_text && *first_text != *text) {
      message += "the key " + quote(*text) + " has the same 128-bit hash as the key " +
                 quote(*first_text) + "; build with another seed";
    } else {
      all_collide = false;
      message += "duplicate key";
      if (text) message += " " + quote(*text);
    }
    if (repeat.first) {
      const Place& first = first_occurrence.place;
      message += first.file != place.file ? ", first at " + place_name(sources, framing, first)
                                          : (framing.is_lines() ? ", first on " : ", first is ") +
                                                unit_name(framing, first.line);
    }
  }
  ErrorPlace place = error_place(sources, found.front().second.place);
  if (!all_collide) place.remedy = "ignore_duplicates";
  return {all_collide, std::move(place), message + count};
}

}  // namespace crivo::input
