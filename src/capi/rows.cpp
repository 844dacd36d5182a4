// SPDX-License-Identifier: Apache-2.0
/// Indexes of rows, open and asked.
#include "crivo/rows.hpp"

#include <array>
#include <span>
#include <string_view>

#include "capi/call.hpp"
#include "capi/keys.hpp"
#include "capi/opened.hpp"
#include "crivo.h"

struct crivo_rows {
  crivo::Rows rows;
};

namespace crivo::capi {
namespace {

static_assert(static_cast<int>(Rows::Status::absent) == CRIVO_ANSWER_ABSENT &&
              static_cast<int>(Rows::Status::found) == CRIVO_ANSWER_FOUND &&
              static_cast<int>(Rows::Status::damaged) == CRIVO_ANSWER_DAMAGED);

crivo_row row_of(const Rows::Row& row) noexcept {
  return {row.file_number, row.group.value_or(UINT64_MAX), row.row};
}
crivo_answer given(const Rows::Answer& answer, crivo_row* row) noexcept {
  *row = {};
  if (answer) *row = row_of(*answer);
  return static_cast<crivo_answer>(answer.status);
}

[[noreturn]] void fail_damaged() {
  throw Error(ErrorKind::corrupt, "damaged: the bytes that tell a row fail their sums");
}

}  // namespace
}  // namespace crivo::capi

using namespace crivo;

crivo_status crivo_rows_open(const char* path, const crivo_open_options* options,
                             crivo_rows** rows) {
  return capi::open<Rows>("rows", rows, path, options);
}
crivo_status crivo_rows_open_bytes(const void* data, size_t size, const crivo_open_options* options,
                                   crivo_rows** rows) {
  return capi::open<Rows>("rows", rows, capi::bytes_at(data, size), options);
}
void crivo_rows_close(crivo_rows* rows) {
  delete rows;
}
uint64_t crivo_rows_size(const crivo_rows* rows) {
  return rows->rows.size();
}
uint64_t crivo_rows_files(const crivo_rows* rows) {
  return rows->rows.files();
}
crivo_bytes crivo_rows_file(const crivo_rows* rows, uint64_t file) {
  if (file >= rows->rows.files()) return {nullptr, 0};
  const std::string_view name = rows->rows.file(file);
  return {name.data(), name.size()};
}
crivo_status crivo_rows_info(const crivo_rows* rows, crivo_info* info) {
  return capi::call({{"rows", rows}}, [&] { capi::give_info(rows->rows.info(), info); });
}
crivo_status crivo_rows_verify(const crivo_rows* rows, const crivo_resources* resources) {
  return capi::verify_opened({"rows", rows}, resources,
                             [&](const Resources& taken) { rows->rows.verify(taken); });
}
crivo_answer crivo_rows_lookup(const crivo_rows* rows, const void* key, size_t size,
                               crivo_row* row) {
  return capi::given(rows->rows.lookup(capi::text_of(key, size)), row);
}
crivo_answer crivo_rows_lookup_number(const crivo_rows* rows, uint64_t key, crivo_row* row) {
  return capi::given(rows->rows.lookup(key), row);
}
crivo_answer crivo_rows_lookup_all(const crivo_rows* rows, const void* key, size_t size,
                                   crivo_row* found, size_t room, size_t* count) {
  *count = 0;
  return static_cast<crivo_answer>(
      rows->rows.visit_rows(capi::text_of(key, size), [&](const Rows::Row& row) {
        if (*count < room) found[*count] = capi::row_of(row);
        ++*count;
      }));
}
crivo_status crivo_rows_lookup_many(const crivo_rows* rows, const crivo_keys* keys,
                                    crivo_row* found, uint8_t* answers) {
  return capi::call(
      {{"rows", rows},
       {"found", found, capi::count_of(keys)},
       {"answers", answers, capi::count_of(keys)}},
      [&] {
        bool is_damaged = false;
        capi::for_each_block(capi::needed_keys(keys), [&](auto block, std::size_t begin) {
          std::array<Rows::Answer, 256> some;
          for (std::size_t at = 0; at < block.size(); at += some.size()) {
            const auto part = block.subspan(at, std::min(some.size(), block.size() - at));
            rows->rows.lookup(part, std::span(some).first(part.size()));
            for (std::size_t i = 0; i < part.size(); ++i) {
              const crivo_answer answer = capi::given(some[i], found + begin + at + i);
              answers[begin + at + i] = static_cast<std::uint8_t>(answer);
              is_damaged = is_damaged || answer == CRIVO_ANSWER_DAMAGED;
            }
          }
        });
        if (is_damaged) capi::fail_damaged();
      });
}
crivo_status crivo_rows_lookup_lists(const crivo_rows* rows, const crivo_keys* keys,
                                     crivo_row* found, size_t room, uint64_t* ends, size_t* count) {
  return capi::call(
      {{"rows", rows},
       {"found", found, room},
       {"ends", ends, capi::count_of(keys)},
       {"count", count}},
      [&] {
        *count = 0;
        capi::for_each_block(capi::needed_keys(keys), [&](auto block, std::size_t begin) {
          for (std::size_t i = 0; i < block.size(); ++i) {
            const Rows::Status status = rows->rows.visit_rows(block[i], [&](const Rows::Row& row) {
              if (*count < room) found[*count] = capi::row_of(row);
              ++*count;
            });
            if (status == Rows::Status::damaged) capi::fail_damaged();
            ends[begin + i] = *count;
          }
        });
      });
}
