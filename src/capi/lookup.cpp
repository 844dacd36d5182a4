// SPDX-License-Identifier: Apache-2.0
/// Opens an index and looks keys up.
#include <bit>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "capi/call.hpp"
#include "capi/keys.hpp"
#include "capi/opened.hpp"
#include "crivo/detail/key_bytes.hpp"
#include "crivo/filter.hpp"
#include "crivo/inspect.hpp"
#include "crivo/map.hpp"
#include "crivo/mphf.hpp"
#include "crivo/shared.hpp"
#include "crivo/store.hpp"
#include "crivo/suffixes.hpp"

struct crivo_mphf {
  crivo::Mphf mphf;
};
struct crivo_filter {
  crivo::Filter filter;
};
struct crivo_map {
  crivo::Map map;
};
struct crivo_reader {
  crivo::Store::Reader reader;
};

namespace crivo::capi {
namespace {

static_assert(static_cast<int>(Map::Status::absent) == CRIVO_ANSWER_ABSENT &&
              static_cast<int>(Map::Status::found) == CRIVO_ANSWER_FOUND &&
              static_cast<int>(Map::Status::damaged) == CRIVO_ANSWER_DAMAGED);

crivo_answer given(const Map::Answer& found, uint64_t* value) noexcept {
  *value = found.value;
  return static_cast<crivo_answer>(found.status);
}

template <typename Opened>
crivo_hash hash_by(const Opened& opened, const void* key, std::size_t size) noexcept {
  return std::bit_cast<crivo_hash>(opened.hash(text_of(key, size)));
}

KeyHash hash_of(const crivo_hash* bits) noexcept {
  return std::bit_cast<KeyHash>(*bits);
}

crivo_answer given(const Store::Answer& answer, crivo_bytes* record) noexcept {
  *record = {answer.record.data(), answer.record.size()};
  switch (answer.status) {
    case Store::Status::found:
      return CRIVO_ANSWER_FOUND;
    case Store::Status::absent:
      return CRIVO_ANSWER_ABSENT;
    case Store::Status::damaged:
      break;
  }
  return CRIVO_ANSWER_DAMAGED;
}

}  // namespace
}  // namespace crivo::capi

using namespace crivo;
using crivo::capi::text_of;

// Minimal perfect hash functions.

crivo_status crivo_mphf_open(const char* path, const crivo_open_options* options,
                             crivo_mphf** mphf) {
  return capi::open<Mphf>("mphf", mphf, path, options);
}
crivo_status crivo_mphf_open_bytes(const void* data, size_t size, const crivo_open_options* options,
                                   crivo_mphf** mphf) {
  return capi::open<Mphf>("mphf", mphf, capi::bytes_at(data, size), options);
}
void crivo_mphf_close(crivo_mphf* mphf) {
  delete mphf;
}
uint64_t crivo_mphf_size(const crivo_mphf* mphf) {
  return mphf->mphf.size();
}
crivo_status crivo_mphf_info(const crivo_mphf* mphf, crivo_info* info) {
  return capi::call({{"mphf", mphf}}, [&] { capi::give_info(mphf->mphf.info(), info); });
}
crivo_status crivo_mphf_verify(const crivo_mphf* mphf, const crivo_resources* resources) {
  return capi::verify_opened({"mphf", mphf}, resources,
                             [&](const Resources& taken) { mphf->mphf.verify(taken); });
}
uint64_t crivo_mphf_lookup(const crivo_mphf* mphf, const void* key, size_t size) {
  return mphf->mphf.lookup(text_of(key, size));
}
uint64_t crivo_mphf_lookup_number(const crivo_mphf* mphf, uint64_t key) {
  return mphf->mphf.lookup(key);
}
crivo_hash crivo_mphf_hash(const crivo_mphf* mphf, const void* key, size_t size) {
  return capi::hash_by(mphf->mphf, key, size);
}
crivo_status crivo_mphf_lookup_hash(const crivo_mphf* mphf, const crivo_hash* hash,
                                    uint64_t* rank) {
  return capi::call({{"mphf", mphf}, {"hash", hash}, {"rank", rank}},
                    [&] { *rank = mphf->mphf.lookup(capi::hash_of(hash)); });
}
crivo_status crivo_mphf_lookup_many(const crivo_mphf* mphf, const crivo_keys* keys,
                                    uint64_t* ranks) {
  return capi::for_each_block_of({{"mphf", mphf}, {"ranks", ranks, capi::count_of(keys)}}, keys,
                                 [&](auto block, std::size_t begin) {
                                   mphf->mphf.lookup(block, std::span(ranks + begin, block.size()));
                                 });
}

