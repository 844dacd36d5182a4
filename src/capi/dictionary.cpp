// SPDX-License-Identifier: Apache-2.0
/// Dictionaries that are open, and lookups in them.
#include "crivo/dictionary.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "capi/call.hpp"
#include "capi/keys.hpp"
#include "capi/opened.hpp"

struct crivo_dictionary {
  crivo::Dictionary dictionary;
};

using namespace crivo;
using crivo::capi::text_of;

namespace {

using UseTexts = std::function<void(std::span<const std::string_view> texts, std::size_t begin)>;

/// Calls use(texts, begin) for blocks of the keys; numbers are the texts of their 8 bytes.
void for_each_text_block(const crivo_keys* keys, const UseTexts& use) {
  capi::for_each_block(capi::needed_keys(keys), [&](auto block, std::size_t begin) {
    if constexpr (std::same_as<decltype(block), std::span<const std::string_view>>) {
      use(block, begin);
    } else {
      for (std::size_t i = 0; i < block.size(); ++i) {
        std::array<char, sizeof(std::uint64_t)> bytes;
        for (std::size_t b = 0; b < bytes.size(); ++b)
          bytes[b] = static_cast<char>(block[i] >> (8 * b));
        const std::string_view text(bytes.data(), bytes.size());
        use(std::span(&text, 1), begin + i);
      }
    }
  });
}

}  // namespace

