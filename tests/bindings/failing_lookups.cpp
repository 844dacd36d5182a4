// SPDX-License-Identifier: Apache-2.0
// What is open over bytes, or read by ranges, of ranges, by hashes, and the rest of the calls, as
// failing_memory.cpp calls them, after the files of failing_calls.cpp were built.
#include <crivo.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "failing_memory.hpp"
#include "file_source.h"

namespace {

const std::uint64_t kNumbers[] = {3, 9, 27};
const crivo_keys kIntegers = crivo_keys_numbers(kNumbers, std::size(kNumbers));

std::string contents(const char* name) {
  std::ifstream file(folder + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <typename Opened>
using OpenBytes = crivo_status (*)(const void*, std::size_t, const crivo_open_options*, Opened**);

/// Opens the bytes of a file of the folder, asks and closes.
template <typename Opened, typename Ask>
void try_bytes(const char* name, OpenBytes<Opened> open, void (*close)(Opened*), Ask ask) {
  const std::string bytes = contents(name);
  try_each(name, [&] {
    Opened* opened = nullptr;
    const crivo_status status = open(bytes.data(), bytes.size(), nullptr, &opened);
    if (status != CRIVO_STATUS_OK) return status;
    const crivo_status asked = ask(opened);
    close(opened);
    return asked;
  });
}

void try_opened_bytes() {
  try_bytes<crivo_mphf>("mphf", crivo_mphf_open_bytes, crivo_mphf_close, [](crivo_mphf* mphf) {
    const crivo_hash hash = crivo_mphf_hash(mphf, "ab", 2);
    std::uint64_t rank = 0;
    const crivo_status status = crivo_mphf_lookup_hash(mphf, &hash, &rank);
    return status == CRIVO_STATUS_OK ? crivo_mphf_verify(mphf, nullptr) : status;
  });
  try_bytes<crivo_map>("values", crivo_map_open_bytes, crivo_map_close, [](crivo_map* map) {
    const crivo_hash hash = crivo_map_hash(map, "a.b", 3);
    crivo_answer answer = CRIVO_ANSWER_ABSENT;
    std::uint64_t value = 0;
    const crivo_status status = crivo_map_lookup_hash(map, &hash, &answer, &value);
    if (status == CRIVO_STATUS_OK && value != 7) complain("another answer");
    return status == CRIVO_STATUS_OK ? crivo_map_verify(map, nullptr) : status;
  });
  try_bytes<crivo_exact>("set", crivo_exact_open_bytes, crivo_exact_close,
                         [](crivo_exact* set) { return crivo_exact_verify(set, nullptr); });
  try_bytes<crivo_rows>("rows", crivo_rows_open_bytes, crivo_rows_close,
                        [](crivo_rows* rows) { return crivo_rows_verify(rows, nullptr); });
  try_bytes<crivo_filterset>(
      "filterset", crivo_filterset_open_bytes, crivo_filterset_close,
      [](crivo_filterset* set) { return crivo_filterset_verify(set, nullptr); });
  try_bytes<crivo_dictionary>("words", crivo_dictionary_open_bytes, crivo_dictionary_close,
                              [](crivo_dictionary* words) {
                                crivo_info info{};
                                info.struct_size = sizeof info;
                                return crivo_dictionary_info(words, &info);
                              });
}

/// Builds filters of hashes in memory and asks them.
void try_hash_filters() {
  for (const char* const type : {"ribbon", "bloom"}) {
    try_each(type, [&] {
      const crivo_hash_filter_options options{sizeof options, type, 0};
      char memory[1024];
      std::size_t bytes = 0;
      crivo_status status = crivo_filter_hashes_bytes(std::size(kNumbers), &options, &bytes);
      if (status != CRIVO_STATUS_OK) return status;
      status = crivo_filter_build_hashes(kNumbers, std::size(kNumbers), &options, memory,
                                         sizeof memory, &bytes);
      crivo_hash_filter* filter = nullptr;
      if (status == CRIVO_STATUS_OK) status = crivo_hash_filter_open(memory, bytes, &filter);
      if (status != CRIVO_STATUS_OK) return status;
      std::uint8_t answers[] = {0, 0, 0};
      status = crivo_hash_filter_contains_many(filter, kNumbers, std::size(kNumbers), answers);
      if (status == CRIVO_STATUS_OK && answers[1] != 1) complain("another answer");
      crivo_hash_filter_close(filter);
      return status;
    });
  }
}

/// Builds a filter of ranges from numbers that a function hands over, and asks it.
void try_ranges() {
  const std::string path = folder + "/ranges";
  const crivo_output output = crivo_to_path(path.c_str());
  crivo_build_options options{};
  options.struct_size = sizeof options;
  options.replace = 1;
  const char* const choices[] = {"type=range", nullptr};
  try_each("ranges", [&] {
    crivo_input* input = nullptr;
    crivo_status status = crivo_input_keys(&kIntegers, &input);
    if (status != CRIVO_STATUS_OK) return status;
    status = crivo_build("filter", input, &output, choices, &options, nullptr);
    crivo_input_free(input);
    return status;
  });
  try_bytes<crivo_filter>(
      "ranges", crivo_filter_open_bytes, crivo_filter_close, [](crivo_filter* filter) {
        int contains = 0;
        std::uint8_t answers[std::size(kNumbers)];
        const crivo_status status = crivo_filter_contains_range(filter, 3, 4, &contains);
        if (status == CRIVO_STATUS_OK && contains != 1) complain("another answer");
        return status != CRIVO_STATUS_OK
                   ? status
                   : crivo_filter_contains_ranges(filter, kNumbers, kNumbers, std::size(kNumbers),
                                                  answers);
      });
}

int take_found(void* context, const crivo_found* found) {
  ++*static_cast<std::size_t*>(context);
  return found->index > 3 ? 1 : 0;
}

/// Of a dictionary that is read by ranges.
void try_remote() {
  const std::string path = folder + "/words";
  const crivo_bytes asked[] = {{"a.b", 3}, {"c.a.b", 5}, {"none", 4}};
  const crivo_keys keys = crivo_keys_each(asked, std::size(asked));
  const std::string cache = folder + "/cache";
  try_each("remote", [&] {
    file_source file{path.c_str(), nullptr, 0, 0, 0};
    const crivo_source source = source_of(&file);
    crivo_remote* remote = nullptr;
    crivo_remote_options options{};
    options.struct_size = sizeof options;
    options.cache_folder = cache.c_str();
    options.cache_folder_bytes = 1;
    crivo_status status = crivo_remote_open(path.c_str(), &source, &options, &remote);
    if (status != CRIVO_STATUS_OK) return status;
    std::size_t found = 0;
    crivo_info info{};
    info.struct_size = sizeof info;
    status = crivo_remote_find_many(remote, &keys, take_found, &found);
    if (status == CRIVO_STATUS_OK && found != std::size(asked)) complain("another answer");
    if (status == CRIVO_STATUS_OK) status = crivo_remote_info(remote, &info);
    const crivo_keys prefix = crivo_keys_each(asked, 1);
    if (status == CRIVO_STATUS_OK)
      status = crivo_remote_query(remote, "prefix", &prefix, take_found, &found);
    crivo_signature signature{};
    signature.struct_size = sizeof signature;
    if (status == CRIVO_STATUS_OK && crivo_remote_signature(remote, &signature) == CRIVO_STATUS_OK)
      complain("a signature of nothing");
    if (status == CRIVO_STATUS_OK) status = crivo_remote_verify(remote, nullptr);
    crivo_remote_close(remote);
    return status;
  });
}

int next_value(void*, crivo_writer* writer) {
  (void)crivo_writer_value(writer, "a", 1, 7);
  return 0;
}
int next_key(void*, crivo_writer* writer) {
  (void)crivo_writer_key(writer, "a", 1);
  return 0;
}

/// Of a function that hands over keys, or keys with values.
void try_writers() {
  const char* const of_values[] = {"values=1", nullptr};
  for (const bool has_values : {false, true}) {
    try_each(has_values ? "written values" : "written keys", [&] {
      crivo_buffer* buffer = nullptr;
      crivo_input* input = nullptr;
      crivo_status status = crivo_buffer_new(&buffer);
      if (status != CRIVO_STATUS_OK) return status;
      status = crivo_input_function(has_values ? next_value : next_key, nullptr, &input);
      const crivo_output output = crivo_to_buffer(buffer);
      if (status == CRIVO_STATUS_OK)
        status = crivo_build(has_values ? "map" : "mphf", input, &output,
                             has_values ? of_values : nullptr, nullptr, nullptr);
      crivo_input_free(input);
      crivo_buffer_free(buffer);
      return status;
    });
  }
}

void try_removals() {
  const std::string store = folder + "/store";
  const crivo_bytes removed[] = {{"a", 1}};
  const crivo_keys one = crivo_keys_each(removed, 1);
  try_each("store remove", [&] {
    crivo_input* input = nullptr;
    crivo_status status = crivo_input_keys(&one, &input);
    if (status != CRIVO_STATUS_OK) return status;
    status = crivo_store_remove(store.c_str(), input, nullptr, nullptr);
    crivo_input_free(input);
    return status;
  });
  try_each("writer remove", [&] {
    crivo_store_writer* writer = nullptr;
    crivo_status status = crivo_store_writer_open(store.c_str(), nullptr, &writer);
    if (status != CRIVO_STATUS_OK) return status;
    status = crivo_store_writer_remove(writer, "a", 1, nullptr);
    crivo_store_writer_close(writer);
    return status;
  });
  try_each("random seed", [] {
    std::uint64_t seed = 0;
    return crivo_random_seed(&seed);
  });
}

}  // namespace

void try_rest() {
  try_opened_bytes();
  try_hash_filters();
  try_ranges();
  try_remote();
  try_writers();
  try_removals();
}
