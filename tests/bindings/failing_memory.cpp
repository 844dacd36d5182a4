// SPDX-License-Identifier: Apache-2.0
// Calls of crivo.h with an allocator that fails at the n-th call, for each n: `failing_memory
// FOLDER`. No exception leaves one, each says that it failed, and what was open still answers. It
// says what is wrong and ends with 1.
#include "failing_memory.hpp"

#include <crivo.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <new>
#include <string>
#include <utility>

#include "support/replaced_allocator.hpp"

namespace {

std::atomic<std::int64_t> left{INT64_MAX};  ///< of allocations, until one fails

}  // namespace

void* crivo::test::allocate(std::size_t size, std::size_t alignment) {
  if (left.fetch_sub(1) == 0) throw std::bad_alloc();
  void* const memory =
      alignment > alignof(std::max_align_t)
          ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
          : std::malloc(size != 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

namespace {

const char* at_work = "";  ///< what std::terminate() ends
std::int64_t at_number = 0;
int failures = 0;

}  // namespace

std::string folder;

void complain(const char* problem) {
  ++failures;
  std::printf("%s, allocation %lld: %s (%s)\n", at_work, static_cast<long long>(at_number), problem,
              crivo_error_message());
}

void try_each(const char* name, const std::function<crivo_status()>& work) {
  constexpr std::int64_t kMost = 25;
  at_work = name;
  at_number = -1;
  left = INT64_MAX;
  if (work() != CRIVO_STATUS_OK) return complain("fails with all memory");
  const std::int64_t all = INT64_MAX - left.load();
  const bool is_long = std::getenv("CRIVO_LONG") != nullptr;
  const std::int64_t step = is_long ? 1 : all / kMost + 1;
  for (std::int64_t n = 0; n < all; n += step) {
    at_number = n;
    left = n;
    crivo_status status = CRIVO_STATUS_OK;
    try {
      status = work();
    } catch (...) {
      complain("an exception crosses the border");
    }
    left = INT64_MAX;
    // What is done beside the call's purpose, as a warning, may be left out.
    if (status != CRIVO_STATUS_OK && std::strstr(crivo_error_message(), "memory") == nullptr)
      complain("says another reason");
  }
}

namespace {

crivo_bytes keys[] = {
    {"a", 1}, {"ab", 2}, {"abc", 3}, {"a key that is longer than what a string has room for", 52}};
constexpr std::size_t kKeys = std::size(keys);
const crivo_keys kAll = crivo_keys_each(keys, kKeys);

int next_record(void* context, crivo_writer* writer) {
  auto& done = *static_cast<std::size_t*>(context);
  (void)crivo_writer_record(writer, keys[done].data, keys[done].size, "file\t6", 6);
  return ++done < kKeys ? 1 : 0;
}
int next_of_group(void* context, crivo_writer* writer) {
  auto& done = *static_cast<std::size_t*>(context);
  (void)crivo_writer_record(writer, keys[done].data, keys[done].size, "group", 5);
  return ++done < kKeys ? 1 : 0;
}

int progress(void*, const crivo_progress*) {
  return 0;
}

crivo_status build(const char* kind, const std::string& path, crivo_next next) {
  crivo_input* input = nullptr;
  std::size_t done = 0;
  crivo_status status =
      next != nullptr ? crivo_input_function(next, &done, &input) : crivo_input_keys(&kAll, &input);
  if (status != CRIVO_STATUS_OK) return status;
  const crivo_output output = crivo_to_path(path.c_str());
  crivo_resources resources{};
  resources.struct_size = sizeof resources;
  resources.threads = 1;
  resources.on_progress = progress;
  crivo_build_options options{};
  options.struct_size = sizeof options;
  options.replace = 1;
  options.resources = &resources;
  status = crivo_build(kind, input, &output, nullptr, &options, nullptr);
  crivo_input_free(input);
  return status;
}

void try_builds() {
  const std::pair<const char*, crivo_next> kinds[] = {
      {"mphf", nullptr},           {"filter", nullptr},    {"map", nullptr},
      {"dictionary", nullptr},     {"store", next_record}, {"rows", next_record},
      {"filterset", next_of_group}};
  for (const auto& each : kinds) {
    const std::string path = folder + "/" + each.first;
    try_each(each.first, [&] { return build(each.first, path, each.second); });
  }
}

void try_lookups() {
  std::uint64_t numbers[kKeys];
  std::uint8_t present[kKeys];
  try_kind<crivo_mphf>("mphf", crivo_mphf_open, crivo_mphf_close, [&](crivo_mphf* mphf) {
    (void)crivo_mphf_lookup(mphf, "ab", 2);
    return crivo_mphf_lookup_many(mphf, &kAll, numbers);
  });
  try_kind<crivo_filter>("filter", crivo_filter_open, crivo_filter_close,
                         [&](crivo_filter* filter) {
                           std::size_t begin = 0;
                           (void)crivo_filter_contains_suffix(filter, "x.ab", 4, '.', &begin);
                           (void)crivo_filter_count(filter, "ab", 2);
                           return crivo_filter_contains_many(filter, &kAll, present);
                         });
  try_kind<crivo_map>("map", crivo_map_open, crivo_map_close, [&](crivo_map* map) {
    return crivo_map_lookup_many(map, &kAll, numbers, present);
  });
  try_kind<crivo_dictionary>(
      "dictionary", crivo_dictionary_open, crivo_dictionary_close, [&](crivo_dictionary* words) {
        (void)crivo_dictionary_lower_bound(words, "ab", 2);
        crivo_prefix found[kKeys];
        std::size_t count = 0;
        crivo_status status = crivo_dictionary_prefixes(words, "abcd", 4, found, kKeys, &count);
        if (status != CRIVO_STATUS_OK) return status;
        if (count != 3) complain("another answer");
        crivo_near near[kKeys];
        status = crivo_dictionary_fuzzy(words, "abd", 3, 1, near, kKeys, &count);
        return status != CRIVO_STATUS_OK ? status
                                         : crivo_dictionary_lookup_many(words, &kAll, numbers);
      });
  try_kind<crivo_rows>("rows", crivo_rows_open, crivo_rows_close, [&](crivo_rows* rows) {
    crivo_row found[kKeys];
    crivo_status status = crivo_rows_lookup_many(rows, &kAll, found, present);
    std::size_t count = 0;
    if (status == CRIVO_STATUS_OK)
      status = crivo_rows_lookup_lists(rows, &kAll, found, kKeys, numbers, &count);
    return status != CRIVO_STATUS_OK ? status : crivo_rows_verify(rows, nullptr);
  });
  try_kind<crivo_filterset>(
      "filterset", crivo_filterset_open, crivo_filterset_close, [&](crivo_filterset* set) {
        std::uint64_t bitmaps[kKeys];
        std::uint32_t counts[1] = {0};
        crivo_status status = crivo_filterset_contains_many(set, 0, &kAll, present);
        if (status == CRIVO_STATUS_OK) status = crivo_filterset_groups_of(set, &kAll, bitmaps);
        if (status == CRIVO_STATUS_OK) status = crivo_filterset_count(set, &kAll, counts);
        return status != CRIVO_STATUS_OK ? status : crivo_filterset_verify(set, nullptr);
      });
  try_kind<crivo_store>("store", crivo_store_open, crivo_store_close, [&](crivo_store* store) {
    crivo_reader* reader = nullptr;
    const crivo_status status = crivo_reader_open(store, &reader);
    if (status != CRIVO_STATUS_OK) return status;
    crivo_bytes record;
    if (crivo_reader_find(reader, "ab", 2, &record) != CRIVO_ANSWER_FOUND) complain("no record");
    crivo_reader_close(reader);
    return crivo_store_verify(store, nullptr);
  });
}

void try_changes() {
  const std::string store = folder + "/store";
  try_each("writer", [&] {
    crivo_store_writer* writer = nullptr;
    crivo_status status = crivo_store_writer_open(store.c_str(), nullptr, &writer);
    if (status != CRIVO_STATUS_OK) return status;
    status = crivo_store_writer_set(writer, "ab", 2, "changed", 7);
    if (status == CRIVO_STATUS_OK) status = crivo_store_writer_commit(writer);
    crivo_store_writer_close(writer);
    return status;
  });
  try_each("inspect", [&] {
    crivo_info info{};
    info.struct_size = sizeof info;
    return crivo_inspect(store.c_str(), &info);
  });
  try_each("verify", [&] { return crivo_verify(store.c_str(), nullptr); });
  try_each("key_of", [] {
    char room[100];
    std::size_t size = 0;
    return crivo_key_of("urls surt", "http://a.example/b", 18, room, &size);
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  std::set_terminate([] {
    left = INT64_MAX;
    std::printf("%s, allocation %lld: ends the program\n", at_work,
                static_cast<long long>(at_number));
    std::fflush(stdout);
    std::_Exit(1);
  });
  try_builds();
  try_lookups();
  try_changes();
  try_other_calls();
  try_rest();
  return failures == 0 ? 0 : 1;
}
