// SPDX-License-Identifier: Apache-2.0
// crivo-bench-exact: an exact set of certificates that are drawn in the process, its deltas, every
// answer, and what lookups take (tools/doc/uses/revocation.md).

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "bench/clock.hpp"
#include "bench/exact/certificates.hpp"
#include "bench/exact/lookups.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/build/foreign.hpp"
#include "crivo/exact.hpp"
#include "crivo/foreign.hpp"
#include "crivo/inspect.hpp"
#include "options/program.hpp"

namespace crivo::bench {
namespace {

struct ExactBenchOptions {
  CertificateOptions certificates;
  std::uint64_t day = 0;
  bool ungrouped = false;
  std::uint64_t threads = 2;
  std::uint64_t memory = 0;
  std::filesystem::path set;
  std::filesystem::path output;
  std::vector<std::string> sets;
  LookupOptions lookups;

  BuildOptions build_options() const {
    BuildOptions options{.replace = true};
    options.resources.threads = static_cast<unsigned>(threads);
    options.resources.memory = memory << 20;
    return options;
  }
};

/// What build and diff say of what they wrote.
void print(const char* what, const BuildSummary& summary, std::uint64_t keys, double bound,
           double begin, double cpu) {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const double bytes = static_cast<double>(summary.bytes);
  std::printf(
      "%s: %llu keys, %.0f bytes, %.4f of the bound of %.0f; %.1f s, %.1f s of CPU; peak %.0f MB\n",
      what, static_cast<unsigned long long>(keys), bytes, 8 * bytes / bound, bound / 8,
      (wall_ns() - begin) / 1e9, (process_cpu_ns() - cpu) / 1e9,
      static_cast<double>(usage.ru_maxrss) * 1024 / 1e6);
}

int build(const ExactBenchOptions& options) {
  const Certificates all(options.certificates, options.day);
  const auto revoked = all.revoked(static_cast<unsigned>(options.threads));
  const auto bounds = all.bounds(revoked);
  std::printf("universe: %llu keys, %zu members; bounds: %.0f bytes, by group %.0f\n",
              static_cast<unsigned long long>(all.size()), revoked.size(), bounds.whole / 8,
              bounds.by_group / 8);
  const bool grouped = !options.ungrouped;
  const double begin = wall_ns();
  const double cpu = process_cpu_ns();
  KeyInput input = revoked_input(all, revoked, grouped);
  input.universe = std::make_shared<const KeyInput>(universe_input(all, grouped));
  const BuildSummary summary =
      options.certificates.clubcard
          ? foreign::build("clubcard", input, options.output, {{"grouped", "1"}},
                           options.build_options())
          : build_exact(input, options.output, {.grouped = grouped}, options.build_options());
  print("set", summary, summary.keys, grouped ? bounds.by_group : bounds.whole, begin, cpu);
  return 0;
}

int diff(const ExactBenchOptions& options) {
  const bool grouped = Exact::open(options.set).grouped();
  const Certificates all(options.certificates, options.day);
  const auto revoked = all.revoked(static_cast<unsigned>(options.threads));
  const double begin = wall_ns();
  const double cpu = process_cpu_ns();
  const BuildSummary summary =
      build_delta(options.set, revoked_input(all, revoked, grouped), universe_input(all, grouped),
                  options.output, {}, options.build_options());
  const std::uint64_t changes = inspect(options.output).keys;
  print("delta", summary, changes, all.bound_of_changes(revoked, changes), begin, cpu);
  return 0;
}

/// The same of a clubcard.
int check_clubcard(const ExactBenchOptions& options) {
  const Certificates all(options.certificates, options.day);
  const auto card = foreign::Clubcard::open(options.set);
  std::atomic<std::uint64_t> wrong = 0;
  std::vector<std::jthread> running;
  running.reserve(options.threads);
  for (unsigned t = 0; t < options.threads; ++t) {
    running.emplace_back([&, t] {
      for (std::uint64_t g = 0; g < all.issuers().size(); ++g) {
        const Issuer& issuer = all.issuers()[g];
        std::array<std::byte, 32> bytes;
        for (std::size_t i = 0; i < bytes.size(); ++i)
          bytes[i] = static_cast<std::byte>(std::stoul(issuer.name.substr(2 * i, 2), nullptr, 16));
        for (std::uint64_t at = t; at < issuer.keys; at += options.threads) {
          const Serial serial = Certificates::serial(g, at);
          const auto right = all.is_revoked(g, at) ? ExactAnswer::member : ExactAnswer::other;
          if (card.contains(bytes, {serial.data(), serial.size()}) != right) ++wrong;
        }
      }
    });
  }
  running.clear();
  std::printf("%llu keys, %llu wrong answers\n", static_cast<unsigned long long>(all.size()),
              static_cast<unsigned long long>(wrong.load()));
  return wrong == 0 ? 0 : 1;
}

/// Asks for every key of the universe; the exit code is 1 if an answer is wrong.
int check(const ExactBenchOptions& options) {
  if (options.certificates.clubcard) return check_clubcard(options);
  const Certificates all(options.certificates, options.day);
  const Exact set = Exact::open(options.set);
  std::atomic<std::uint64_t> wrong = 0;
  std::vector<std::jthread> running;
  running.reserve(options.threads);
  for (unsigned t = 0; t < options.threads; ++t) {
    running.emplace_back([&, t] {
      constexpr std::size_t kBlock = 1024;
      std::array<Serial, kBlock> serials;
      std::array<std::string_view, kBlock> keys;
      std::array<ExactAnswer, kBlock> answers;
      for (std::size_t i = 0; i < kBlock; ++i) keys[i] = {serials[i].data(), serials[i].size()};
      for (std::uint64_t g = 0; g < all.issuers().size(); ++g) {
        const Issuer& issuer = all.issuers()[g];
        const Exact::Group group = set.group(issuer.name);
        for (std::uint64_t at = t * kBlock; at < issuer.keys; at += options.threads * kBlock) {
          const std::size_t size = std::min<std::uint64_t>(kBlock, issuer.keys - at);
          for (std::size_t i = 0; i < size; ++i) serials[i] = Certificates::serial(g, at + i);
          group.contains(std::span(keys).first(size), std::span(answers).first(size));
          for (std::size_t i = 0; i < size; ++i) {
            const auto right = all.is_revoked(g, at + i) ? ExactAnswer::member : ExactAnswer::other;
            if (answers[i] != right) ++wrong;
          }
        }
      }
    });
  }
  running.clear();
  std::printf("%llu keys, %llu wrong answers\n", static_cast<unsigned long long>(all.size()),
              static_cast<unsigned long long>(wrong.load()));
  return wrong == 0 ? 0 : 1;
}

int measure(const ExactBenchOptions& options) {
  const Certificates all(options.certificates, options.day);
  const auto revoked = all.revoked(static_cast<unsigned>(options.threads));
  compare_lookups(all, revoked, {options.sets.begin(), options.sets.end()}, options.lookups);
  for (const std::string& path : options.sets) {
    double least = 1e18;
    for (int round = 0; round < 10; ++round) {
      const double begin = process_cpu_ns();
      const Exact set = Exact::open(path);
      least = std::min(least, process_cpu_ns() - begin);
    }
    std::printf("%s: opened in %.2f ms\n", path.c_str(), least / 1e6);
  }
  return 0;
}

/// Name, keys, and the range of the draws that are revoked, for programs that draw the same keys.
int list_groups(const ExactBenchOptions& options) {
  const Certificates all(options.certificates, options.day);
  for (const Issuer& issuer : all.issuers())
    std::printf(
        "%s\t%llu\t%llu\t%llu\n", issuer.name.c_str(), static_cast<unsigned long long>(issuer.keys),
        static_cast<unsigned long long>(issuer.low), static_cast<unsigned long long>(issuer.high));
  return 0;
}

void add_universe(options::Command command, ExactBenchOptions& options) {
  command.option("-n,--keys", options.certificates.keys, "keys of the universe on day 0")
      .shows_default();
  command.option("--groups", options.certificates.groups, "issuers").shows_default();
  command
      .option("--changes", options.certificates.changes,
              "keys whose answers change in a day, about")
      .shows_default();
  command.option("--day", options.day, "the day that the universe is of").shows_default();
  command.option("--threads", options.threads, "threads").shows_default();
}

void add_build(options::Command command, ExactBenchOptions& options) {
  command.option("--memory", options.memory, "budget in MiB; 0: as the library has it")
      .shows_default();
  command.option("-o,--output", options.output, "what is written").value_name("FILE").required();
}

int run_tool(int argc, char** argv) {
  options::Program program(
      "crivo-bench-exact",
      "an exact set of certificates that are drawn in the process: 11.7 of 816 are revoked");
  ExactBenchOptions options;
  auto of_build = program.subcommand("build", "write the set of a day");
  add_universe(of_build, options);
  add_build(of_build, options);
  of_build.flag("--ungrouped", options.ungrouped, "one set, not one by issuers");
  of_build.flag("--clubcard", options.certificates.clubcard, "a clubcard");
  auto of_diff = program.subcommand("diff", "write the delta from a set or chain to a day");
  of_diff.option("PATH", options.set, "a set or chain").required();
  add_universe(of_diff, options);
  add_build(of_diff, options);
  auto of_check = program.subcommand("check", "ask for every key of a day");
  of_check.option("PATH", options.set, "a set or chain").required();
  add_universe(of_check, options);
  of_check.flag("--clubcard", options.certificates.clubcard, "the set is a clubcard");
  auto of_lookups = program.subcommand("lookups", "time lookups beside those in a filter");
  of_lookups.option("PATH", options.sets, "sets and chains").required();
  add_universe(of_lookups, options);
  of_lookups.option("--lookups", options.lookups.lookups, "keys in a round").shows_default();
  of_lookups.option("--peer", options.lookups.peers, "a shared library of filters (peer.h)")
      .value_name("FILE");
  of_lookups.option("--rounds", options.lookups.rounds, "rounds").shows_default();
  auto of_groups = program.subcommand("groups", "list the issuers of a day");
  add_universe(of_groups, options);
  return program.run(argc, argv, [&] {
    if (of_build.given()) return build(options);
    if (of_diff.given()) return diff(options);
    if (of_check.given()) return check(options);
    if (of_lookups.given()) return measure(options);
    if (of_groups.given()) return list_groups(options);
    throw std::runtime_error("name a command: build, diff, check, lookups or groups");
  });
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) {
  return crivo::bench::run_tool(argc, argv);
}