// Filters.

crivo_status crivo_filter_open(const char* path, const crivo_open_options* options,
                               crivo_filter** filter) {
  return capi::open<Filter>("filter", filter, path, options);
}
crivo_status crivo_filter_open_bytes(const void* data, size_t size,
                                     const crivo_open_options* options, crivo_filter** filter) {
  return capi::open<Filter>("filter", filter, capi::bytes_at(data, size), options);
}
void crivo_filter_close(crivo_filter* filter) {
  delete filter;
}
uint64_t crivo_filter_size(const crivo_filter* filter) {
  return filter->filter.size();
}
double crivo_filter_fpr(const crivo_filter* filter) {
  return filter->filter.fpr();
}
crivo_status crivo_filter_info(const crivo_filter* filter, crivo_info* info) {
  return capi::call({{"filter", filter}}, [&] { capi::give_info(filter->filter.info(), info); });
}
crivo_status crivo_filter_verify(const crivo_filter* filter, const crivo_resources* resources) {
  return capi::verify_opened({"filter", filter}, resources,
                             [&](const Resources& taken) { filter->filter.verify(taken); });
}
int crivo_filter_contains(const crivo_filter* filter, const void* key, size_t size) {
  return filter->filter.contains(text_of(key, size)) ? 1 : 0;
}
int crivo_filter_contains_number(const crivo_filter* filter, uint64_t key) {
  return filter->filter.contains(key) ? 1 : 0;
}
crivo_hash crivo_filter_hash(const crivo_filter* filter, const void* key, size_t size) {
  return capi::hash_by(filter->filter, key, size);
}
crivo_status crivo_filter_contains_hash(const crivo_filter* filter, const crivo_hash* hash,
                                        int* contains) {
  return capi::call({{"filter", filter}, {"hash", hash}, {"contains", contains}},
                    [&] { *contains = filter->filter.contains(capi::hash_of(hash)) ? 1 : 0; });
}
int crivo_filter_contains_suffix(const crivo_filter* filter, const void* key, size_t size,
                                 char delimiter, size_t* begin) {
  const auto suffix = longest_suffix(text_of(key, size), delimiter, [&](std::string_view text) {
    return filter->filter.contains(text);
  });
  if (suffix && begin != nullptr) *begin = size - suffix->size();
  return suffix ? 1 : 0;
}
crivo_status crivo_filter_contains_many(const crivo_filter* filter, const crivo_keys* keys,
                                        uint8_t* answers) {
  return capi::for_each_block_of({{"filter", filter}, {"answers", answers, capi::count_of(keys)}},
                                 keys, [&](auto block, std::size_t begin) {
                                   filter->filter.contains(
                                       block, capi::answers_at(answers + begin, block.size()));
                                 });
}
int crivo_filter_takes_ranges(const crivo_filter* filter) {
  return filter->filter.takes_ranges() ? 1 : 0;
}
crivo_status crivo_filter_contains_range(const crivo_filter* filter, uint64_t low, uint64_t high,
                                         int* contains) {
  return capi::call({{"filter", filter}, {"contains", contains}},
                    [&] { *contains = filter->filter.contains_range(low, high) ? 1 : 0; });
}
crivo_status crivo_filter_contains_ranges(const crivo_filter* filter, const uint64_t* lows,
                                          const uint64_t* highs, size_t count, uint8_t* answers) {
  return capi::call({{"filter", filter},
                     {"lows", lows, count},
                     {"highs", highs, count},
                     {"answers", answers, count}},
                    [&] {
                      filter->filter.contains_ranges({lows, count}, {highs, count},
                                                     capi::answers_at(answers, count));
                    });
}
uint64_t crivo_filter_count(const crivo_filter* filter, const void* key, size_t size) {
  return filter->filter.count(text_of(key, size));
}
uint64_t crivo_filter_count_number(const crivo_filter* filter, uint64_t key) {
  return filter->filter.count(key);
}

