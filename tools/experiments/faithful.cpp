// SPDX-License-Identifier: Apache-2.0
#include "experiments/faithful.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/parallel.hpp"
#include "crivo/key.hpp"
#include "experiments/dissertation.hpp"
#include "experiments/drawn_functions.hpp"
#include "experiments/named_hashes.hpp"
#include "experiments/stopwatch.hpp"
#include "gen/permutation.hpp"
#include "structures/classic/build/acyclic.hpp"

namespace crivo::experiments {
namespace {

constexpr const char* kDebianWords = "/usr/share/dict/american-english-insane";

/// The values h1, h2 (and h3) of a key, already below |V|, or 32-bit words.
using Values = std::vector<Hash128>;

/// The document's way to avoid self-loops (its section 3.3.3), of values that are already reduced.
/// Where h2 is |V| - 1 it makes one after all.
template <unsigned kArity>
classic::Edge<kArity> document_edge(const classic::Words& h, std::uint32_t vertices) noexcept {
  const std::uint64_t v1 = h[0];
  std::uint64_t v2 = v1 + h[1] + 1;
  if constexpr (kArity == 2) {
    return {h[0], static_cast<std::uint32_t>(v2 % vertices)};
  } else {
    std::uint64_t v3 = v1 + h[2] + 1;
    if (v3 >= v2) ++v3;
    v2 %= vertices;
    return {h[0], static_cast<std::uint32_t>(v2), static_cast<std::uint32_t>(v3 % vertices)};
  }
}

/// Makes the values of all keys for graph number `graph`.
using HashAll = std::function<void(std::uint64_t graph, Values& values)>;

/// What a graph is made of: the values and the edges that they are.
struct Maker {
  HashAll hash_all;
  bool of_document;  ///< document_edge(); else LooplessEdges
};

std::uint64_t seed_of(std::uint64_t graph, unsigned function) noexcept {
  return gen::derive(0x66616974, 4 * graph + function);
}

std::size_t longest_of(const KeySet& keys, std::uint64_t count) {
  std::size_t longest = 0;
  for (std::uint64_t i = 0; i < count; ++i) longest = std::max(longest, keys[i].size());
  return longest;
}

Maker drawn(const KeySet& keys, std::uint64_t count, DrawnKind kind, std::uint32_t vertices,
            unsigned arity, bool to_the_letter) {
  const std::size_t longest = longest_of(keys, count);
  return {[=, &keys](std::uint64_t graph, Values& values) {
            std::ranges::fill(values, Hash128{});
            for (unsigned f = 0; f < arity; ++f) {
              const std::uint32_t m = to_the_letter ? vertices : vertices - f;
              const DrawnFunction h(kind, m, longest, seed_of(graph, f));
              for (std::uint64_t i = 0; i < count; ++i) {
                const std::uint64_t value = h(keys[i]);
                (f < 2 ? values[i].hi : values[i].lo) |= f % 2 == 0 ? value << 32 : value;
              }
            }
          },
          true};
}

Maker seeded_words(const KeySet& keys, std::uint64_t count, const NamedHash& named) {
  return {[&keys, count, &named](std::uint64_t graph, Values& values) {
            const hashing::SeededHash hash = seeded(named, seed_of(graph, 0));
            for (std::uint64_t i = 0; i < count; ++i) values[i] = hash(keys[i]);
          },
          false};
}

template <unsigned kArity>
Json draw_graphs(const Maker& maker, std::uint64_t count, std::uint64_t graphs, unsigned threads) {
  const std::uint32_t vertices = classic::mwhc_vertices(kArity, count);
  const classic::LooplessEdges<kArity> loopless(classic::Range::modulo, vertices);
  std::vector<int> acyclic(graphs);
  std::vector<double> hashing(graphs);
  std::vector<double> making(graphs);
  base::parallel_for(threads, graphs, [&](std::uint64_t number) {
    Values values(count);
    const Stopwatch hash_watch;
    maker.hash_all(number, values);
    hashing[number] = hash_watch.seconds();
    const Stopwatch graph_watch;
    classic::Graph<kArity> graph(vertices, static_cast<std::uint32_t>(count));
    if (maker.of_document) {
      graph.generate(values, 0,
                     [&](const classic::Words& h) { return document_edge<kArity>(h, vertices); });
    } else {
      graph.generate(values, 0, loopless);
    }
    acyclic[number] = graph.peel().size() == count ? 1 : 0;
    making[number] = graph_watch.seconds();
  });
  return {{"acyclic", acyclic}, {"hashing_seconds", hashing}, {"graph_seconds", making}};
}

DrawnKind kind_of(std::string_view function) {
  if (function == "hz64-letter") return DrawnKind::hz64;
  constexpr std::array kKinds{DrawnKind::hu64, DrawnKind::hu32, DrawnKind::hz64, DrawnKind::hz32,
                              DrawnKind::hj};
  return kKinds[static_cast<std::size_t>(std::ranges::find(kFaithfulFunctions, function) -
                                         kFaithfulFunctions.begin())];
}

Json draw_and_count(const KeySet& keys, std::uint64_t count, std::string_view function,
                    unsigned arity, std::uint64_t graphs, unsigned threads) {
  const std::uint32_t vertices = classic::mwhc_vertices(arity, count);
  const bool of_crivo = function == "crivo-hu" || function == "xxh3";
  const Maker maker =
      of_crivo ? seeded_words(keys, count, function == "xxh3" ? kXxh3 : kNamedHashes[0])
               : drawn(keys, count, kind_of(function), vertices, arity, function == "hz64-letter");
  Json json = arity == 2 ? draw_graphs<2>(maker, count, graphs, threads)
                         : draw_graphs<3>(maker, count, graphs, threads);
  if (!of_crivo) {
    const DrawnFunction h(kind_of(function), vertices, longest_of(keys, count), seed_of(0, 0));
    Overflows overflows;
    for (std::uint64_t i = 0; i < count; ++i) h.count(keys[i], overflows);
    json["products"] = overflows.products;
    json["sums"] = overflows.sums;
  }
  return json;
}

/// The XXH3 of each of the first keys, in hexadecimal: as many keys, without a structure.
KeySet unstructured(const KeySet& keys, std::uint64_t count) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t hash = hash_key(keys[i], kDefaultSeed).hi;
    for (int digit = 0; digit < 16; ++digit, hash >>= 4) text += kDigits[hash % 16];
    text += '\0';
  }
  return KeySet::of(std::move(text));
}

