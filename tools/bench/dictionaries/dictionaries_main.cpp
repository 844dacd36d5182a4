// SPDX-License-Identifier: Apache-2.0
// crivo-bench-dictionaries: what a dictionary takes beside tries, which also tell the id of a key
// and the key of an id (tools/bench/FIGURES.md).

#include <marisa.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/clock.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/dictionary.hpp"
#include "options/program.hpp"

#ifdef CRIVO_BENCH_XCDAT
#include <xcdat.hpp>
#endif
#ifdef CRIVO_BENCH_PATH_DECOMPOSED_TRIES
#include <succinct/mapper.hpp>
#include <tries/compressed_string_pool.hpp>
#include <tries/path_decomposed_trie.hpp>
#include <tries/vbyte_string_pool.hpp>
#endif

namespace crivo::bench {
namespace {

constexpr std::size_t kBatch = 64;

/// What is asked, in a random order: texts that lie in the order in which they are asked for.
struct Asked {
  Asked(const std::vector<std::string>& keys, std::size_t count) {
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937_64(5));
    order.resize(std::min(count, order.size()));
    std::vector<std::size_t> ends;
    for (const std::size_t i : order) {
      bytes += keys[i];
      ends.push_back(bytes.size());
    }
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      texts.push_back(std::string_view(bytes).substr(begin, end - begin));
      begin = end;
    }
  }

  std::string bytes;
  std::vector<std::string_view> texts;
};

/// Nanoseconds of CPU; 0: not measured.
struct Row {
  std::string name;
  double bytes = 0;  ///< of a key
  double build = 0;  ///< of all keys
  double hit = 0;
  double hit_batch = 0;
  double key = 0;
  double key_batch = 0;
  double next = 0;  ///< of a key, in order
};

/// The least of some rounds that each do `count` of something.
template <typename Round>
double least(std::uint64_t rounds, std::size_t count, const Round& round) {
  double best = 0;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    const double begin = process_cpu_ns();
    round();
    const double taken =
        (process_cpu_ns() - begin) / static_cast<double>(std::max<std::size_t>(count, 1));
    best = i == 0 ? taken : std::min(best, taken);
  }
  return best;
}

/// So that no answer is left out.
std::uint64_t checksum = 0;

void fail_wrong(const std::string& name) {
  throw std::runtime_error(name + " answers wrongly");
}

/// A dictionary built on one thread, as the row says of it.
std::vector<std::byte> build_crivo(const std::vector<std::string>& keys,
                                   const DictionaryOptions& dictionary, Row& row) {
  const double begin = process_cpu_ns();
  std::vector<std::byte> file;
  BuildOptions options;
  options.resources.threads = 1;
  build_dictionary(keys_in(keys), Output::to(file), dictionary, options);
  row.build = process_cpu_ns() - begin;
  row.bytes = static_cast<double>(file.size()) / static_cast<double>(keys.size());
  return file;
}

/// Times look_up(text), and look_up(texts, ids) of batches.
template <typename LookUp>
void measure_hits(std::span<const std::string_view> texts, std::uint64_t rounds, Row& row,
                  const LookUp& look_up) {
  row.hit = least(rounds, texts.size(), [&] {
    for (const std::string_view text : texts) checksum += look_up(text);
  });
  std::array<std::uint64_t, kBatch> ids;
  row.hit_batch = least(rounds, texts.size(), [&] {
    for (std::size_t i = 0; i < texts.size(); i += kBatch) {
      const auto batch = texts.subspan(i, std::min(kBatch, texts.size() - i));
      look_up(batch, std::span(ids).first(batch.size()));
      checksum += ids[0];
    }
  });
}

Row measure_crivo(const std::vector<std::string>& keys, const Asked& asked, unsigned block_keys,
                  std::uint64_t rounds) {
  Row row{.name = "crivo, " + std::to_string(block_keys)};
  const std::vector<std::byte> file = build_crivo(keys, {.block_keys = block_keys}, row);
  const Dictionary dictionary = Dictionary::open(std::span<const std::byte>(file));

  const std::span<const std::string_view> texts(asked.texts);
  std::vector<std::uint64_t> ids(texts.size());
  dictionary.lookup(texts, ids);
  std::vector<char> room(kBatch * std::max<std::size_t>(dictionary.longest_key(), 1));
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (dictionary.key(ids[i], room) != texts[i]) fail_wrong(row.name);
  measure_hits(texts, rounds, row,
               [&](const auto&... asked_for) { return dictionary.lookup(asked_for...); });
  row.key = least(rounds, ids.size(), [&] {
    for (const std::uint64_t id : ids) checksum += dictionary.key(id, room)->size();
  });
  std::array<std::uint64_t, kBatch + 1> ends;
  row.key_batch = least(rounds, ids.size(), [&] {
    for (std::size_t i = 0; i < ids.size(); i += kBatch) {
      const auto batch =
          std::span<const std::uint64_t>(ids).subspan(i, std::min(kBatch, ids.size() - i));
      checksum += dictionary.key(batch, room, std::span(ends).first(batch.size() + 1));
    }
  });
  row.next = least(rounds, keys.size(), [&] {
    Dictionary::Cursor cursor(dictionary);
    for (bool more = cursor.seek(0); more; more = cursor.next()) checksum += cursor.key().size();
  });
  return row;
}

