// SPDX-License-Identifier: Apache-2.0
#include "bench/exact/lookups.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bench/clock.hpp"
#include "bench/peer.h"
#include "crivo/build/build.hpp"
#include "crivo/exact.hpp"
#include "crivo/filter.hpp"
#include "crivo/inspect.hpp"

namespace crivo::bench {
namespace {

constexpr std::size_t kBatch = 1024;
enum Loop { others, others_batch, members, members_batch, loops };

/// Keys in a random order, and the groups that they are of.
struct Asked {
  std::vector<Serial> serials;
  std::vector<std::string_view> keys;
  std::vector<std::uint32_t> groups;

  void add(const Certificates::Key& key) {
    serials.push_back(Certificates::serial(key.group, key.index));
    groups.push_back(static_cast<std::uint32_t>(key.group));
  }
  void finish() {
    for (const Serial& serial : serials) keys.emplace_back(serial.data(), serial.size());
  }
};

/// What is measured: how many of the keys it finds.
struct Method {
  std::string name;
  std::uint64_t bytes = 0;
  std::function<std::uint64_t(const Asked&)> one;
  std::function<std::uint64_t(const Asked&)> batch{};  ///< none: there is no such call
  std::array<double, loops> ns{};
  double found_others = 0;  ///< the share of them
};

/// An exact set, asked by the groups of the keys. It is read, as all that it is compared with is in
/// memory that the process allocated: pages of a file are smaller.
class AskedSet {
 public:
  AskedSet(const std::filesystem::path& path, const Certificates& certificates)
      : set_(Exact::open(path, {.mode = OpenMode::copy})) {
    for (const Issuer& issuer : certificates.issuers()) groups_.push_back(set_.group(issuer.name));
  }

  std::uint64_t bytes() const { return set_.info().bytes; }
  std::uint64_t one(const Asked& asked) const {
    std::uint64_t found = 0;
    if (!set_.grouped()) {
      for (const std::string_view key : asked.keys)
        found += set_.contains(key) == ExactAnswer::member ? 1 : 0;
      return found;
    }
    for (std::size_t i = 0; i < asked.keys.size(); ++i)
      found += groups_[asked.groups[i]].contains(asked.keys[i]) == ExactAnswer::member ? 1 : 0;
    return found;
  }
  std::uint64_t batch(const Asked& asked, const std::vector<std::string_view>& names) const {
    std::array<ExactAnswer, kBatch> answers;
    std::uint64_t found = 0;
    for (std::size_t begin = 0; begin < asked.keys.size(); begin += kBatch) {
      const std::size_t size = std::min(kBatch, asked.keys.size() - begin);
      const auto keys = std::span(asked.keys).subspan(begin, size);
      const auto some = std::span(answers).first(size);
      if (set_.grouped()) {
        set_.contains(std::span(names).subspan(begin, size), keys, some);
      } else {
        set_.contains(keys, some);
      }
      found += static_cast<std::uint64_t>(std::ranges::count(some, ExactAnswer::member));
    }
    return found;
  }

 private:
  Exact set_;
  std::vector<Exact::Group> groups_;
};

std::uint64_t count_in_batches(const Filter& filter, const Asked& asked) {
  std::array<bool, kBatch> answers;
  std::uint64_t found = 0;
  for (std::size_t begin = 0; begin < asked.keys.size(); begin += kBatch) {
    const std::size_t size = std::min(kBatch, asked.keys.size() - begin);
    const auto some = std::span(answers).first(size);
    filter.contains(std::span(asked.keys).subspan(begin, size), some);
    found += static_cast<std::uint64_t>(std::ranges::count(some, true));
  }
  return found;
}

std::uint64_t count_one_by_one(const Filter& filter, const Asked& asked) {
  std::uint64_t found = 0;
  for (const std::string_view key : asked.keys) found += filter.contains(key) ? 1 : 0;
  return found;
}

/// The first 8 bytes of the members' serials, which are random, in order.
class SortedList {
 public:
  SortedList(const Certificates& certificates, const std::vector<std::uint32_t>& revoked) {
    for (const std::uint32_t number : revoked) {
      const Certificates::Key key = certificates.key(number);
      hashes_.push_back(first_half(Certificates::serial(key.group, key.index)));
    }
    std::ranges::sort(hashes_);
  }
  std::uint64_t bytes() const noexcept { return 8 * hashes_.size(); }
  std::uint64_t count(const Asked& asked) const {
    std::uint64_t found = 0;
    for (const Serial& serial : asked.serials)
      found += std::ranges::binary_search(hashes_, first_half(serial)) ? 1 : 0;
    return found;
  }

