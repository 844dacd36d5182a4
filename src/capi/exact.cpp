// SPDX-License-Identifier: Apache-2.0
/// Exact sets, open and asked.
#include "crivo/exact.hpp"

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "capi/call.hpp"
#include "capi/keys.hpp"
#include "capi/opened.hpp"
#include "crivo.h"
#include "crivo/shared.hpp"
#include "crivo/suffixes.hpp"

struct crivo_exact {
  std::shared_ptr<crivo::Shared<crivo::Exact>> shared;  ///< null of bytes
  std::shared_ptr<const crivo::Exact> exact;            ///< what this handle asks
};

namespace crivo::capi {
namespace {

static_assert(sizeof(ExactAnswer) == sizeof(uint8_t));
static_assert(static_cast<int>(ExactAnswer::other) == CRIVO_EXACT_ANSWER_OTHER &&
              static_cast<int>(ExactAnswer::member) == CRIVO_EXACT_ANSWER_MEMBER &&
              static_cast<int>(ExactAnswer::outside) == CRIVO_EXACT_ANSWER_OUTSIDE);

crivo_exact_answer given(ExactAnswer answer) noexcept {
  return static_cast<crivo_exact_answer>(answer);
}

}  // namespace
}  // namespace crivo::capi

using namespace crivo;
using crivo::capi::text_of;

crivo_status crivo_exact_open(const char* path, const crivo_open_options* options,
                              crivo_exact** exact) {
  return capi::call([&] {
    auto shared = std::make_shared<Shared<Exact>>(path, capi::open_options(options));
    auto opened = shared->snapshot();
    *exact = new crivo_exact{std::move(shared), std::move(opened)};
  });
}
crivo_status crivo_exact_open_bytes(const void* data, size_t size,
                                    const crivo_open_options* options, crivo_exact** exact) {
  return capi::call([&] {
    *exact =
        new crivo_exact{nullptr, std::make_shared<const Exact>(Exact::open(
                                     capi::bytes_at(data, size), capi::open_options(options)))};
  });
}
crivo_status crivo_exact_newer(const crivo_exact* exact, crivo_exact** newer) {
  return capi::call([&] {
    *newer = nullptr;
    if (exact->shared == nullptr) return;
    (void)exact->shared->refresh();
    auto opened = exact->shared->snapshot();
    if (opened != exact->exact) *newer = new crivo_exact{exact->shared, std::move(opened)};
  });
}
void crivo_exact_close(crivo_exact* exact) {
  delete exact;
}
uint64_t crivo_exact_size(const crivo_exact* exact) {
  return exact->exact->size();
}
uint64_t crivo_exact_universe_size(const crivo_exact* exact) {
  return exact->exact->universe_size();
}
uint64_t crivo_exact_groups(const crivo_exact* exact) {
  return exact->exact->groups();
}
double crivo_exact_outside_rate(const crivo_exact* exact) {
  return exact->exact->outside_rate();
}
int crivo_exact_covers(const crivo_exact* exact, const char* name, uint64_t value) {
  return exact->exact->covers(Epoch{name, value}) ? 1 : 0;
}
crivo_status crivo_exact_info(const crivo_exact* exact, crivo_info* info) {
  return capi::call([&] { capi::give_info(exact->exact->info(), info); });
}
crivo_status crivo_exact_verify(const crivo_exact* exact, const crivo_resources* resources) {
  return capi::verify_opened(*exact->exact, resources);
}
crivo_exact_answer crivo_exact_contains(const crivo_exact* exact, const void* key, size_t size) {
  return capi::given(exact->exact->contains(text_of(key, size)));
}
crivo_exact_answer crivo_exact_contains_number(const crivo_exact* exact, uint64_t key) {
  return capi::given(exact->exact->contains(key));
}
crivo_exact_answer crivo_exact_contains_in(const crivo_exact* exact, const void* group,
                                           size_t group_size, const void* key, size_t size) {
  return capi::given(exact->exact->contains(text_of(group, group_size), text_of(key, size)));
}
crivo_exact_answer crivo_exact_contains_suffix(const crivo_exact* exact, const void* group,
                                               size_t group_size, const void* key, size_t size,
                                               char delimiter, size_t* begin) {
  const std::string_view whole = text_of(key, size);
  const Exact::Group of = exact->exact->group(text_of(group, group_size));
  const auto suffix = longest_suffix(whole, delimiter, [&](std::string_view text) {
    return of.contains(text) == ExactAnswer::member;
  });
  if (!suffix) return capi::given(of.contains(whole));
  if (begin != nullptr) *begin = size - suffix->size();
  return CRIVO_EXACT_ANSWER_MEMBER;
}
void crivo_exact_contains_many(const crivo_exact* exact, const void* group, size_t group_size,
                               const crivo_keys* keys, uint8_t* answers) {
  const Exact::Group of = exact->exact->group(text_of(group, group_size));
  capi::for_each_block(*keys, [&](auto block, std::size_t begin) {
    of.contains(block, std::span(reinterpret_cast<ExactAnswer*>(answers) + begin, block.size()));
  });
}