crivo_status crivo_dictionary_open(const char* path, const crivo_open_options* options,
                                   crivo_dictionary** dictionary) {
  return capi::open<Dictionary>("dictionary", dictionary, path, options);
}
crivo_status crivo_dictionary_open_bytes(const void* data, size_t size,
                                         const crivo_open_options* options,
                                         crivo_dictionary** dictionary) {
  return capi::open<Dictionary>("dictionary", dictionary, capi::bytes_at(data, size), options);
}
void crivo_dictionary_close(crivo_dictionary* dictionary) {
  delete dictionary;
}
uint64_t crivo_dictionary_size(const crivo_dictionary* dictionary) {
  return dictionary->dictionary.size();
}
crivo_status crivo_dictionary_info(const crivo_dictionary* dictionary, crivo_info* info) {
  return capi::call({{"dictionary", dictionary}},
                    [&] { capi::give_info(dictionary->dictionary.info(), info); });
}
crivo_status crivo_dictionary_verify(const crivo_dictionary* dictionary,
                                     const crivo_resources* resources) {
  return capi::verify_opened({"dictionary", dictionary}, resources,
                             [&](const Resources& taken) { dictionary->dictionary.verify(taken); });
}
uint64_t crivo_dictionary_lookup(const crivo_dictionary* dictionary, const void* key, size_t size) {
  return dictionary->dictionary.lookup(text_of(key, size));
}
crivo_status crivo_dictionary_lookup_many(const crivo_dictionary* dictionary,
                                          const crivo_keys* keys, uint64_t* ids) {
  return capi::call({{"dictionary", dictionary}, {"ids", ids, capi::count_of(keys)}}, [&] {
    for_each_text_block(keys, [=](std::span<const std::string_view> block, std::size_t begin) {
      dictionary->dictionary.lookup(block, std::span(ids + begin, block.size()));
    });
  });
}
int crivo_dictionary_has_hashed(const crivo_dictionary* dictionary) {
  return dictionary->dictionary.has_hashed() ? 1 : 0;
}
crivo_status crivo_dictionary_lookup_hashed(const crivo_dictionary* dictionary, const void* key,
                                            size_t size, uint64_t* id) {
  return capi::call({{"dictionary", dictionary}, {"key", key, size}, {"id", id}},
                    [&] { *id = dictionary->dictionary.lookup_hashed(text_of(key, size)); });
}
crivo_status crivo_dictionary_lookup_hashed_many(const crivo_dictionary* dictionary,
                                                 const crivo_keys* keys, uint64_t* ids) {
  return capi::call({{"dictionary", dictionary}, {"ids", ids, capi::count_of(keys)}}, [&] {
    for_each_text_block(keys, [=](std::span<const std::string_view> block, std::size_t begin) {
      dictionary->dictionary.lookup_hashed(block, std::span(ids + begin, block.size()));
    });
  });
}
size_t crivo_dictionary_longest_key(const crivo_dictionary* dictionary) {
  return dictionary->dictionary.longest_key();
}
crivo_answer crivo_dictionary_key(const crivo_dictionary* dictionary, uint64_t id, void* buffer,
                                  size_t* size) {
  *size = 0;
  const Dictionary& opened = dictionary->dictionary;
  if (id >= opened.size()) return CRIVO_ANSWER_ABSENT;
  const auto key = opened.key(id, {static_cast<char*>(buffer), opened.longest_key()});
  if (!key) return CRIVO_ANSWER_DAMAGED;
  *size = key->size();
  return CRIVO_ANSWER_FOUND;
}
crivo_status crivo_dictionary_key_many(const crivo_dictionary* dictionary, const uint64_t* ids,
                                       size_t count, void* buffer, size_t room, uint64_t* ends,
                                       size_t* written) {
  return capi::call({{"dictionary", dictionary},
                     {"ids", ids, count},
                     {"buffer", buffer, room},
                     {"ends", ends},
                     {"written", written}},
                    [&] {
                      *written = dictionary->dictionary.key(
                          {ids, count}, {static_cast<char*>(buffer), room}, {ends, count + 1});
                    });
}
crivo_answer crivo_dictionary_value(const crivo_dictionary* dictionary, uint64_t id,
                                    uint64_t* value) {
  const Dictionary& opened = dictionary->dictionary;
  const std::optional<std::uint64_t> found = opened.value(id);
  *value = found.value_or(0);
  if (found) return CRIVO_ANSWER_FOUND;
  return id < opened.size() && opened.has_values() ? CRIVO_ANSWER_DAMAGED : CRIVO_ANSWER_ABSENT;
}
crivo_status crivo_dictionary_value_many(const crivo_dictionary* dictionary, const uint64_t* ids,
                                         size_t count, uint64_t* values, uint8_t* present) {
  return capi::call({{"dictionary", dictionary},
                     {"ids", ids, count},
                     {"values", values, count},
                     {"present", present, count}},
                    [&] {
                      std::optional<Error> damage;
                      capi::ask_with_care(
                          count, damage,
                          [&] {
                            dictionary->dictionary.value({ids, count}, {values, count},
                                                         capi::answers_at(present, count));
                          },
                          [&](std::size_t i) {
                            present[i] = static_cast<std::uint8_t>(
                                crivo_dictionary_value(dictionary, ids[i], values + i));
                          });
                      if (damage) throw Error(*damage);
                    });
}
uint64_t crivo_dictionary_lower_bound(const crivo_dictionary* dictionary, const void* text,
                                      size_t size) {
  return dictionary->dictionary.lower_bound(text_of(text, size));
}
void crivo_dictionary_prefix(const crivo_dictionary* dictionary, const void* text, size_t size,
                             uint64_t* begin, uint64_t* end) {
  const Dictionary::Range range = dictionary->dictionary.prefix(text_of(text, size));
  *begin = range.begin;
  *end = range.end;
}
uint64_t crivo_dictionary_longest_prefix(const crivo_dictionary* dictionary, const void* text,
                                         size_t size, size_t* key_size) {
  const Dictionary::Prefix prefix = dictionary->dictionary.longest_prefix(text_of(text, size));
  *key_size = prefix.size;
  return prefix.id;
}
crivo_status crivo_dictionary_prefixes(const crivo_dictionary* dictionary, const void* text,
                                       size_t size, crivo_prefix* found, size_t room,
                                       size_t* count) {
  return capi::call(
      {{"dictionary", dictionary}, {"text", text, size}, {"found", found, room}, {"count", count}},
      [&] {
        std::vector<Dictionary::Prefix> all;
        dictionary->dictionary.prefixes(text_of(text, size), all);
        for (std::size_t i = 0; i < std::min(room, all.size()); ++i)
          found[i] = {all[i].id, all[i].size};
        *count = all.size();
      });
}
crivo_status crivo_dictionary_fuzzy(const crivo_dictionary* dictionary, const void* text,
                                    size_t size, unsigned edits, crivo_near* found, size_t room,
                                    size_t* count) {
  return capi::call(
      {{"dictionary", dictionary}, {"text", text, size}, {"found", found, room}, {"count", count}},
      [&] {
        std::vector<Dictionary::Near> all;
        dictionary->dictionary.fuzzy(text_of(text, size), edits, all);
        for (std::size_t i = 0; i < std::min(room, all.size()); ++i)
          found[i] = {all[i].id, all[i].edits};
        *count = all.size();
      });
}