// Maps.

crivo_status crivo_map_open(const char* path, const crivo_open_options* options, crivo_map** map) {
  return capi::open<Map>("map", map, path, options);
}
crivo_status crivo_map_open_bytes(const void* data, size_t size, const crivo_open_options* options,
                                  crivo_map** map) {
  return capi::open<Map>("map", map, capi::bytes_at(data, size), options);
}
void crivo_map_close(crivo_map* map) {
  delete map;
}
uint64_t crivo_map_size(const crivo_map* map) {
  return map->map.size();
}
crivo_status crivo_map_info(const crivo_map* map, crivo_info* info) {
  return capi::call({{"map", map}}, [&] { capi::give_info(map->map.info(), info); });
}
crivo_status crivo_map_verify(const crivo_map* map, const crivo_resources* resources) {
  return capi::verify_opened({"map", map}, resources,
                             [&](const Resources& taken) { map->map.verify(taken); });
}
crivo_answer crivo_map_lookup(const crivo_map* map, const void* key, size_t size, uint64_t* value) {
  return capi::given(map->map.lookup(text_of(key, size)), value);
}
crivo_answer crivo_map_lookup_number(const crivo_map* map, uint64_t key, uint64_t* value) {
  return capi::given(map->map.lookup(key), value);
}
crivo_hash crivo_map_hash(const crivo_map* map, const void* key, size_t size) {
  return capi::hash_by(map->map, key, size);
}
crivo_status crivo_map_lookup_hash(const crivo_map* map, const crivo_hash* hash,
                                   crivo_answer* answer, uint64_t* value) {
  return capi::call({{"map", map}, {"hash", hash}, {"answer", answer}, {"value", value}},
                    [&] { *answer = capi::given(map->map.lookup(capi::hash_of(hash)), value); });
}
crivo_status crivo_map_lookup_many(const crivo_map* map, const crivo_keys* keys, uint64_t* values,
                                   uint8_t* present) {
  return capi::call({{"map", map},
                     {"values", values, capi::count_of(keys)},
                     {"present", present, capi::count_of(keys)}},
                    [&] {
                      std::optional<Error> damage;
                      capi::for_each_block(
                          capi::needed_keys(keys), [&](auto block, std::size_t begin) {
                            capi::ask_with_care(
                                block.size(), damage,
                                [&] {
                                  map->map.lookup(block, std::span(values + begin, block.size()),
                                                  capi::answers_at(present + begin, block.size()));
                                },
                                [&](std::size_t i) {
                                  present[begin + i] = static_cast<std::uint8_t>(
                                      capi::given(map->map.lookup(block[i]), values + begin + i));
                                });
                          });
                      if (damage) throw Error(*damage);
                    });
}

// Stores.