/// Ids by the hashes of keys, of a dictionary that has them beside.
Row measure_hashed(const std::vector<std::string>& keys, const Asked& asked, std::uint64_t rounds) {
  Row row{.name = "crivo, 64, hashed"};
  const std::vector<std::byte> file = build_crivo(keys, {.hashed = true}, row);
  const Dictionary dictionary = Dictionary::open(std::span<const std::byte>(file));
  const std::span<const std::string_view> texts(asked.texts);
  std::vector<std::uint64_t> ids(texts.size());
  dictionary.lookup(texts, ids);
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (dictionary.lookup_hashed(texts[i]) != ids[i]) fail_wrong(row.name);
  measure_hits(texts, rounds, row,
               [&](const auto&... asked_for) { return dictionary.lookup_hashed(asked_for...); });
  return row;
}

Row measure_marisa(const std::vector<std::string>& keys, const Asked& asked, std::uint64_t rounds) {
  Row row{.name = "marisa-trie"};
  marisa::Keyset copies;
  for (const std::string& key : keys) copies.push_back(key.data(), key.size());
  marisa::Trie trie;
  const double begin = process_cpu_ns();
  trie.build(copies);
  row.build = process_cpu_ns() - begin;
  row.bytes = static_cast<double>(trie.io_size()) / static_cast<double>(keys.size());
  marisa::Agent agent;
  const auto look_up = [&](std::string_view text) {
    agent.set_query(text.data(), text.size());
    if (!trie.lookup(agent)) fail_wrong(row.name);
    return agent.key().id();
  };
  std::vector<std::size_t> ids;
  ids.reserve(asked.texts.size());
  for (const std::string_view text : asked.texts) ids.push_back(look_up(text));
  row.hit = least(rounds, ids.size(), [&] {
    for (const std::string_view text : asked.texts) checksum += look_up(text);
  });
  row.key = least(rounds, ids.size(), [&] {
    for (const std::size_t id : ids) {
      agent.set_query(id);
      trie.reverse_lookup(agent);
      checksum += agent.key().length();
    }
  });
  row.next = least(rounds, keys.size(), [&] {
    agent.set_query("", 0);
    while (trie.predictive_search(agent)) checksum += agent.key().length();
  });
  return row;
}

#ifdef CRIVO_BENCH_XCDAT
/// It takes keys in order.
template <typename Trie>
Row measure_xcdat(const std::string& name, std::vector<std::string> keys, const Asked& asked,
                  std::uint64_t rounds) {
  Row row{.name = name};
  const double begin = process_cpu_ns();
  std::sort(keys.begin(), keys.end());
  const Trie trie(keys);
  row.build = process_cpu_ns() - begin;
  row.bytes = static_cast<double>(xcdat::memory_in_bytes(trie)) / static_cast<double>(keys.size());
  std::vector<std::uint64_t> ids;
  ids.reserve(asked.texts.size());
  for (const std::string_view text : asked.texts) ids.push_back(trie.lookup(text).value());
  row.hit = least(rounds, ids.size(), [&] {
    for (const std::string_view text : asked.texts) checksum += *trie.lookup(text);
  });
  std::string key;
  row.key = least(rounds, ids.size(), [&] {
    for (const std::uint64_t id : ids) {
      trie.decode(id, key);
      checksum += key.size();
    }
  });
  row.next = least(rounds, keys.size(), [&] {
    auto all = trie.make_enumerative_iterator();
    while (all.next()) checksum += all.decoded_view().size();
  });
  return row;
}
#endif

