// SPDX-License-Identifier: Apache-2.0
// Exact sets, deltas, shards, edits, and the other ways of asking, as failing_memory.cpp calls
// them.
#include <crivo.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>

#include "failing_memory.hpp"

namespace {

crivo_bytes members[] = {{"a.b", 3}, {"c.a.b", 5}};
crivo_bytes universe[] = {
    {"a.b", 3}, {"c.a.b", 5}, {"d", 1}, {"a text that no string has room for", 34}};
crivo_bytes groups[] = {{"x", 1}, {"y", 1}, {"y", 1}, {"y", 1}};
constexpr std::size_t kMembers = std::size(members);
constexpr std::size_t kAll = std::size(universe);
const crivo_keys kMemberKeys = crivo_keys_each(members, kMembers);
const crivo_keys kAllKeys = crivo_keys_each(universe, kAll);
const crivo_keys kGroups = crivo_keys_each(groups, kAll);

std::string in_folder(const char* name) {
  return folder + "/" + name;
}

crivo_build_options replacing() {
  static const crivo_resources kResources = [] {
    crivo_resources resources{};
    resources.struct_size = sizeof resources;
    resources.threads = 1;
    return resources;
  }();
  crivo_build_options options{};
  options.struct_size = sizeof options;
  options.replace = 1;
  options.resources = &kResources;
  return options;
}

/// Makes an input for a call, and frees it.
template <typename Make, typename Use>
crivo_status with_input(const Make& make, const Use& use) {
  crivo_input* input = nullptr;
  crivo_status status = make(&input);
  if (status != CRIVO_STATUS_OK) return status;
  status = use(input);
  crivo_input_free(input);
  return status;
}

auto keys_of(const crivo_keys& keys) {
  return [&](crivo_input** input) { return crivo_input_keys(&keys, input); };
}

/// Members with their universe, of groups or not.
crivo_status members_of(crivo_input** input, bool grouped) {
  const crivo_keys some = crivo_keys_each(groups, kMembers);
  crivo_status status = grouped ? crivo_input_records(&kMemberKeys, &some, input)
                                : crivo_input_keys(&kMemberKeys, input);
  if (status != CRIVO_STATUS_OK) return status;
  status = with_input(
      [&](crivo_input** all) {
        return grouped ? crivo_input_records(&kAllKeys, &kGroups, all)
                       : crivo_input_keys(&kAllKeys, all);
      },
      [&](crivo_input* all) { return crivo_input_universe(*input, all); });
  if (status != CRIVO_STATUS_OK) crivo_input_free(*input);
  return status;
}

/// Builds `path` with each allocation failing.
template <typename Make>
void try_build(const char* kind, const char* name, const char* const* choices, const Make& make) {
  const std::string path = in_folder(name);
  const crivo_output output = crivo_to_path(path.c_str());
  const crivo_build_options options = replacing();
  try_each(name, [&] {
    return with_input(make, [&](crivo_input* input) {
      return crivo_build(kind, input, &output, choices, &options, nullptr);
    });
  });
}

void try_inputs() {
  const std::uint64_t values[kAll] = {7, 8, 9, 10};
  const char* const of_values[] = {"values=1", nullptr};
  const auto valued = [&](crivo_input** input) {
    return crivo_input_values(&kAllKeys, values, input);
  };
  try_build("map", "values", of_values, valued);
  try_build("dictionary", "words", of_values, valued);
  const std::string file = in_folder("lines");
  if (std::FILE* const lines = std::fopen(file.c_str(), "w")) {
    (void)std::fputs("x,k\n1,\"a\"\n2,b\n", lines);
    (void)std::fclose(lines);
  }
  const auto files = [&](crivo_input** input) {
    const char* const path = file.c_str();
    crivo_format format{};
    format.struct_size = sizeof format;
    format.quotes = format.skip_header = 1;
    format.key_name = "k";
    return crivo_input_files(&path, 1, &format, input);
  };
  try_build("mphf", "of-files", nullptr, files);
  const char* const counting[] = {"type=counting-bloom", "capacity=100", nullptr};
  const char* const bloom[] = {"type=bloom", "capacity=100", nullptr};
  try_build("filter", "counting", counting, keys_of(kAllKeys));
  try_build("filter", "bloom", bloom, keys_of(kAllKeys));
  const char* const ordered[] = {"backend=flat", "ordered=1", nullptr};
  try_build("store", "ordered", ordered,
            [](crivo_input** input) { return crivo_input_records(&kAllKeys, &kGroups, input); });
  try_each("estimate", [&] {
    const crivo_build_options options = replacing();
    crivo_estimate estimate{};
    estimate.struct_size = sizeof estimate;
    return with_input(valued, [&](crivo_input* input) {
      return crivo_estimate_build("map", input, of_values, &options, &estimate);
    });
  });
  const std::string map = in_folder("values");
  try_each("verify keys", [&] {
    std::uint64_t count = 0;
    return with_input(valued, [&](crivo_input* input) {
      return crivo_verify_keys(map.c_str(), input, 1, nullptr, &count);
    });
  });
  try_each("buffer", [&] {
    crivo_buffer* buffer = nullptr;
    crivo_status status = crivo_buffer_new(&buffer);
    if (status != CRIVO_STATUS_OK) return status;
    const crivo_output output = crivo_to_buffer(buffer);
    status = with_input(keys_of(kAllKeys), [&](crivo_input* input) {
      return crivo_build("mphf", input, &output, nullptr, nullptr, nullptr);
    });
    crivo_buffer_free(buffer);
    return status;
  });
  try_each("choices", [] {
    crivo_choice choice{};
    choice.struct_size = sizeof choice;
    return crivo_choice_of("filter", 1, &choice);
  });
}

void try_exact_sets() {
  for (const bool grouped : {false, true}) {
    const char* const choices[] = {grouped ? "grouped=1" : nullptr, nullptr};
    const char* const name = grouped ? "groups" : "set";
    try_build("exact", name, choices,
              [&](crivo_input** input) { return members_of(input, grouped); });
  }
  try_kind<crivo_exact>("groups", crivo_exact_open, crivo_exact_close, [](crivo_exact* set) {
    std::uint8_t answers[kAll];
    (void)crivo_exact_contains_in(set, "y", 1, "d", 1);
    (void)crivo_exact_contains_at(set, "y", 1, "d", 1, "log", 3);
    std::size_t begin = 0;
    (void)crivo_exact_contains_suffix(set, "x", 1, "z.a.b", 5, '.', &begin);
    crivo_exact* newer = nullptr;
    crivo_status status = crivo_exact_newer(set, &newer);
    if (status == CRIVO_STATUS_OK) status = crivo_exact_verify(set, nullptr);
    if (status == CRIVO_STATUS_OK)
      status = crivo_exact_contains_pairs(set, &kGroups, &kAllKeys, answers);
    crivo_exact_group* group = nullptr;
    if (status == CRIVO_STATUS_OK) status = crivo_exact_group_of(set, "y", 1, &group);
    if (status != CRIVO_STATUS_OK) return status;
    if (crivo_exact_group_contains(group, "c.a.b", 5) != CRIVO_EXACT_ANSWER_MEMBER)
      complain("another answer");
    status = crivo_exact_group_contains_many(group, &kAllKeys, answers);
    crivo_exact_group_free(group);
    return status;
  });
  try_kind<crivo_exact>("set", crivo_exact_open, crivo_exact_close, [](crivo_exact* set) {
    std::uint8_t answers[kAll];
    crivo_info info{};
    info.struct_size = sizeof info;
    const crivo_status status = crivo_exact_info(set, &info);
    return status != CRIVO_STATUS_OK
               ? status
               : crivo_exact_contains_many(set, nullptr, 0, &kAllKeys, answers);
  });
}

void try_deltas() {
  const std::string set = in_folder("set");
  const std::string delta = in_folder("delta");
  const std::string joined = in_folder("joined");
  const std::string next = in_folder("next");
  const std::string chain = in_folder("chain");
  const std::string filter = in_folder("filter");
  const crivo_build_options options = replacing();
  const char* const deltas[] = {delta.c_str(), next.c_str()};
  const auto try_delta = [&](const std::string& from, const std::string& to) {
    const crivo_output output = crivo_to_path(to.c_str());
    try_each("delta", [&] {
      return with_input([](crivo_input** input) { return members_of(input, false); },
                        [&](crivo_input* input) {
                          return crivo_build_delta(from.c_str(), input, &output, nullptr, &options,
                                                   nullptr);
                        });
    });
  };
  crivo_apply_options applying{};
  applying.struct_size = sizeof applying;
  applying.replace = 1;
  try_delta(set, delta);
  try_each("apply", [&] {
    return crivo_apply_deltas(set.c_str(), deltas, 1, chain.c_str(), &applying, nullptr);
  });
  try_delta(chain, next);
  try_each("squash", [&] { return crivo_squash_deltas(deltas, 2, joined.c_str(), 1, nullptr); });
  try_each("filter delta", [&] {
    const crivo_output output = crivo_to_path(joined.c_str());
    return with_input(keys_of(kMemberKeys), [&](crivo_input* input) {
      return crivo_build_filter_delta(filter.c_str(), input, &output, nullptr, &options, nullptr);
    });
  });
}

void try_rows() {
  const std::string index = in_folder("edited-rows");
  const std::string chain = in_folder("edited-rows.chain");
  const std::string fewer = in_folder("fewer-rows.chain");
  const crivo_build_options options = replacing();
  static crivo_bytes names[] = {{"a", 1}, {"b", 1}};
  static crivo_bytes places[] = {{"old\t1", 5}, {"new\t2", 5}};
  const auto with_rows = [&](std::size_t first, std::size_t count, const auto& use) {
    const crivo_keys keys = crivo_keys_each(names + first, count);
    const crivo_keys rows = crivo_keys_each(places + first, count);
    return with_input([&](crivo_input** input) { return crivo_input_records(&keys, &rows, input); },
                      use);
  };
  const crivo_output output = crivo_to_path(index.c_str());
  try_each("build rows", [&] {
    return with_rows(0, 1, [&](crivo_input* input) {
      return crivo_build("rows", input, &output, nullptr, &options, nullptr);
    });
  });
  try_each("rows add", [&] {
    return with_rows(1, 1, [&](crivo_input* input) {
      return crivo_rows_add(index.c_str(), input, chain.c_str(), nullptr, &options, nullptr);
    });
  });
  const char* const removed[] = {"old"};
  crivo_rows_edit edit{};
  edit.struct_size = sizeof edit;
  edit.removed = removed;
  edit.removed_count = 1;
  try_each("rows remove", [&] {
    return crivo_rows_remove(index.c_str(), fewer.c_str(), &edit, &options, nullptr);
  });
  try_each("rows compact", [&] {
    return with_rows(0, 2, [&](crivo_input* input) {
      return crivo_rows_compact(chain.c_str(), input, nullptr, &options, nullptr);
    });
  });
}

void try_filter_set_edits() {
  const std::string set = in_folder("edited-groups");
  const std::string chain = in_folder("edited-groups.chain");
  const std::string fewer = in_folder("fewer-groups.chain");
  const crivo_build_options options = replacing();
  static crivo_bytes names[] = {{"a", 1}, {"b", 1}};
  static crivo_bytes named[] = {{"old", 3}, {"new", 3}};
  const auto with_group = [&](std::size_t number, const auto& use) {
    const crivo_keys keys = crivo_keys_each(names + number, 1);
    const crivo_keys group = crivo_keys_each(named + number, 1);
    return with_input(
        [&](crivo_input** input) { return crivo_input_records(&keys, &group, input); }, use);
  };
  const crivo_output output = crivo_to_path(set.c_str());
  try_each("build filterset", [&] {
    return with_group(0, [&](crivo_input* input) {
      return crivo_build("filterset", input, &output, nullptr, &options, nullptr);
    });
  });
  try_each("filterset add", [&] {
    return with_group(1, [&](crivo_input* input) {
      return crivo_filterset_add(set.c_str(), input, chain.c_str(), nullptr, &options, nullptr);
    });
  });
  const char* const removed[] = {"old"};
  crivo_filterset_edit edit{};
  edit.struct_size = sizeof edit;
  edit.removed = removed;
  edit.removed_count = 1;
  try_each("filterset remove", [&] {
    return crivo_filterset_remove(set.c_str(), fewer.c_str(), &edit, &options, nullptr);
  });
  try_each("filterset compact",
           [&] { return crivo_filterset_compact(chain.c_str(), nullptr, &options, nullptr); });
}

void try_edits() {
  const std::string counting = in_folder("counting");
  const std::string bloom = in_folder("bloom");
  const std::string united = in_folder("united");
  const std::string store = in_folder("store");
  const char* const pair[] = {bloom.c_str(), bloom.c_str()};
  crivo_bytes added[] = {{"ab", 2}};
  const crivo_keys one = crivo_keys_each(added, 1);
  try_each("filter add and remove", [&] {
    return with_input(keys_of(one), [&](crivo_input* input) {
      const crivo_status status = crivo_filter_add(counting.c_str(), input, nullptr);
      return status != CRIVO_STATUS_OK ? status
                                       : crivo_filter_remove(counting.c_str(), input, nullptr);
    });
  });
  try_each("unite", [&] { return crivo_filter_unite(pair, 2, united.c_str(), 1); });
  try_each("intersect", [&] { return crivo_filter_intersect(pair, 2, united.c_str(), 1); });
  try_each("store set", [&] {
    return with_input([&](crivo_input** input) { return crivo_input_records(&one, &one, input); },
                      [&](crivo_input* input) {
                        return crivo_store_set(store.c_str(), input, nullptr, nullptr);
                      });
  });
  try_each("compact", [&] { return crivo_store_compact(store.c_str(), 0, nullptr, nullptr); });
  try_each("notes", [&] {
    return crivo_inspect_notes(
        store.c_str(), [](void*, const char*, const char*) {}, nullptr);
  });
}

void try_shards() {
  const std::string directory = in_folder("dealt");
  const std::string part = in_folder("part");
  const std::string merged = in_folder("merged");
  const std::string manifest = in_folder("manifest");
  const char* const parts[] = {part.c_str()};
  const crivo_build_options options = replacing();
  try_each("partition", [&] {
    return with_input(keys_of(kAllKeys), [&](crivo_input* input) {
      return crivo_partition_keys(input, directory.c_str(), nullptr, &options, nullptr);
    });
  });
  try_each("finish", [&] { return crivo_finish_partition(directory.c_str(), &options, nullptr); });
  try_each("part", [&] {
    return crivo_build_part("mphf", directory.c_str(), {0, 1}, part.c_str(), nullptr, &options,
                            nullptr);
  });
  try_each("merge", [&] { return crivo_merge_parts(parts, 1, merged.c_str(), &options, nullptr); });
  try_each("manifest",
           [&] { return crivo_write_manifest(parts, 1, manifest.c_str(), &options, nullptr); });
}

int take_answer(void*, std::size_t, crivo_answer, crivo_bytes) {
  return 0;
}
int take_record(void*, crivo_bytes, crivo_bytes) {
  return 0;
}

void try_other_lookups() {
  try_kind<crivo_dictionary>(
      "words", crivo_dictionary_open, crivo_dictionary_close, [](crivo_dictionary* words) {
        const std::uint64_t ids[] = {0, 1};
        char room[200];
        std::uint64_t ends[3];
        std::uint64_t values[2];
        std::uint8_t present[2];
        std::size_t written = 0;
        crivo_status status =
            crivo_dictionary_key_many(words, ids, 2, room, sizeof room, ends, &written);
        if (status == CRIVO_STATUS_OK)
          status = crivo_dictionary_value_many(words, ids, 2, values, present);
        (void)crivo_dictionary_key(words, 1, room, &written);
        (void)crivo_dictionary_value(words, 1, values);
        (void)crivo_dictionary_longest_prefix(words, "c.a.bx", 6, &written);
        return status == CRIVO_STATUS_OK ? crivo_dictionary_verify(words, nullptr) : status;
      });
  try_kind<crivo_filter>("filter", crivo_filter_open, crivo_filter_close, [](crivo_filter* filter) {
    const crivo_hash hash = crivo_filter_hash(filter, "ab", 2);
    int contains = 0;
    const crivo_status status = crivo_filter_contains_hash(filter, &hash, &contains);
    return status == CRIVO_STATUS_OK ? crivo_filter_verify(filter, nullptr) : status;
  });
  try_kind<crivo_store>("ordered", crivo_store_open, crivo_store_close, [](crivo_store* store) {
    crivo_store_cursor* cursor = nullptr;
    crivo_status status = crivo_store_cursor_open(store, &cursor);
    if (status != CRIVO_STATUS_OK) return status;
    crivo_bytes key;
    crivo_bytes record;
    (void)crivo_store_cursor_next(cursor, &key, &record);
    (void)crivo_store_cursor_seek_key(cursor, "b", 1, &key, &record);
    crivo_store_cursor_close(cursor);
    std::uint64_t rank = 0;
    status = crivo_store_lower_bound(store, "b", 1, &rank);
    return status == CRIVO_STATUS_OK ? crivo_store_prefix(store, "a", 1, &rank, &rank) : status;
  });
  try_kind<crivo_store>("store", crivo_store_open, crivo_store_close, [](crivo_store* store) {
    crivo_reader* reader = nullptr;
    crivo_reader* copy = nullptr;
    int renewed = 0;
    crivo_status status = crivo_store_refresh(store, &renewed);
    if (status == CRIVO_STATUS_OK)
      status = crivo_store_find_all(store, &kAllKeys, 1, take_answer, nullptr);
    if (status == CRIVO_STATUS_OK) status = crivo_store_for_each(store, take_record, nullptr);
    if (status == CRIVO_STATUS_OK) status = crivo_reader_open(store, &reader);
    if (status != CRIVO_STATUS_OK) return status;
    status = crivo_reader_copy(reader, &copy);
    if (status == CRIVO_STATUS_OK)
      status = crivo_reader_find_many(copy, &kAllKeys, take_answer, nullptr);
    const crivo_hash hash = crivo_store_hash(store, "ab", 2);
    crivo_answer answer = CRIVO_ANSWER_ABSENT;
    crivo_bytes record;
    if (status == CRIVO_STATUS_OK)
      status = crivo_reader_find_hash(copy, "ab", 2, &hash, &answer, &record);
    crivo_reader_close(copy);
    crivo_reader_close(reader);
    return status;
  });
}

}  // namespace

void try_other_calls() {
  try_inputs();
  try_exact_sets();
  try_deltas();
  try_edits();
  try_rows();
  try_filter_set_edits();
  try_shards();
  try_other_lookups();
}
