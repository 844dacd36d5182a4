// SPDX-License-Identifier: Apache-2.0
/// Filter sets, open and asked.
#include "crivo/filter_set.hpp"

#include <array>
#include <span>
#include <string_view>

#include "capi/call.hpp"
#include "capi/keys.hpp"
#include "capi/opened.hpp"
#include "crivo.h"

struct crivo_filterset {
  crivo::FilterSet set;
};

namespace crivo::capi {
namespace {

/// Calls use(hashes, begin) for the hashes of the keys, some at a time.
template <typename Use>
void for_each_hashes(const FilterSet& set, const crivo_keys* keys, Use&& use) {
  for_each_block(needed_keys(keys), [&](auto block, std::size_t begin) {
    std::vector<KeyHash> hashes;
    constexpr std::size_t kAtOnce = 256;
    for (std::size_t at = 0; at < block.size(); at += kAtOnce) {
      hashes.clear();
      for (const auto& key : block.subspan(at, std::min(kAtOnce, block.size() - at)))
        hashes.push_back(set.hash_function()(key));
      use(std::span<const KeyHash>(hashes), begin + at);
    }
  });
}

}  // namespace
}  // namespace crivo::capi

using namespace crivo;

crivo_status crivo_filterset_open(const char* path, const crivo_open_options* options,
                                  crivo_filterset** set) {
  return capi::open<FilterSet>("set", set, path, options);
}
crivo_status crivo_filterset_open_bytes(const void* data, size_t size,
                                        const crivo_open_options* options, crivo_filterset** set) {
  return capi::open<FilterSet>("set", set, capi::bytes_at(data, size), options);
}
void crivo_filterset_close(crivo_filterset* set) {
  delete set;
}
uint64_t crivo_filterset_size(const crivo_filterset* set) {
  return set->set.size();
}
uint64_t crivo_filterset_groups(const crivo_filterset* set) {
  return set->set.groups();
}
crivo_bytes crivo_filterset_name(const crivo_filterset* set, uint64_t group) {
  const std::string_view name = set->set.name(group);
  return {name.data(), name.size()};
}
uint64_t crivo_filterset_find(const crivo_filterset* set, const void* name, size_t size) {
  return set->set.find(capi::text_of(name, size)).value_or(UINT64_MAX);
}
crivo_status crivo_filterset_info(const crivo_filterset* set, crivo_info* info) {
  return capi::call({{"set", set}}, [&] { capi::give_info(set->set.info(), info); });
}
crivo_status crivo_filterset_verify(const crivo_filterset* set, const crivo_resources* resources) {
  return capi::verify_opened({"set", set}, resources,
                             [&](const Resources& taken) { set->set.verify(taken); });
}
int crivo_filterset_contains(const crivo_filterset* set, uint64_t group, const void* key,
                             size_t size) {
  return set->set.contains(group, capi::text_of(key, size)) ? 1 : 0;
}
crivo_status crivo_filterset_contains_many(const crivo_filterset* set, uint64_t group,
                                           const crivo_keys* keys, uint8_t* answers) {
  return capi::call({{"set", set}, {"answers", answers, capi::count_of(keys)}}, [&] {
    capi::for_each_hashes(set->set, keys, [&](std::span<const KeyHash> hashes, std::size_t begin) {
      set->set.contains(group, hashes, capi::answers_at(answers + begin, hashes.size()));
    });
  });
}
crivo_status crivo_filterset_groups_of(const crivo_filterset* set, const crivo_keys* keys,
                                       uint64_t* bitmaps) {
  return capi::call({{"set", set}, {"bitmaps", bitmaps, capi::count_of(keys)}}, [&] {
    const std::size_t words = set->set.bitmap_words();
    capi::for_each_hashes(set->set, keys, [&](std::span<const KeyHash> hashes, std::size_t begin) {
      set->set.groups_of(hashes, {bitmaps + words * begin, words * hashes.size()});
    });
  });
}
crivo_status crivo_filterset_count(const crivo_filterset* set, const crivo_keys* keys,
                                   uint32_t* counts) {
  return capi::call({{"set", set}, {"counts", counts}}, [&] {
    capi::for_each_hashes(set->set, keys, [&](std::span<const KeyHash> hashes, std::size_t) {
      set->set.count(hashes, {counts, set->set.groups()});
    });
  });
}