#ifdef CRIVO_BENCH_PATH_DECOMPOSED_TRIES
/// A trie by centroid paths (Grossi and Ottaviano, "Fast compressed tries through path
/// decompositions", ALENEX 2012), whose labels `Pool` holds. It takes keys in order, and ends each
/// by a zero byte of its own.
template <typename Pool>
Row measure_path_decomposed(const std::string& name, std::vector<std::string> keys,
                            const Asked& asked, std::uint64_t rounds) {
  Row row{.name = name};
  const double begin = process_cpu_ns();
  std::sort(keys.begin(), keys.end());
  succinct::tries::path_decomposed_trie<Pool> trie(keys);
  row.build = process_cpu_ns() - begin;
  row.bytes =
      static_cast<double>(succinct::mapper::size_of(trie)) / static_cast<double>(keys.size());
  const auto text_of = [](std::string_view text) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(text.data());
    return succinct::util::char_range(first, first + text.size() + 1);
  };
  // The trie reads the zero byte behind each text as well.
  std::string bytes;
  std::vector<std::size_t> begins;
  for (const std::string_view text : asked.texts) {
    begins.push_back(bytes.size());
    bytes.append(text).push_back('\0');
  }
  std::vector<std::string_view> texts;
  for (std::size_t i = 0; i < begins.size(); ++i)
    texts.push_back(std::string_view(bytes).substr(begins[i], asked.texts[i].size()));
  std::vector<std::size_t> ids;
  ids.reserve(texts.size());
  for (const std::string_view text : texts) {
    ids.push_back(trie.index(text, text_of));
    if (trie[ids.back()] != text) fail_wrong(name);
  }
  row.hit = least(rounds, ids.size(), [&] {
    for (const std::string_view text : texts) checksum += trie.index(text, text_of);
  });
  row.key = least(rounds, ids.size(), [&] {
    for (const std::size_t id : ids) checksum += trie[id].size();
  });
  return row;
}
#endif

void print(const std::vector<Row>& rows, std::size_t keys) {
  std::printf(
      "| %zu keys | bytes a key | build s | hit | in batches | key(id) | in batches | next |\n",
      keys);
  std::puts("|---|---:|---:|---:|---:|---:|---:|---:|");
  const auto cell = [](double ns, const char* form) {
    if (ns == 0) {
      std::printf(" |");
    } else {
      std::printf(form, ns);
    }
  };
  for (const Row& row : rows) {
    std::printf("| %s | %.3f | %.2f |", row.name.c_str(), row.bytes, row.build / 1e9);
    for (const double ns : {row.hit, row.hit_batch, row.key, row.key_batch}) cell(ns, " %.0f |");
    cell(row.next, " %.1f |");
    std::puts("");
  }
}

std::vector<std::string> read_lines(const std::string& path, std::uint64_t most) {
  std::ifstream in(path, std::ios::binary);
  std::vector<std::string> keys;
  for (std::string line; keys.size() < most && std::getline(in, line);)
    if (!line.empty()) keys.push_back(line);
  if (keys.empty()) throw std::runtime_error(path + ": no lines can be read");
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::shuffle(keys.begin(), keys.end(), std::mt19937_64(7));
  return keys;
}

int run_tool(int argc, char** argv) {
  options::Program program("crivo-bench-dictionaries",
                           "a dictionary of lines beside tries: bytes a key, CPU ns of a lookup");
  std::string path;
  std::uint64_t most = UINT64_MAX;
  std::uint64_t lookups = 1 << 20;
  std::uint64_t rounds = 5;
  program.option("FILE", path, "the keys, one a line").required();
  program.option("--keys", most, "the first so many lines").shows_default("all");
  program.option("--lookups", lookups, "keys that are asked for in a round").shows_default();
  program.option("--rounds", rounds, "rounds, of which the least is shown").shows_default();
  return program.run(argc, argv, [&] {
    const std::vector<std::string> keys = read_lines(path, most);
    const Asked asked(keys, lookups);
    std::vector<Row> rows{measure_crivo(keys, asked, 64, rounds),
                          measure_crivo(keys, asked, 128, rounds),
                          measure_hashed(keys, asked, rounds), measure_marisa(keys, asked, rounds)};
#ifdef CRIVO_BENCH_XCDAT
    rows.push_back(measure_xcdat<xcdat::trie_8_type>("XCDAT 8", keys, asked, rounds));
    rows.push_back(measure_xcdat<xcdat::trie_15_type>("XCDAT 15", keys, asked, rounds));
#endif
#ifdef CRIVO_BENCH_PATH_DECOMPOSED_TRIES
    rows.push_back(measure_path_decomposed<succinct::tries::vbyte_string_pool>(
        "path-decomposed trie", keys, asked, rounds));
    rows.push_back(measure_path_decomposed<succinct::tries::compressed_string_pool>(
        "the same, Re-Pair", keys, asked, rounds));
#endif
    print(rows, keys.size());
    return checksum == 0 ? 1 : 0;
  });
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) {
  return crivo::bench::run_tool(argc, argv);
}
