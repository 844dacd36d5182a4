// SPDX-License-Identifier: Apache-2.0
#include "program/lookup_times.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <random>
#include <utility>

namespace crivo::cli {
namespace {

constexpr std::size_t kBlock = 4096;  // keys of one call
constexpr std::size_t kMostTimed = std::size_t{1} << 20;
/// A round has so many lookups at least, so that the clock and its steps are nothing beside them.
constexpr std::size_t kLeastLookups = std::size_t{1} << 16;

/// The processor time of this process, in ns, which other programs disturb least.
double processor_ns() noexcept {
  std::timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

/// Time as it passes, in ns, disks included.
double passing_ns() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::nano>(now).count();
}

/// Returns what a clock measures of nothing.
double cost_of(double (*clock)() noexcept) {
  constexpr int kTries = 1000;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTries; ++i) {
    const double begin = clock();
    least = std::min(least, clock() - begin);
  }
  return least;
}

std::uint64_t look_up(OpenIndex& index, std::span<const std::string_view> keys, Lookup lookup) {
  std::uint64_t found = 0;
  for (std::size_t at = 0; at < keys.size(); at += kBlock)
    found += lookup(index, keys.subspan(at, std::min(kBlock, keys.size() - at)));
  return found;
}

/// Copies the texts of the keys, one behind the other, to `storage`.
void lay_out(std::span<std::string_view> keys, std::string& storage) {
  std::size_t bytes = 0;
  for (const std::string_view key : keys) bytes += key.size();
  storage.reserve(bytes);  // never moved: the keys point into it
  for (std::string_view& key : keys) {
    storage += key;
    key = {storage.data() + storage.size() - key.size(), key.size()};
  }
}

Times summarize(std::vector<double> times) {
  if (times.empty()) return {};
  std::ranges::sort(times);
  const auto at = [&](std::size_t quarters) { return times[(times.size() - 1) * quarters / 4]; };
  return {.least = times.front(),
          .median = at(2),
          .spread = at(3) - at(1),
          .most = times.back(),
          .count = times.size()};
}

}  // namespace

KeySample::KeySample(const std::vector<std::string>& paths, const KeyFormat& format) {
  Progress progress;
  read_keys({paths, format}, progress, [&](const KeyBlock& block) {
    const std::size_t before = keys_.size();
    keys_.insert(keys_.end(), block.keys.begin(), block.keys.end());
    lay_out(std::span(keys_).subspan(before), storage_.emplace_back());
  });
  std::ranges::shuffle(keys_, std::mt19937_64());
  lay_out(std::span(keys_).first(timed().size()), storage_.emplace_back());
}

std::span<const std::string_view> KeySample::timed() const noexcept {
  return std::span(keys_).first(std::min(kMostTimed, keys_.size()));
}

double found_in(OpenIndex& index, std::span<const std::string_view> keys, Lookup lookup) {
  if (keys.empty()) return 0;
  return static_cast<double>(look_up(index, keys, lookup)) / static_cast<double>(keys.size());
}

Times time_rounds(OpenIndex& index, std::span<const std::string_view> keys, Lookup lookup) {
  constexpr std::size_t kFewest = 5;
  constexpr std::size_t kMost = 40;
  constexpr double kEnough = 1e9;  // nanoseconds: slow lookups take fewer rounds
  if (keys.empty()) return {};
  const std::size_t passes = (kLeastLookups + keys.size() - 1) / keys.size();
  const double cost = cost_of(processor_ns);
  std::vector<double> times;
  double spent = 0;
  while (times.size() < kFewest || (times.size() < kMost && spent < kEnough)) {
    const double begin = processor_ns();
    for (std::size_t pass = 0; pass < passes; ++pass) look_up(index, keys, lookup);
    const double taken = processor_ns() - begin;
    spent += taken;
    times.push_back(std::max(0.0, taken - cost) / static_cast<double>(passes * keys.size()));
  }
  return summarize(std::move(times));
}

Times time_first_touch(OpenIndex& index, std::span<const std::string_view> keys) {
  constexpr std::size_t kLookups = 1000;
  const double cost = cost_of(passing_ns);
  std::vector<double> times;
  for (std::size_t i = 0; i < std::min(kLookups, keys.size()); ++i) {
    const double begin = passing_ns();
    count_one_by_one(index, keys.subspan(i, 1));
    times.push_back(std::max(0.0, passing_ns() - begin - cost));
  }
  return summarize(std::move(times));
}

}  // namespace crivo::cli