crivo_status crivo_store_open(const char* path, const crivo_open_options* options,
                              crivo_store** store) {
  return capi::call({{"store", store}}, [&] {
    *store =
        new crivo_store{Shared<Store>(capi::needed(path, "the path"), capi::open_options(options))};
  });
}
void crivo_store_close(crivo_store* store) {
  delete store;
}
crivo_status crivo_store_refresh(crivo_store* store, int* renewed) {
  return capi::call({{"store", store}}, [&] {
    const bool is_new = store->shared.refresh();
    if (renewed != nullptr) *renewed = is_new ? 1 : 0;
  });
}
uint64_t crivo_store_size(const crivo_store* store) {
  return store->shared.snapshot()->size();
}
crivo_status crivo_store_info(const crivo_store* store, crivo_info* info) {
  return capi::call({{"store", store}},
                    [&] { capi::give_info(store->shared.snapshot()->info(), info); });
}
crivo_status crivo_store_verify(const crivo_store* store, const crivo_resources* resources) {
  return capi::verify_opened({"store", store}, resources, [&](const Resources& taken) {
    store->shared.snapshot()->verify(taken);
  });
}

crivo_status crivo_reader_open(const crivo_store* store, crivo_reader** reader) {
  return capi::call({{"store", store}, {"reader", reader}},
                    [&] { *reader = new crivo_reader{Store::Reader(*store->shared.snapshot())}; });
}
crivo_status crivo_reader_copy(const crivo_reader* reader, crivo_reader** copy) {
  return capi::call({{"reader", reader}, {"copy", copy}},
                    [&] { *copy = new crivo_reader(*reader); });
}
void crivo_reader_close(crivo_reader* reader) {
  delete reader;
}
crivo_answer crivo_reader_find(crivo_reader* reader, const void* key, size_t size,
                               crivo_bytes* record) {
  return capi::given(reader->reader.find(text_of(key, size)), record);
}
crivo_answer crivo_reader_find_number(crivo_reader* reader, uint64_t key, crivo_bytes* record) {
  return capi::given(reader->reader.find(key), record);
}
crivo_hash crivo_store_hash(const crivo_store* store, const void* key, size_t size) {
  return capi::hash_by(*store->shared.snapshot(), key, size);
}
crivo_status crivo_reader_find_hash(crivo_reader* reader, const void* key, size_t size,
                                    const crivo_hash* hash, crivo_answer* answer,
                                    crivo_bytes* record) {
  return capi::call({{"reader", reader},
                     {"key", key, size},
                     {"hash", hash},
                     {"answer", answer},
                     {"record", record}},
                    [&] {
                      *answer = capi::given(
                          reader->reader.find(text_of(key, size), capi::hash_of(hash)), record);
                    });
}
crivo_status crivo_reader_find_many(crivo_reader* reader, const crivo_keys* keys, crivo_visit visit,
                                    void* context) {
  return capi::call({{"reader", reader}, {"visit", visit}}, [&] {
    capi::for_each_block(capi::needed_keys(keys), [&](auto block, std::size_t begin) {
      reader->reader.find(block, [&](std::size_t i, const Store::Answer& answer) {
        crivo_bytes record;
        const crivo_answer status = capi::given(answer, &record);
        if (visit(context, begin + i, status, record) != 0) capi::fail_cancelled();
      });
    });
  });
}
crivo_status crivo_store_find_all(const crivo_store* store, const crivo_keys* keys,
                                  unsigned threads, crivo_visit visit, void* context) {
  return capi::call({{"store", store}, {"visit", visit}}, [&] {
    std::vector<std::string_view> texts(capi::needed_keys(keys).count);
    capi::put_texts(*keys, 0, texts);
    store->shared.snapshot()->find_all(
        texts,
        [&](std::size_t i, const Store::Answer& answer) {
          crivo_bytes record;
          const crivo_answer status = capi::given(answer, &record);
          if (visit(context, i, status, record) != 0) capi::fail_cancelled();
        },
        threads);
  });
}
crivo_status crivo_store_for_each(const crivo_store* store, crivo_use_record use, void* context) {
  return capi::call({{"store", store}, {"use", use}}, [&] {
    store->shared.snapshot()->for_each([&](std::string_view key, std::string_view record) {
      if (use(context, {key.data(), key.size()}, {record.data(), record.size()}) != 0)
        capi::fail_cancelled();
    });
  });
}