 private:
  static std::uint64_t first_half(const Serial& serial) noexcept {
    return std::bit_cast<std::array<std::uint64_t, 2>>(serial)[0];
  }

  std::vector<std::uint64_t> hashes_;
};

/// A filter of a shared library, which stays loaded.
class PeerFilter {
 public:
  PeerFilter(const crivo_bench_method& method, const Asked& members) : method_(method) {
    const std::vector<crivo_bench_key> texts = texts_of(members);
    const crivo_bench_keys keys{.count = texts.size(),
                                .keys = texts.data(),
                                .numbers = nullptr,
                                .values = nullptr,
                                .value_bits = 0,
                                .fpr = 1.0 / 256};
    const char* why = "";
    built_ = method.build(&keys, 1, &why);
    if (built_ == nullptr) throw std::runtime_error(std::string(method.name) + ": " + why);
  }
  ~PeerFilter() { method_.destroy(built_); }
  PeerFilter(const PeerFilter&) = delete;
  PeerFilter& operator=(const PeerFilter&) = delete;

  std::uint64_t bytes() const { return method_.bits(built_) / 8; }
  std::uint64_t count(const Asked& asked) {
    std::vector<crivo_bench_key>& texts = asked_[&asked];
    if (texts.empty()) texts = texts_of(asked);
    const crivo_bench_keys keys{.count = texts.size(),
                                .keys = texts.data(),
                                .numbers = nullptr,
                                .values = nullptr,
                                .value_bits = 0,
                                .fpr = 0};
    answers_.resize(texts.size());
    method_.lookup(built_, &keys, answers_.data());
    return static_cast<std::uint64_t>(std::ranges::count(answers_, 1U));
  }

 private:
  static std::vector<crivo_bench_key> texts_of(const Asked& asked) {
    std::vector<crivo_bench_key> texts;
    texts.reserve(asked.keys.size());
    for (const std::string_view key : asked.keys) texts.push_back({key.data(), key.size()});
    return texts;
  }