/// How many graphs of one kind are drawn, 0 for none: the document's 50 runs are of some 3 graphs
/// each, so that four times its runs tell as much and more; of many keys as many as the time of a
/// run allows, more where few are acyclic.
std::uint64_t graphs_of(const Run& run, std::string_view keys, std::uint64_t count,
                        std::string_view function, unsigned arity) {
  const bool hu = function == "hu64";
  const bool hj = function == "hj";
  const bool printed = hu || hj || function == "hz64";
  const bool many = count > 2'000'000;
  const bool few = count < 500'000;
  const bool is_set = keys == "words" || keys == "urls";
  if (arity == 3) {  // of which the document has 1.5 graphs of URLs with hu
    if (!is_set || !printed || (many && (keys == "words" || !(hu || hj)))) return 0;
    return run.repetitions(many || !run.full() ? 4 : few ? 20 : 10);
  }
  if (!run.full()) return is_set || (printed && !hj) ? 4 * run.repetitions(4) : 0;
  if (!is_set) return printed && !hj ? 4 * run.repetitions(few ? 50 : many ? 3 : 20) : 0;
  if (few) return 4 * run.repetitions(50);
  if (many) {
    if (keys == "words" && hu) return 4 * run.repetitions(10);
    return printed && !(keys == "urls" && function == "hz64") ? 4 * run.repetitions(3) : 0;
  }
  if (keys == "urls") return printed ? 4 * run.repetitions(12) : 0;
  return 4 * run.repetitions(hu || function == "hz64" ? 25 : 12);
}

void measure_faithful(Run& run) {
  const Json sizes = run.step(kFaithfulSizes, [&]() -> Json {
    const std::uint64_t words = run.key_sets().words().size();
    std::vector<std::uint64_t> counts;
    for (const std::uint64_t count : {std::uint64_t{85'436}, std::uint64_t{1'000'000}}) {
      if (count < words) counts.push_back(count);
    }
    counts.push_back(words);
    return {{"sizes", counts}, {"debian", std::filesystem::exists(kDebianWords) && run.full()}};
  });
  const bool debian = sizes.at("debian").get<bool>();
  for (const std::string keys : kFaithfulKeys) {
    if (keys == "debian" && !debian) continue;
    std::vector<std::uint64_t> counts = sizes.at("sizes").get<std::vector<std::uint64_t>>();
    std::unique_ptr<KeySet> made;  // of those that are not the run's
    const auto set = [&]() -> const KeySet& {
      if (keys == "words" || keys == "urls") return run.key_sets().named(keys);
      if (!made) {
        made = std::make_unique<KeySet>(keys == "debian"
                                            ? KeySet::read(kDebianWords)
                                            : unstructured(run.key_sets().words(), counts.back()));
      }
      return *made;
    };
    if (keys == "debian") counts = {0};
    for (const std::uint64_t count : counts) {
      for (const std::string_view function : kFaithfulFunctions) {
        for (const unsigned arity : {2U, 3U}) {
          const std::uint64_t about = count == 0 ? 500'000 : count;
          const std::uint64_t graphs = graphs_of(run, keys, about, function, arity);
          if (graphs == 0) continue;
          run.step(faithful_step(keys, count, function, arity), [&] {
            const std::uint64_t all =
                std::min<std::uint64_t>(set().size(), count == 0 ? set().size() : count);
            Json json = draw_and_count(set(), all, function, arity, graphs, run.threads());
            json["keys"] = all;
            return json;
          });
        }
      }
    }
  }
}

}  // namespace

std::string faithful_step(std::string_view keys, std::uint64_t count, std::string_view function,
                          unsigned arity) {
  return std::string(keys) + "/" + std::to_string(count) + "/" + std::string(function) + "/" +
         std::to_string(arity);
}

Experiment faithful_experiment() {
  return {"faithful", "Graphs of functions that are drawn anew (dissertation, section 4.4.1)",
          "Grafos de funções sorteadas de novo (dissertação, seção 4.4.1)", measure_faithful,
          report_faithful};
}

}  // namespace crivo::experiments
