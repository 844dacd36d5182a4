// SPDX-License-Identifier: Apache-2.0
/// Exact sets, open and asked.
#include "crivo/exact.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
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

struct crivo_exact_group {
  std::shared_ptr<const crivo::Exact> exact;
  crivo::Exact::Group group;  ///< of it
};

namespace crivo::capi {
namespace {

static_assert(sizeof(ExactAnswer) == sizeof(uint8_t));
static_assert(static_cast<int>(ExactAnswer::other) == CRIVO_EXACT_ANSWER_OTHER &&
              static_cast<int>(ExactAnswer::member) == CRIVO_EXACT_ANSWER_MEMBER &&
              static_cast<int>(ExactAnswer::outside) == CRIVO_EXACT_ANSWER_OUTSIDE &&
              static_cast<int>(ExactAnswer::damaged) == CRIVO_EXACT_ANSWER_DAMAGED);

crivo_exact_answer given(ExactAnswer answer) noexcept {
  return static_cast<crivo_exact_answer>(answer);
}

/// Asks the group that group_of() gives, for a handle that is one.
template <typename GroupOf>
crivo_status ask_group(std::initializer_list<Given> given, const crivo_keys* keys, uint8_t* answers,
                       GroupOf&& group_of) noexcept {
  return call(given, [&] {
    Given("answers", answers, count_of(keys)).check();
    const Exact::Group& group = group_of();
    for_each_block(needed_keys(keys), [&](auto block, std::size_t begin) {
      group.contains(block,
                     std::span(reinterpret_cast<ExactAnswer*>(answers) + begin, block.size()));
    });
  });
}

}  // namespace
}  // namespace crivo::capi

using namespace crivo;
using crivo::capi::text_of;

crivo_status crivo_exact_open(const char* path, const crivo_open_options* options,
                              crivo_exact** exact) {
  return capi::call({{"exact", exact}}, [&] {
    auto shared = std::make_shared<Shared<Exact>>(capi::needed(path, "the path"),
                                                  capi::open_options(options));
    auto opened = shared->snapshot();
    *exact = new crivo_exact{std::move(shared), std::move(opened)};
  });
}
crivo_status crivo_exact_open_bytes(const void* data, size_t size,
                                    const crivo_open_options* options, crivo_exact** exact) {
  return capi::call({{"data", data, size}, {"exact", exact}}, [&] {
    *exact =
        new crivo_exact{nullptr, std::make_shared<const Exact>(Exact::open(
                                     capi::bytes_at(data, size), capi::open_options(options)))};
  });
}
crivo_status crivo_exact_newer(const crivo_exact* exact, crivo_exact** newer) {
  return capi::call({{"exact", exact}, {"newer", newer}}, [&] {
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
  return exact->exact->covers(Epoch{capi::text_or_none(name), value}) ? 1 : 0;
}
crivo_status crivo_exact_info(const crivo_exact* exact, crivo_info* info) {
  return capi::call({{"exact", exact}}, [&] { capi::give_info(exact->exact->info(), info); });
}
crivo_status crivo_exact_verify(const crivo_exact* exact, const crivo_resources* resources) {
  return capi::verify_opened({"exact", exact}, resources,
                             [&](const Resources& taken) { exact->exact->verify(taken); });
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
crivo_exact_answer crivo_exact_contains_at(const crivo_exact* exact, const void* group,
                                           size_t group_size, const void* key, size_t size,
                                           const char* epoch, uint64_t value) {
  return capi::given(exact->exact->contains(text_of(group, group_size), text_of(key, size),
                                            Epoch{capi::text_or_none(epoch), value}));
}
crivo_exact_answer crivo_exact_contains_suffix(const crivo_exact* exact, const void* group,
                                               size_t group_size, const void* key, size_t size,
                                               char delimiter, size_t* begin) {
  const std::string_view whole = text_of(key, size);
  const Exact::Group of = exact->exact->group(text_of(group, group_size));
  bool is_damaged = false;
  const auto suffix = longest_suffix(whole, delimiter, [&](std::string_view text) {
    const ExactAnswer answer = of.contains(text);
    is_damaged = is_damaged || answer == ExactAnswer::damaged;
    return answer == ExactAnswer::member;
  });
  if (is_damaged) return CRIVO_EXACT_ANSWER_DAMAGED;
  if (!suffix) return capi::given(of.contains(whole));
  if (begin != nullptr) *begin = size - suffix->size();
  return CRIVO_EXACT_ANSWER_MEMBER;
}
crivo_status crivo_exact_contains_many(const crivo_exact* exact, const void* group,
                                       size_t group_size, const crivo_keys* keys,
                                       uint8_t* answers) {
  return capi::ask_group({{"exact", exact}, {"group", group, group_size}}, keys, answers,
                         [&] { return exact->exact->group(text_of(group, group_size)); });
}
crivo_status crivo_exact_contains_pairs(const crivo_exact* exact, const crivo_keys* groups,
                                        const crivo_keys* keys, uint8_t* answers) {
  return capi::call({{"exact", exact}, {"answers", answers, capi::count_of(keys)}}, [&] {
    const std::size_t count = capi::needed_keys(keys).count;
    if (capi::needed_keys(groups).count != count)
      throw Error(ErrorKind::usage, "there are not as many groups as keys");
    std::array<std::string_view, 1024> names;
    std::array<std::string_view, names.size()> texts;
    for (std::size_t begin = 0; begin < count; begin += names.size()) {
      const std::size_t size = std::min(names.size(), count - begin);
      capi::put_texts(*groups, begin, std::span(names).first(size));
      capi::put_texts(*keys, begin, std::span(texts).first(size));
      exact->exact->contains(std::span<const std::string_view>(names).first(size),
                             std::span<const std::string_view>(texts).first(size),
                             std::span(reinterpret_cast<ExactAnswer*>(answers) + begin, size));
    }
  });
}
crivo_status crivo_exact_group_of(const crivo_exact* exact, const void* name, size_t size,
                                  crivo_exact_group** group) {
  return capi::call({{"exact", exact}, {"name", name, size}, {"group", group}}, [&] {
    *group = new crivo_exact_group{exact->exact, exact->exact->group(text_of(name, size))};
  });
}
void crivo_exact_group_free(crivo_exact_group* group) {
  delete group;
}
crivo_exact_answer crivo_exact_group_contains(const crivo_exact_group* group, const void* key,
                                              size_t size) {
  return capi::given(group->group.contains(text_of(key, size)));
}
crivo_status crivo_exact_group_contains_many(const crivo_exact_group* group, const crivo_keys* keys,
                                             uint8_t* answers) {
  return capi::ask_group({{"group", group}}, keys, answers,
                         [&]() -> const Exact::Group& { return group->group; });
}