  const crivo_bench_method& method_;
  void* built_ = nullptr;
  std::map<const Asked*, std::vector<crivo_bench_key>> asked_;
  std::vector<std::uint64_t> answers_;
};

std::vector<Method> peers(const LookupOptions& options, const Asked& members) {
  std::vector<Method> found;
  for (const std::string& path : options.peers) {
    using Methods = const crivo_bench_method* (*)(std::size_t*);
    void* const library = ::dlopen(path.c_str(), RTLD_NOW);
    const auto methods = library == nullptr
                             ? nullptr
                             : reinterpret_cast<Methods>(::dlsym(library, "crivo_bench_filters"));
    if (methods == nullptr) throw std::runtime_error(path + ": not a library of filters");
    std::size_t count = 0;
    const crivo_bench_method* const rows = methods(&count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto filter = std::make_shared<PeerFilter>(rows[i], members);
      found.push_back({.name = rows[i].name,
                       .bytes = filter->bytes(),
                       .one = [filter](const Asked& some) { return filter->count(some); }});
    }
  }
  return found;
}

/// Random others and members.
std::array<Asked, 2> sample(const Certificates& certificates,
                            const std::vector<std::uint32_t>& revoked, std::uint64_t lookups) {
  std::mt19937_64 random(1);
  std::array<Asked, 2> asked;
  while (asked[0].serials.size() < lookups) {
    const Certificates::Key key = certificates.key(random() % certificates.size());
    if (!certificates.is_revoked(key.group, key.index)) asked[0].add(key);
  }
  while (asked[1].serials.size() < lookups)
    asked[1].add(certificates.key(revoked[random() % revoked.size()]));
  for (Asked& some : asked) some.finish();
  return asked;
}

void time_round(Method& method, const std::array<Asked, 2>& asked) {
  for (const Loop loop : {others, others_batch, members, members_batch}) {
    const Asked& some = asked[loop / 2];
    if (loop % 2 != 0 && !method.batch) continue;
    const double begin = process_cpu_ns();
    volatile std::uint64_t found = loop % 2 == 0 ? method.one(some) : method.batch(some);
    static_cast<void>(found);
    const double ns = (process_cpu_ns() - begin) / static_cast<double>(some.keys.size());
    method.ns[loop] = std::min(method.ns[loop], ns);
  }
}

void print(const std::vector<Method>& methods, double bound) {
  std::printf(
      "| | bytes | of the bound | others taken for members | others: one | batch "
      "| members: one | batch |\n|---|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const Method& method : methods) {
    const auto bytes = static_cast<double>(method.bytes);
    std::printf("| %s | %.0f | %.3f | %.3g %% |", method.name.c_str(), bytes, 8 * bytes / bound,
                100 * method.found_others);
    for (std::size_t loop = 0; loop < loops; ++loop) {
      if (std::isfinite(method.ns[loop])) {
        std::printf(" %.1f (%.2f) |", method.ns[loop], method.ns[loop] / methods[0].ns[loop]);
      } else {
        std::printf(" |");
      }
    }
    std::printf("\n");
  }
}

/// The filter of the members whose width is that of a set without groups.
Method member_filter(const Certificates& certificates, const std::vector<std::uint32_t>& revoked) {
  const double rate = static_cast<double>(certificates.size() - revoked.size()) /
                      static_cast<double>(revoked.size());
  const auto width = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(rate))) - 1;
  const auto bytes = std::make_shared<std::vector<std::byte>>();
  build_filter(revoked_input(certificates, revoked, false), Output::to(*bytes),
               {.type = "ribbon", .bits = width});
  const auto filter =
      std::make_shared<const Filter>(Filter::open(*bytes, {.mode = OpenMode::copy}));
  return {.name = "ribbon filter of the members, " + std::to_string(width) + " bits",
          .bytes = bytes->size(),
          .one = [bytes, filter](const Asked& some) { return count_one_by_one(*filter, some); },
          .batch = [bytes, filter](const Asked& some) { return count_in_batches(*filter, some); }};
}

}  // namespace

void compare_lookups(const Certificates& certificates, const std::vector<std::uint32_t>& revoked,
                     const std::vector<std::filesystem::path>& sets, const LookupOptions& options) {
  const std::array<Asked, 2> asked = sample(certificates, revoked, options.lookups);
  std::array<std::vector<std::string_view>, 2> names;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    for (const std::uint32_t group : asked[i].groups)
      names[i].push_back(certificates.issuers()[group].name);
  }
  std::vector<Method> methods{member_filter(certificates, revoked)};
  for (const auto& path : sets) {
    const auto set = std::make_shared<const AskedSet>(path, certificates);
    methods.push_back({.name = path.filename().string(),
                       .bytes = set->bytes(),
                       .one = [set](const Asked& some) { return set->one(some); },
                       .batch =
                           [set, &asked, &names](const Asked& some) {
                             return set->batch(some, names[&some == &asked[1] ? 1 : 0]);
                           }});
  }
  const auto list = std::make_shared<const SortedList>(certificates, revoked);
  methods.push_back({.name = "sorted list of 64-bit hashes",
                     .bytes = list->bytes(),
                     .one = [list](const Asked& some) { return list->count(some); }});
  if (!options.peers.empty()) {
    Asked all;
    for (const std::uint32_t number : revoked) all.add(certificates.key(number));
    all.finish();
    for (Method& peer : peers(options, all)) methods.push_back(std::move(peer));
  }
  for (Method& method : methods) {
    method.ns.fill(std::numeric_limits<double>::infinity());
    method.found_others =
        static_cast<double>(method.one(asked[0])) / static_cast<double>(options.lookups);
    if (method.one(asked[1]) != options.lookups)
      std::printf("%s is of another day: it lacks members\n", method.name.c_str());
  }
  for (std::uint64_t round = 0; round < options.rounds; ++round) {
    for (Method& method : methods) time_round(method, asked);
  }
  print(methods, certificates.bounds(revoked).by_group);
}

}  // namespace crivo::bench
