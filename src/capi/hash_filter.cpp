// SPDX-License-Identifier: Apache-2.0
/// Filters of hashes.
#include <span>

#include "capi/call.hpp"
#include "capi/keys.hpp"
#include "capi/opened.hpp"
#include "crivo/filter.hpp"

struct crivo_hash_filter {
  crivo::HashFilter filter;
};

using namespace crivo;

crivo_status crivo_hash_filter_open(const void* data, size_t size, crivo_hash_filter** filter) {
  return capi::call({{"data", data, size}, {"filter", filter}}, [&] {
    *filter = new crivo_hash_filter{HashFilter::open(capi::bytes_at(data, size))};
  });
}
void crivo_hash_filter_close(crivo_hash_filter* filter) {
  delete filter;
}
uint64_t crivo_hash_filter_size(const crivo_hash_filter* filter) {
  return filter->filter.size();
}
double crivo_hash_filter_fpr(const crivo_hash_filter* filter) {
  return filter->filter.fpr();
}
int crivo_hash_filter_contains(const crivo_hash_filter* filter, uint64_t hash) {
  return filter->filter.contains(hash) ? 1 : 0;
}
crivo_status crivo_hash_filter_contains_many(const crivo_hash_filter* filter,
                                             const uint64_t* hashes, size_t count,
                                             uint8_t* answers) {
  return capi::call({{"filter", filter}, {"hashes", hashes, count}, {"answers", answers, count}},
                    [&] {
                      filter->filter.contains({hashes, count}, capi::answers_at(answers, count));
                    });
}
