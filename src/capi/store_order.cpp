// SPDX-License-Identifier: Apache-2.0
/// Ordered stores: prefixes, bounds, and records in the order of their keys.
#include <cstdint>
#include <string_view>

#include "capi/call.hpp"
#include "capi/keys.hpp"
#include "capi/opened.hpp"
#include "crivo.h"

struct crivo_store_cursor {
  crivo::Store::Cursor cursor;
};

using namespace crivo;
using crivo::capi::text_of;

namespace {

/// Gives the key and the record at which a call left the cursor.
crivo_answer give(const Store::Cursor& cursor, bool is_there, crivo_bytes* key,
                  crivo_bytes* record) {
  *key = {};
  *record = {};
  if (!is_there) return cursor.is_damaged() ? CRIVO_ANSWER_DAMAGED : CRIVO_ANSWER_ABSENT;
  *key = {cursor.key().data(), cursor.key().size()};
  *record = {cursor.record().data(), cursor.record().size()};
  return CRIVO_ANSWER_FOUND;
}

}  // namespace

int crivo_store_is_ordered(const crivo_store* store) {
  return store->shared.snapshot()->is_ordered() ? 1 : 0;
}
crivo_status crivo_store_lower_bound(const crivo_store* store, const void* text, size_t size,
                                     uint64_t* rank) {
  return capi::call({{"store", store}, {"text", text, size}, {"rank", rank}},
                    [&] { *rank = store->shared.snapshot()->lower_bound(text_of(text, size)); });
}
crivo_status crivo_store_prefix(const crivo_store* store, const void* text, size_t size,
                                uint64_t* begin, uint64_t* end) {
  return capi::call({{"store", store}, {"text", text, size}, {"begin", begin}, {"end", end}}, [&] {
    const Store::Range range = store->shared.snapshot()->prefix(text_of(text, size));
    *begin = range.begin;
    *end = range.end;
  });
}
crivo_status crivo_store_cursor_open(const crivo_store* store, crivo_store_cursor** cursor) {
  return capi::call({{"store", store}, {"cursor", cursor}}, [&] {
    *cursor = new crivo_store_cursor{Store::Cursor(*store->shared.snapshot())};
  });
}
void crivo_store_cursor_close(crivo_store_cursor* cursor) {
  delete cursor;
}
crivo_answer crivo_store_cursor_seek(crivo_store_cursor* cursor, uint64_t rank, crivo_bytes* key,
                                     crivo_bytes* record) {
  return give(cursor->cursor, cursor->cursor.seek(rank), key, record);
}
crivo_answer crivo_store_cursor_seek_key(crivo_store_cursor* cursor, const void* text, size_t size,
                                         crivo_bytes* key, crivo_bytes* record) {
  return give(cursor->cursor, cursor->cursor.seek(text_of(text, size)), key, record);
}
crivo_answer crivo_store_cursor_next(crivo_store_cursor* cursor, crivo_bytes* key,
                                     crivo_bytes* record) {
  return give(cursor->cursor, cursor->cursor.next(), key, record);
}
