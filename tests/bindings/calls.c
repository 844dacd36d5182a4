/* SPDX-License-Identifier: Apache-2.0 */
/* A program in C that makes every call of crivo.h, built as C11 with -pedantic: `calls FOLDER`. It
 * says what is wrong and ends with 1, or says nothing. */
#include <crivo.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file_source.h"

enum { KEYS = 3000 };

static int failures = 0;

static void check(int condition, const char* what, int line) {
  if (condition) return;
  ++failures;
  printf("line %d: %s (%s)\n", line, what, crivo_error_message());
}
#define CHECK(condition) check((condition), #condition, __LINE__)

static char texts[KEYS][16];
static crivo_bytes each[KEYS];
static crivo_bytes records[KEYS];
static uint64_t numbers[KEYS];
static char packed[KEYS * 16];
static uint64_t offsets[KEYS + 1];
static char folder[512];

static void make_keys(void) {
  size_t end = 0;
  for (int i = 0; i < KEYS; ++i) {
    const int size = snprintf(texts[i], sizeof texts[i], "key %d", i);
    each[i] = (crivo_bytes){texts[i], (size_t)size};
    records[i] = (crivo_bytes){texts[KEYS - 1 - i], strlen(texts[KEYS - 1 - i])};
    numbers[i] = (uint64_t)i * 1000003u;
    offsets[i] = end;
    memcpy(packed + end, texts[i], (size_t)size);
    end += (size_t)size;
  }
  for (int i = 0; i < KEYS; ++i)
    records[i] = (crivo_bytes){texts[KEYS - 1 - i], strlen(texts[KEYS - 1 - i])};
  offsets[KEYS] = end;
}

static const char* at(const char* name) {
  static char path[8][640];
  static int next = 0;
  next = (next + 1) % 8;
  snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
  return path[next];
}

static int reports = 0;
static int count_reports(void* context, const crivo_progress* progress) {
  CHECK(context == &reports && progress->phase != NULL && progress->fraction <= 1);
  ++reports;
  return 0;
}
static int cancel(void* context, const crivo_progress* progress) {
  (void)context;
  return progress->done != UINT64_MAX;
}

static int refuse_bytes(void* context, const void* data, size_t size) {
  (void)context;
  return data != NULL && size != 0;
}

/* Hands over 100 keys at a time. */
static int next_keys(void* context, crivo_writer* writer) {
  int* const done = context;
  for (int i = 0; i < 100; ++i, ++*done)
    crivo_writer_key(writer, each[*done].data, each[*done].size);
  return *done < KEYS;
}
static int next_value(void* context, crivo_writer* writer) {
  int* const done = context;
  crivo_writer_value(writer, each[*done].data, each[*done].size, (uint64_t)*done * 7);
  return ++*done < KEYS;
}
static int next_record(void* context, crivo_writer* writer) {
  int* const done = context;
  crivo_writer_record(writer, each[*done].data, each[*done].size, records[*done].data,
                      records[*done].size);
  return ++*done < KEYS;
}
static int gives_up(void* context, crivo_writer* writer) {
  (void)context;
  crivo_writer_key(writer, "a", 1);
  return -1;
}
static int returns_number(void* context, crivo_writer* writer) {
  CHECK(crivo_writer_key(writer, "a", 1) == CRIVO_STATUS_OK);
  return *(const int*)context;
}
static int too_long(void* context, crivo_writer* writer) {
  (void)context;
  CHECK(crivo_writer_key(writer, "a", SIZE_MAX) == CRIVO_STATUS_USAGE);
  CHECK(crivo_writer_record(writer, "a", 1, "b", SIZE_MAX) == CRIVO_STATUS_USAGE);
  return -1;
}
static int next_number(void* context, crivo_writer* writer) {
  int* const done = context;
  crivo_writer_key(writer, &numbers[*done], sizeof numbers[*done]);
  return ++*done < KEYS;
}
/* For ever. */
static int endless(void* context, crivo_writer* writer) {
  uint64_t* const number = context;
  for (int i = 0; i < 1000; ++i) {
    ++*number;
    crivo_writer_key(writer, number, sizeof *number);
  }
  return 1;
}

/* A bijection of all keys to [0, n). */
static void check_ranks(const uint64_t* ranks) {
  static unsigned char taken[KEYS];
  memset(taken, 0, sizeof taken);
  for (int i = 0; i < KEYS; ++i) {
    CHECK(ranks[i] < KEYS);
    if (ranks[i] < KEYS) taken[ranks[i]] = 1;
  }
  CHECK(memchr(taken, 0, sizeof taken) == NULL);
}

static void count_note(void* context, const char* name, const char* value) {
  *(int*)context += strcmp(name, "source") == 0 && strcmp(value, "a = b") == 0 ? 1 : 100;
}

static void use_notes(const crivo_input* input) {
  const char* const notes[] = {"source=a = b", NULL};
  const char* const twice[] = {"a=1", "a=2", NULL};
  crivo_build_options options = {.struct_size = sizeof options, .notes = notes};
  crivo_output output = crivo_to_path(at("noted.crv"));
  int found = 0;
  CHECK(crivo_build("mphf", input, &output, NULL, &options, NULL) == CRIVO_STATUS_OK);
  CHECK(crivo_inspect_notes(at("noted.crv"), count_note, &found) == CRIVO_STATUS_OK && found == 1);
  options.notes = twice;
  CHECK(crivo_build("mphf", input, &output, NULL, &options, NULL) == CRIVO_STATUS_USAGE);
  CHECK(crivo_inspect_notes("no such file", count_note, &found) == CRIVO_STATUS_IO);
}

static void use_mphf(void) {
  static char digest[72];
  const crivo_keys layouts[] = {
      crivo_keys_each(each, KEYS), crivo_keys_offsets(packed, offsets, KEYS),
      crivo_keys_fixed(texts, sizeof texts[0], KEYS),
      crivo_keys_padded(texts, sizeof texts[0], KEYS), crivo_keys_numbers(numbers, KEYS)};
  static uint64_t ranks[KEYS];
  for (size_t layout = 0; layout < sizeof layouts / sizeof layouts[0]; ++layout) {
    const crivo_keys* const keys = &layouts[layout];
    crivo_input* input = NULL;
    crivo_buffer* buffer = NULL;
    CHECK(crivo_input_keys(keys, &input) == CRIVO_STATUS_OK);
    CHECK(crivo_buffer_new(&buffer) == CRIVO_STATUS_OK);
    const crivo_output output = crivo_to_buffer(buffer);
    const char* const options[] = {"signature_bits=32", NULL};
    const crivo_resources resources = {.struct_size = sizeof resources,
                                       .threads = 2,
                                       .memory = 64u << 20,
                                       .temp_dir = folder,
                                       .on_progress = count_reports,
                                       .context = &reports};
    const crivo_build_options build = {
        .struct_size = sizeof build, .seed = 5, .resources = &resources};
    crivo_summary summary = {.struct_size = sizeof summary};
    reports = 0;
    CHECK(crivo_build("mphf", input, &output, options, &build, &summary) == CRIVO_STATUS_OK);
    CHECK(reports > 0);
    CHECK(summary.keys == KEYS && summary.seed == 5 && strlen(summary.digest) == 64);
    CHECK(summary.bytes == crivo_buffer_bytes(buffer).size);
    CHECK(crivo_warnings()[0] == '\0');

    crivo_mphf* mphf = NULL;
    const crivo_bytes file = crivo_buffer_bytes(buffer);
    const crivo_open_options open = {
        .struct_size = sizeof open, .mode = CRIVO_MODE_COPY, .verify = 1};
    CHECK(crivo_mphf_open_bytes(file.data, file.size, layout % 2 == 0 ? &open : NULL, &mphf) ==
          CRIVO_STATUS_OK);
    CHECK(crivo_mphf_size(mphf) == KEYS);
    crivo_mphf_lookup_many(mphf, keys, ranks);
    check_ranks(ranks);
    if (keys->layout == CRIVO_LAYOUT_NUMBERS) {
      CHECK(crivo_mphf_lookup_number(mphf, numbers[17]) == ranks[17]);
    } else {
      const size_t size = keys->layout == CRIVO_LAYOUT_FIXED ? sizeof texts[0] : each[17].size;
      CHECK(crivo_mphf_lookup(mphf, texts[17], size) == ranks[17]);
    }
    CHECK(crivo_mphf_lookup(mphf, "another", 7) == CRIVO_NO_RANK);
    crivo_hash hash = crivo_mphf_hash(mphf, each[17].data, each[17].size);
    uint64_t rank = KEYS;
    CHECK(crivo_mphf_lookup_hash(mphf, &hash, &rank) == CRIVO_STATUS_OK &&
          rank == crivo_mphf_lookup(mphf, each[17].data, each[17].size));
    hash = (crivo_hash){{0, 0, 0}};
    CHECK(crivo_mphf_lookup_hash(mphf, &hash, &rank) == CRIVO_STATUS_USAGE); /* made by none */
    CHECK(crivo_mphf_verify(mphf, NULL) == CRIVO_STATUS_OK);
    crivo_info info = {.struct_size = sizeof info};
    CHECK(crivo_mphf_info(mphf, &info) == CRIVO_STATUS_OK);
    CHECK(strcmp(info.kind, "mphf") == 0 && strcmp(info.algorithm, "fast") == 0);
    CHECK(strcmp(info.hash, "xxh3") == 0 && strcmp(info.digest, summary.digest) == 0);
    if (layout == 0) memcpy(digest, summary.digest, sizeof digest);
    if (layout == 0) use_notes(input);
    CHECK((strcmp(digest, summary.digest) == 0) ==
          (keys->layout != CRIVO_LAYOUT_FIXED &&
           keys->layout != CRIVO_LAYOUT_NUMBERS)); /* those are other keys */
    crivo_mphf_close(mphf);
    crivo_buffer_free(buffer);
    crivo_input_free(input);
  }
}

static void use_filter(void) {
  const crivo_keys keys = crivo_keys_each(each, KEYS / 2);
  const crivo_keys others = crivo_keys_each(each + KEYS / 2, KEYS / 2);
  static uint8_t answers[KEYS];
  crivo_input* input = NULL;
  crivo_input* more = NULL;
  CHECK(crivo_input_keys(&keys, &input) == CRIVO_STATUS_OK &&
        crivo_input_keys(&others, &more) == CRIVO_STATUS_OK);
  const char* const bloom[] = {"type=bloom", "fpr=0.001", "capacity=3000", NULL};
  const crivo_build_options replace = {.struct_size = sizeof replace, .replace = 1};
  crivo_output output = crivo_to_path(at("one.crv"));
  CHECK(crivo_build("filter", input, &output, bloom, &replace, NULL) == CRIVO_STATUS_OK);
  CHECK(crivo_build("filter", input, &output, bloom, NULL, NULL) ==
        CRIVO_STATUS_USAGE); /* it exists */
  CHECK(crivo_error_remedy() != NULL && strcmp(crivo_error_remedy(), "replace") == 0);
  output = crivo_to_path(at("two.crv"));
  CHECK(crivo_build("filter", more, &output, bloom, &replace, NULL) == CRIVO_STATUS_OK);
  char one[640], two[640], out[640];
  strcpy(one, at("one.crv"));
  strcpy(two, at("two.crv"));
  strcpy(out, at("out.crv"));
  const char* const both[] = {one, two};
  CHECK(crivo_filter_unite(both, 2, out, 1) == CRIVO_STATUS_OK);
  CHECK(crivo_filter_intersect(both, 2, out, 0) == CRIVO_STATUS_USAGE);
  uint64_t distinct = 0;
  CHECK(crivo_verify(out, NULL) == CRIVO_STATUS_OK);
  CHECK(crivo_verify_keys(out, input, 0, NULL, &distinct) == CRIVO_STATUS_OK &&
        distinct == KEYS / 2);

  const crivo_edit_options edit = {.struct_size = sizeof edit, .ignore_duplicates = 1};
  CHECK(crivo_filter_add(one, more, &edit) == CRIVO_STATUS_OK);
  CHECK(crivo_filter_remove(one, more, NULL) == CRIVO_STATUS_USAGE); /* of a bloom filter */
  crivo_filter* filter = NULL;
  CHECK(crivo_filter_open(one, NULL, &filter) == CRIVO_STATUS_OK);
  CHECK(crivo_filter_size(filter) > KEYS - 30 && crivo_filter_fpr(filter) < 0.01);
  crivo_filter_contains_many(filter, &others, answers);
  CHECK(memchr(answers, 0, KEYS / 2) == NULL);
  CHECK(crivo_filter_contains(filter, each[3].data, each[3].size) == 1);
  char host[64] = "www.";
  memcpy(host + 4, each[3].data, each[3].size);
  size_t begin = 99;
  CHECK(crivo_filter_contains_suffix(filter, host, 4 + each[3].size, '.', &begin) == 1);
  CHECK(begin == 4 || begin == 0);
  const crivo_hash hash = crivo_filter_hash(filter, each[3].data, each[3].size);
  int contains = 0;
  CHECK(crivo_filter_contains_hash(filter, &hash, &contains) == CRIVO_STATUS_OK && contains == 1);
  CHECK(crivo_filter_count(filter, each[3].data, each[3].size) == 1);
  CHECK(crivo_filter_verify(filter, NULL) == CRIVO_STATUS_OK);
  crivo_info info = {.struct_size = sizeof info};
  CHECK(crivo_filter_info(filter, &info) == CRIVO_STATUS_OK && info.fpr > 0);
  crivo_filter_close(filter);

  const char* const counting[] = {"type=counting-bloom", NULL};
  crivo_buffer* buffer = NULL;
  CHECK(crivo_buffer_new(&buffer) == CRIVO_STATUS_OK);
  const crivo_keys all = crivo_keys_numbers(numbers, KEYS);
  crivo_input* integers = NULL;
  CHECK(crivo_input_keys(&all, &integers) == CRIVO_STATUS_OK);
  output = crivo_to_buffer(buffer);
  CHECK(crivo_build("filter", integers, &output, counting, NULL, NULL) == CRIVO_STATUS_OK);
  CHECK(crivo_filter_open_bytes(crivo_buffer_bytes(buffer).data, crivo_buffer_bytes(buffer).size,
                                NULL, &filter) == CRIVO_STATUS_OK);
  CHECK(crivo_filter_contains_number(filter, numbers[9]) == 1);
  crivo_filter_contains_many(filter, &all, answers);
  CHECK(memchr(answers, 0, KEYS) == NULL);
  CHECK(crivo_filter_takes_ranges(filter) == 0);
  CHECK(crivo_filter_contains_range(filter, 1, 2, &contains) == CRIVO_STATUS_USAGE);
  crivo_filter_close(filter);
  crivo_buffer_free(buffer);

  const char* const range[] = {"type=range", "longest_range=500", "fpr=0.001", NULL};
  CHECK(crivo_buffer_new(&buffer) == CRIVO_STATUS_OK);
  output = crivo_to_buffer(buffer);
  CHECK(crivo_build("filter", integers, &output, range, NULL, NULL) == CRIVO_STATUS_OK);
  CHECK(crivo_filter_open_bytes(crivo_buffer_bytes(buffer).data, crivo_buffer_bytes(buffer).size,
                                NULL, &filter) == CRIVO_STATUS_OK);
  CHECK(crivo_filter_takes_ranges(filter) == 1);
  CHECK(crivo_filter_contains_number(filter, numbers[9]) == 1);
  CHECK(crivo_filter_contains_range(filter, numbers[9] - 400, numbers[9], &contains) ==
            CRIVO_STATUS_OK &&
        contains == 1);
  CHECK(crivo_filter_contains_range(filter, 5, 4, &contains) == CRIVO_STATUS_OK && contains == 0);
  static uint64_t lows[KEYS];
  for (int i = 0; i < KEYS; ++i) lows[i] = numbers[i] + 1;
  CHECK(crivo_filter_contains_ranges(filter, numbers, lows, KEYS, answers) == CRIVO_STATUS_OK);
  CHECK(memchr(answers, 0, KEYS) == NULL);
  CHECK(crivo_filter_contains_ranges(filter, lows, lows, KEYS, answers) == CRIVO_STATUS_OK);
  CHECK(memchr(answers, 0, KEYS) != NULL);
  crivo_filter_close(filter);
  crivo_buffer_free(buffer);
  crivo_input_free(integers);

  output = crivo_to_path(at("counting.crv"));
  CHECK(crivo_build("filter", input, &output, counting, &replace, NULL) == CRIVO_STATUS_OK);
  CHECK(crivo_filter_remove(at("counting.crv"), input, NULL) == CRIVO_STATUS_OK);
  crivo_input_free(input);
  crivo_input_free(more);
}

/* Numbers of a function stand for themselves in a filter of ranges. */
static void use_numbers_of_a_function(void) {
  const char* const range[] = {"type=range", "longest_range=500", "fpr=0.001", NULL};
  int done = 0;
  crivo_input* input = NULL;
  CHECK(crivo_input_function(next_number, &done, &input) == CRIVO_STATUS_OK);
  crivo_input_numbers(input, 1);
  const crivo_output output = crivo_to_path(at("function.crv"));
  CHECK(crivo_build("filter", input, &output, range, NULL, NULL) == CRIVO_STATUS_OK);
  crivo_input_free(input);
  crivo_filter* filter = NULL;
  CHECK(crivo_filter_open(at("function.crv"), NULL, &filter) == CRIVO_STATUS_OK);
  CHECK(crivo_filter_contains_number(filter, numbers[9]) == 1);
  CHECK(crivo_filter_count_number(filter, numbers[9]) == 1);
  CHECK(crivo_filter_count(filter, &numbers[9], sizeof numbers[9]) == 0);
  crivo_filter_close(filter);
}

/* A dictionary of the input, over bytes in a buffer that is made for them. */
static crivo_dictionary* dictionary_of(crivo_input* input, const char* const* choices,
                                       crivo_buffer** buffer) {
  CHECK(crivo_buffer_new(buffer) == CRIVO_STATUS_OK);
  const crivo_output output = crivo_to_buffer(*buffer);
  CHECK(crivo_build("dictionary", input, &output, choices, NULL, NULL) == CRIVO_STATUS_OK);
  crivo_dictionary* dictionary = NULL;
  CHECK(crivo_dictionary_open_bytes(crivo_buffer_bytes(*buffer).data,
                                    crivo_buffer_bytes(*buffer).size, NULL,
                                    &dictionary) == CRIVO_STATUS_OK);
  return dictionary;
}

/* The keys of all ids at once, in a room that has to be emptied some times. */
static void check_keys_of_ids(const crivo_dictionary* dictionary, const crivo_keys* keys,
                              const uint64_t* ids) {
  static uint64_t ends[KEYS + 1];
  char room[1000];
  size_t done = 0;
  size_t written = 0;
  while (done < keys->count) {
    CHECK(crivo_dictionary_key_many(dictionary, ids + done, keys->count - done, room, sizeof room,
                                    ends, &written) == CRIVO_STATUS_OK);
    CHECK(written != 0 && ends[0] == 0);
    for (size_t i = 0; i < written; ++i, ++done) {
      CHECK(ends[i + 1] - ends[i] == each[done].size &&
            memcmp(room + ends[i], each[done].data, each[done].size) == 0);
    }
  }
  const uint64_t none = UINT64_MAX;
  written = 77; /* what fails writes nothing */
  CHECK(crivo_dictionary_key_many(dictionary, &none, 1, room, sizeof room, ends, &written) ==
            CRIVO_STATUS_USAGE &&
        written == 77);
}

/* Numbers beside the ids. */
static void use_dictionary_values(void) {
  const crivo_keys keys = crivo_keys_each(each, KEYS);
  static uint64_t ids[KEYS];
  static uint64_t beside[KEYS];
  static uint8_t present[KEYS];
  for (uint64_t i = 0; i < KEYS; ++i) beside[i] = i * i;
  crivo_input* input = NULL;
  crivo_buffer* buffer = NULL;
  CHECK(crivo_input_values(&keys, beside, &input) == CRIVO_STATUS_OK);
  crivo_dictionary* dictionary = dictionary_of(input, CRIVO_CHOICES("values=1"), &buffer);
  crivo_dictionary_lookup_many(dictionary, &keys, ids);
  crivo_dictionary_value_many(dictionary, ids, KEYS, beside, present);
  for (uint64_t i = 0; i < KEYS; ++i) {
    uint64_t value = 0;
    CHECK(present[i] == 1 && beside[i] == i * i);
    CHECK(crivo_dictionary_value(dictionary, ids[i], &value) == CRIVO_ANSWER_FOUND &&
          value == beside[i]);
  }
  CHECK(crivo_dictionary_value(dictionary, KEYS, beside) == CRIVO_ANSWER_ABSENT);
  crivo_info info = {.struct_size = sizeof info};
  CHECK(crivo_dictionary_info(dictionary, &info) == CRIVO_STATUS_OK &&
        strcmp(info.value_type, "unsigned") == 0);
  crivo_dictionary_close(dictionary);
  crivo_buffer_free(buffer);
  crivo_input_free(input);
}

/* Ids by hashes are those of the keys' texts. */
static void use_hashed_ids(void) {
  const crivo_keys keys = crivo_keys_each(each, KEYS);
  static uint64_t ids[KEYS];
  static uint64_t hashed[KEYS];
  crivo_input* input = NULL;
  crivo_buffer* buffer = NULL;
  CHECK(crivo_input_keys(&keys, &input) == CRIVO_STATUS_OK);
  crivo_dictionary* dictionary =
      dictionary_of(input, CRIVO_CHOICES("hashed=1", "hashed_signature_bits=16"), &buffer);
  CHECK(crivo_dictionary_has_hashed(dictionary) == 1);
  crivo_dictionary_lookup_many(dictionary, &keys, ids);
  CHECK(crivo_dictionary_lookup_hashed_many(dictionary, &keys, hashed) == CRIVO_STATUS_OK);
  for (int i = 0; i < KEYS; ++i) {
    uint64_t id = 0;
    CHECK(hashed[i] == ids[i]);
    CHECK(crivo_dictionary_lookup_hashed(dictionary, each[i].data, each[i].size, &id) ==
              CRIVO_STATUS_OK &&
          id == ids[i]);
  }
  crivo_dictionary_close(dictionary);
  crivo_buffer_free(buffer);
  dictionary = dictionary_of(input, CRIVO_CHOICES("hashed=0"), &buffer);
  CHECK(crivo_dictionary_has_hashed(dictionary) == 0);
  CHECK(crivo_dictionary_lookup_hashed(dictionary, "a", 1, ids) == CRIVO_STATUS_USAGE);
  CHECK(crivo_dictionary_lookup_hashed_many(dictionary, &keys, hashed) == CRIVO_STATUS_USAGE);
  crivo_dictionary_close(dictionary);
  crivo_buffer_free(buffer);
  crivo_input_free(input);
}

static void use_dictionary(void) {
  const crivo_keys keys = crivo_keys_each(each, KEYS);
  static uint64_t ids[KEYS];
  crivo_input* input = NULL;
  crivo_buffer* buffer = NULL;
  CHECK(crivo_input_keys(&keys, &input) == CRIVO_STATUS_OK);
  crivo_dictionary* dictionary = dictionary_of(input, CRIVO_CHOICES("block_keys=16"), &buffer);
  CHECK(crivo_dictionary_size(dictionary) == KEYS);
  crivo_dictionary_lookup_many(dictionary, &keys, ids);
  char key[64];
  CHECK(crivo_dictionary_longest_key(dictionary) <= sizeof key);
  size_t size = 0;
  for (int i = 0; i < KEYS; ++i) {
    CHECK(crivo_dictionary_lookup(dictionary, each[i].data, each[i].size) == ids[i]);
    CHECK(crivo_dictionary_key(dictionary, ids[i], key, &size) == CRIVO_ANSWER_FOUND);
    CHECK(size == each[i].size && memcmp(key, each[i].data, size) == 0);
    CHECK(crivo_dictionary_lower_bound(dictionary, each[i].data, each[i].size) == ids[i]);
  }
  CHECK(crivo_dictionary_key(dictionary, KEYS, key, &size) == CRIVO_ANSWER_ABSENT && size == 0);
  CHECK(crivo_dictionary_lookup(dictionary, "\xff", 1) == UINT64_MAX);
  check_keys_of_ids(dictionary, &keys, ids);
  uint64_t begin = 1;
  uint64_t end = 0;
  crivo_dictionary_prefix(dictionary, "", 0, &begin, &end);
  CHECK(begin == 0 && end == KEYS);
  CHECK(crivo_dictionary_longest_prefix(dictionary, each[7].data, each[7].size, &size) == ids[7] &&
        size == each[7].size);
  crivo_prefix prefix = {0, 0};
  size_t count = 0;
  CHECK(crivo_dictionary_prefixes(dictionary, each[7].data, each[7].size, &prefix, 1, &count) ==
        CRIVO_STATUS_OK);
  CHECK(count >= 1 && prefix.id == ids[7] && prefix.size == each[7].size);
  CHECK(crivo_dictionary_prefixes(dictionary, "\xff", 1, NULL, 0, &count) == CRIVO_STATUS_OK &&
        count == 0);
  crivo_near near = {0, 0};
  CHECK(crivo_dictionary_fuzzy(dictionary, each[7].data, each[7].size, 0, &near, 1, &count) ==
            CRIVO_STATUS_OK &&
        count == 1 && near.id == ids[7] && near.edits == 0);
  CHECK(crivo_dictionary_fuzzy(dictionary, "", 0, 3, NULL, 0, &count) == CRIVO_STATUS_USAGE &&
        count == 1);
  CHECK(crivo_dictionary_verify(dictionary, NULL) == CRIVO_STATUS_OK);
  crivo_info info = {.struct_size = sizeof info};
  CHECK(crivo_dictionary_info(dictionary, &info) == CRIVO_STATUS_OK && info.keys == KEYS);
  crivo_dictionary_close(dictionary);
  crivo_buffer_free(buffer);
  crivo_input_free(input);
  dictionary = NULL;
  CHECK(crivo_dictionary_open(at("one.crv"), NULL, &dictionary) == CRIVO_STATUS_USAGE &&
        dictionary == NULL); /* a filter */
}

static void use_rows(void) {
  static crivo_bytes places[KEYS];
  static char place_texts[KEYS][16];
  for (int i = 0; i < KEYS; ++i)
    places[i] = (crivo_bytes){
        place_texts[i],
        (size_t)snprintf(place_texts[i], sizeof place_texts[i], "part-%d\t%d", i % 3, i / 3)};
  const crivo_keys keys = crivo_keys_each(each, KEYS);
  const crivo_keys rows_of = crivo_keys_each(places, KEYS);
  crivo_input* input = NULL;
  CHECK(crivo_input_records(&keys, &rows_of, &input) == CRIVO_STATUS_OK);
  crivo_buffer* buffer = NULL;
  CHECK(crivo_buffer_new(&buffer) == CRIVO_STATUS_OK);
  const crivo_output to_buffer = crivo_to_buffer(buffer);
  CHECK(crivo_build("rows", input, &to_buffer, NULL, NULL, NULL) == CRIVO_STATUS_OK);
  const crivo_output to_path = crivo_to_path(at("rows.crv"));
  CHECK(crivo_build("rows", input, &to_path, NULL, NULL, NULL) == CRIVO_STATUS_OK);
  crivo_rows* rows = NULL;
  CHECK(crivo_rows_open_bytes(crivo_buffer_bytes(buffer).data, crivo_buffer_bytes(buffer).size,
                              NULL, &rows) == CRIVO_STATUS_OK);
  CHECK(crivo_rows_size(rows) == KEYS && crivo_rows_files(rows) == 3);
  CHECK(crivo_rows_file(rows, 3).size == 0);
  crivo_info info = {.struct_size = sizeof info};
  CHECK(crivo_rows_info(rows, &info) == CRIVO_STATUS_OK && info.keys == KEYS);
  CHECK(crivo_rows_verify(rows, NULL) == CRIVO_STATUS_OK);
  crivo_rows_close(rows);
  CHECK(crivo_rows_open(at("rows.crv"), NULL, &rows) == CRIVO_STATUS_OK);
  static crivo_row found[KEYS];
  static uint8_t answers[KEYS];
  CHECK(crivo_rows_lookup_many(rows, &keys, found, answers) == CRIVO_STATUS_OK);
  for (int i = 0; i < KEYS; ++i) {
    crivo_row row = {0, 0, 0};
    CHECK(crivo_rows_lookup(rows, each[i].data, each[i].size, &row) == CRIVO_ANSWER_FOUND);
    CHECK(answers[i] == CRIVO_ANSWER_FOUND && found[i].row == row.row && found[i].file == row.file);
    CHECK(row.row == (uint64_t)(i / 3) && row.group == UINT64_MAX);
    const crivo_bytes name = crivo_rows_file(rows, row.file);
    CHECK(name.size == 6 && memcmp(name.data, place_texts[i], 6) == 0);
  }
  crivo_row row = {0, 0, 0};
  CHECK(crivo_rows_lookup_number(rows, 1, &row) == CRIVO_ANSWER_ABSENT);
  size_t count = 0;
  CHECK(crivo_rows_lookup_all(rows, each[5].data, each[5].size, NULL, 0, &count) ==
            CRIVO_ANSWER_FOUND &&
        count == 1);
  CHECK(crivo_rows_lookup_all(rows, each[5].data, each[5].size, &row, 1, &count) ==
            CRIVO_ANSWER_FOUND &&
        row.row == found[5].row);
  CHECK(crivo_rows_lookup_all(rows, "", 0, &row, 1, &count) == CRIVO_ANSWER_ABSENT && count == 0);
  static crivo_row all[KEYS];
  static uint64_t ends[KEYS];
  CHECK(crivo_rows_lookup_lists(rows, &keys, all, KEYS, ends, &count) == CRIVO_STATUS_OK);
  CHECK(count == KEYS && memcmp(all, found, sizeof all) == 0 && ends[6] == 7);
  CHECK(crivo_rows_lookup_lists(rows, &keys, NULL, 0, ends, &count) == CRIVO_STATUS_OK);
  CHECK(count == KEYS && ends[KEYS - 1] == KEYS);
  crivo_rows_close(rows);
  crivo_buffer_free(buffer);
  crivo_input_free(input);
}

/* Each key in a group by its number, asked in every way. */
static void use_filterset(void) {
  static crivo_bytes names[KEYS];
  static char name_texts[3][8] = {"group-0", "group-1", "group-2"};
  for (int i = 0; i < KEYS; ++i) names[i] = (crivo_bytes){name_texts[i % 3], 7};
  const crivo_keys keys = crivo_keys_each(each, KEYS);
  const crivo_keys groups_of = crivo_keys_each(names, KEYS);
  crivo_input* input = NULL;
  CHECK(crivo_input_records(&keys, &groups_of, &input) == CRIVO_STATUS_OK);
  const crivo_output to_path = crivo_to_path(at("groups.crv"));
  const char* const choices[] = {"fpr=1e-6", NULL};
  CHECK(crivo_build("filterset", input, &to_path, choices, NULL, NULL) == CRIVO_STATUS_OK);
  crivo_input_free(input);
  crivo_filterset* set = NULL;
  CHECK(crivo_filterset_open(at("groups.crv"), NULL, &set) == CRIVO_STATUS_OK);
  CHECK(crivo_filterset_size(set) == KEYS && crivo_filterset_groups(set) == 3);
  CHECK(crivo_filterset_name(set, 1).size == 7 && crivo_filterset_name(set, 3).size == 0);
  CHECK(crivo_filterset_find(set, "group-2", 7) == 2);
  CHECK(crivo_filterset_find(set, "group", 5) == UINT64_MAX);
  crivo_info info = {.struct_size = sizeof info};
  CHECK(crivo_filterset_info(set, &info) == CRIVO_STATUS_OK && info.keys == KEYS);
  CHECK(crivo_filterset_verify(set, NULL) == CRIVO_STATUS_OK);
  static uint8_t answers[KEYS];
  static uint64_t bitmaps[KEYS];
  uint32_t counts[3] = {0, 0, 0};
  CHECK(crivo_filterset_contains_many(set, 1, &keys, answers) == CRIVO_STATUS_OK);
  CHECK(crivo_filterset_groups_of(set, &keys, bitmaps) == CRIVO_STATUS_OK);
  CHECK(crivo_filterset_count(set, &keys, counts) == CRIVO_STATUS_OK);
  for (int i = 0; i < KEYS; ++i) {
    CHECK((bitmaps[i] >> (i % 3) & 1) == 1 && (bitmaps[i] >> 1 & 1) == answers[i]);
    CHECK(crivo_filterset_contains(set, 1, each[i].data, each[i].size) == answers[i]);
  }
  CHECK(counts[0] >= KEYS / 3 && counts[0] < KEYS / 2);
  CHECK(crivo_filterset_contains(set, 3, each[0].data, each[0].size) == 0);
  CHECK(crivo_filterset_count(set, NULL, counts) == CRIVO_STATUS_USAGE);
  crivo_filterset_close(set);
  CHECK(crivo_filterset_open_bytes("no file", 7, NULL, &set) == CRIVO_STATUS_CORRUPT);
}

/* A build of another kind refuses what it would not read of an input, by name. */
static void refuse_fields_of_others(void) {
  const char* const path = at("refused.txt");
  FILE* const file = fopen(path, "w");
  CHECK(file != NULL && fputs("key\n", file) >= 0 && fclose(file) == 0);
  const crivo_format format = {.struct_size = sizeof format, .group_by_file = 1};
  crivo_input *grouped = NULL, *keys = NULL;
  CHECK(crivo_input_files(&path, 1, &format, &grouped) == CRIVO_STATUS_OK);
  CHECK(crivo_input_files(&path, 1, NULL, &keys) == CRIVO_STATUS_OK);
  CHECK(crivo_input_universe(keys, keys) == CRIVO_STATUS_OK);
  const crivo_output output = crivo_to_path(at("refused"));
  crivo_estimate estimate = {.struct_size = sizeof estimate};
  static const char groups[] = "groups: is for the kind filterset alone, and not for the kind mphf";
  static const char universe[] = "universe: is for the kind exact alone, and not for the kind mphf";
  CHECK(crivo_build("mphf", grouped, &output, NULL, NULL, NULL) == CRIVO_STATUS_USAGE);
  CHECK(strcmp(crivo_error_message(), groups) == 0);
  CHECK(crivo_estimate_build("mphf", grouped, NULL, NULL, &estimate) == CRIVO_STATUS_USAGE);
  CHECK(strcmp(crivo_error_message(), groups) == 0);
  CHECK(crivo_build("mphf", keys, &output, NULL, NULL, NULL) == CRIVO_STATUS_USAGE);
  CHECK(strcmp(crivo_error_message(), universe) == 0);
  CHECK(crivo_partition_keys(grouped, at("refused"), NULL, NULL, NULL) == CRIVO_STATUS_USAGE);
  CHECK(crivo_build("filterset", grouped, &output, NULL, NULL, NULL) == CRIVO_STATUS_OK);
  crivo_input_free(grouped);
  crivo_input_free(keys);
}

/* Hashes of the program's own, in its own memory. */
static void use_hash_filter(void) {
  static uint64_t hashes[KEYS];
  static uint64_t memory[2 * KEYS];
  static uint8_t answers[KEYS];
  for (int i = 0; i < KEYS; ++i) hashes[i] = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15U;
  const char* const types[] = {NULL, "fuse", "split-block-bloom", "bloom"};
  for (int i = 0; i < 4; ++i) {
    const crivo_hash_filter_options options = {
        .struct_size = sizeof options, .type = types[i], .fpr = 1e-4};
    size_t room = 0;
    size_t bytes = 0;
    CHECK(crivo_filter_hashes_bytes(KEYS, &options, &room) == CRIVO_STATUS_OK);
    CHECK(room <= sizeof memory);
    CHECK(crivo_filter_build_hashes(hashes, KEYS, &options, memory, 9, &bytes) ==
          CRIVO_STATUS_USAGE);
    CHECK(crivo_filter_build_hashes(hashes, KEYS, &options, memory, room, &bytes) ==
          CRIVO_STATUS_OK);
    CHECK(bytes <= room);
    crivo_hash_filter* filter = NULL;
    CHECK(crivo_hash_filter_open(memory, bytes - 1, &filter) == CRIVO_STATUS_CORRUPT);
    CHECK(crivo_hash_filter_open(memory, bytes, &filter) == CRIVO_STATUS_OK);
    CHECK(crivo_hash_filter_size(filter) == KEYS && crivo_hash_filter_fpr(filter) <= 2e-4);
    CHECK(crivo_hash_filter_contains(filter, hashes[3]) == 1);
    CHECK(crivo_hash_filter_contains(filter, 12345) == 0);
    CHECK(crivo_hash_filter_contains_many(filter, hashes, KEYS, answers) == CRIVO_STATUS_OK);
    CHECK(memchr(answers, 0, KEYS) == NULL);
    CHECK(crivo_hash_filter_contains_many(filter, NULL, 1, answers) == CRIVO_STATUS_USAGE);
    crivo_hash_filter_close(filter);
  }
}

static void use_map(void) {
  const crivo_keys keys = crivo_keys_each(each, KEYS);
  static uint64_t values[KEYS];
  static uint64_t found[KEYS];
  static uint8_t present[KEYS];
  for (int i = 0; i < KEYS; ++i) values[i] = (uint64_t)i * 7;
  const char* const options[] = {"values=1", "signature_bits=32", NULL};
  for (int way = 0; way < 2; ++way) { /* from memory, and from a function */
    int done = 0;
    crivo_input* input = NULL;
    CHECK((way == 0 ? crivo_input_values(&keys, values, &input)
                    : crivo_input_function(next_value, &done, &input)) == CRIVO_STATUS_OK);
    crivo_buffer* buffer = NULL;
    CHECK(crivo_buffer_new(&buffer) == CRIVO_STATUS_OK);
    const crivo_output output = crivo_to_buffer(buffer);
    crivo_summary summary = {.struct_size = sizeof summary};
    CHECK(crivo_build("map", input, &output, options, NULL, &summary) == CRIVO_STATUS_OK);
    CHECK(summary.value_bits == 15);
    crivo_map* map = NULL;
    CHECK(crivo_map_open_bytes(crivo_buffer_bytes(buffer).data, crivo_buffer_bytes(buffer).size,
                               NULL, &map) == CRIVO_STATUS_OK);
    CHECK(crivo_map_size(map) == KEYS);
    crivo_map_lookup_many(map, &keys, found, present);
    CHECK(memcmp(found, values, sizeof values) == 0 && memchr(present, 0, KEYS) == NULL);
    uint64_t value = 1;
    CHECK(crivo_map_lookup(map, each[5].data, each[5].size, &value) == 1 && value == 35);
    CHECK(crivo_map_lookup_number(map, 12345, &value) == 0 && value == 0);
    const crivo_hash hash = crivo_map_hash(map, each[5].data, each[5].size);
    crivo_answer answer = CRIVO_ANSWER_ABSENT;
    CHECK(crivo_map_lookup_hash(map, &hash, &answer, &value) == CRIVO_STATUS_OK);
    CHECK(answer == CRIVO_ANSWER_FOUND && value == 35);
    CHECK(crivo_map_verify(map, NULL) == CRIVO_STATUS_OK);
    crivo_info info = {.struct_size = sizeof info};
    CHECK(crivo_map_info(map, &info) == CRIVO_STATUS_OK && info.value_bits == 15);
    crivo_map_close(map);
    crivo_buffer_free(buffer);
    crivo_input_free(input);
  }
  const char* const decimals[] = {"values=1", "value_type=decimal", "scale=2", NULL};
  for (int i = 0; i < KEYS; ++i) values[i] = (uint64_t)(int64_t)-i;
  crivo_input* negative = NULL;
  crivo_buffer* buffer = NULL;
  CHECK(crivo_input_values(&keys, values, &negative) == CRIVO_STATUS_OK &&
        crivo_buffer_new(&buffer) == CRIVO_STATUS_OK);
  const crivo_output output = crivo_to_buffer(buffer);
  CHECK(crivo_build("map", negative, &output, decimals, NULL, NULL) == CRIVO_STATUS_OK);
  crivo_map* map = NULL;
  CHECK(crivo_map_open_bytes(crivo_buffer_bytes(buffer).data, crivo_buffer_bytes(buffer).size, NULL,
                             &map) == CRIVO_STATUS_OK);
  crivo_map_lookup_many(map, &keys, found, present);
  CHECK(memcmp(found, values, sizeof values) == 0);
  crivo_info info = {.struct_size = sizeof info};
  CHECK(crivo_map_info(map, &info) == CRIVO_STATUS_OK && info.scale == 2 &&
        strcmp(info.value_type, "decimal") == 0);
  crivo_map_close(map);
  crivo_buffer_free(buffer);
  crivo_input_free(negative);
  map = NULL;
  CHECK(crivo_map_open(at("one.crv"), NULL, &map) == CRIVO_STATUS_USAGE &&
        map == NULL); /* a filter */
}

/* Of a map that was changed after it was built: each answer is right, or CRIVO_ANSWER_DAMAGED. */
static void use_damage(void) {
  enum { kNumbers = 20000 };
  static uint64_t mapped[kNumbers];
  static uint64_t values[kNumbers];
  static uint64_t found[kNumbers];
  static uint8_t present[kNumbers];
  for (int i = 0; i < kNumbers; ++i) {
    mapped[i] = (uint64_t)i * 12345;
    values[i] = ((uint64_t)1 << 40) + (uint64_t)i;
  }
  const crivo_keys keys = crivo_keys_numbers(mapped, kNumbers);
  crivo_input* input = NULL;
  crivo_buffer* buffer = NULL;
  CHECK(crivo_input_values(&keys, values, &input) == CRIVO_STATUS_OK &&
        crivo_buffer_new(&buffer) == CRIVO_STATUS_OK);
  const crivo_output output = crivo_to_buffer(buffer);
  CHECK(crivo_build("map", input, &output, CRIVO_CHOICES("values=1"), NULL, NULL) ==
        CRIVO_STATUS_OK);
  const crivo_bytes bytes = crivo_buffer_bytes(buffer);
  unsigned char* changed = malloc(bytes.size);
  memcpy(changed, bytes.data, bytes.size);
  changed[bytes.size / 3] ^= 1;
  crivo_map* map = NULL;
  CHECK(crivo_map_open_bytes(changed, bytes.size, NULL, &map) == CRIVO_STATUS_OK);
  CHECK(crivo_map_lookup_many(map, &keys, found, present) == CRIVO_STATUS_CORRUPT);
  int damaged = 0;
  for (int i = 0; i < kNumbers; ++i) {
    uint64_t value = 1;
    CHECK(crivo_map_lookup_number(map, mapped[i], &value) == (crivo_answer)present[i] &&
          value == found[i]);
    CHECK(present[i] == CRIVO_ANSWER_FOUND ? found[i] == values[i]
                                           : present[i] == CRIVO_ANSWER_DAMAGED && found[i] == 0);
    damaged += present[i] == CRIVO_ANSWER_DAMAGED;
  }
  CHECK(damaged > 0 && damaged < kNumbers / 10);
  crivo_map_close(map);
  free(changed);

  /* A file that is cut short under its reader. */
  crivo_guard_reads();
  FILE* const file = fopen(at("cut.crv"), "wb");
  CHECK(fwrite(bytes.data, 1, bytes.size, file) == bytes.size && fclose(file) == 0);
  CHECK(crivo_map_open(at("cut.crv"), NULL, &map) == CRIVO_STATUS_OK);
  CHECK(crivo_map_lookup_many(map, &keys, found, present) == CRIVO_STATUS_OK);
  CHECK(fclose(fopen(at("cut.crv"), "wb")) == 0);
  CHECK(crivo_map_lookup_many(map, &keys, found, present) == CRIVO_STATUS_CORRUPT);
  CHECK(crivo_map_lookup_number(map, mapped[0], found) == CRIVO_ANSWER_DAMAGED);
  crivo_map_close(map);
  crivo_buffer_free(buffer);
  crivo_input_free(input);
}

static uint8_t seen[KEYS];
static int see(void* context, size_t index, crivo_answer answer, crivo_bytes record) {
  (void)context;
  seen[index] = answer == CRIVO_ANSWER_FOUND && record.size == records[index].size &&
                memcmp(record.data, records[index].data, record.size) == 0;
  return 0;
}
static int stop(void* context, size_t index, crivo_answer answer, crivo_bytes record) {
  (void)context;
  return index == 5 && answer == CRIVO_ANSWER_FOUND && record.size != 0;
}

/* Counts records that have the key's number in them; ends at 0. */
static int count_record(void* context, crivo_bytes key, crivo_bytes record) {
  int* const walked = context;
  for (int i = 0; i < KEYS; ++i) {
    if (key.size == each[i].size && memcmp(key.data, each[i].data, key.size) == 0)
      CHECK(record.size == records[i].size &&
            memcmp(record.data, records[i].data, record.size) == 0);
  }
  return ++*walked == 0;
}

/* Of what use_store() built: the first keys get other records, and one loses its own. */
static void update_store(void) {
  crivo_store* store = NULL;
  crivo_reader* old = NULL;
  CHECK(crivo_store_open(at("store"), NULL, &store) == CRIVO_STATUS_OK);
  int renewed = 7;
  CHECK(crivo_store_refresh(store, &renewed) == CRIVO_STATUS_OK && renewed == 0);
  CHECK(crivo_reader_open(store, &old) == CRIVO_STATUS_OK);
  crivo_reader* copy = NULL;

  const crivo_keys keys = crivo_keys_each(each, 10);
  const crivo_keys others = crivo_keys_each(records + 10, 10);
  crivo_input* input = NULL;
  crivo_store_edit edit = {.struct_size = sizeof edit};
  CHECK(crivo_input_records(&keys, &others, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_store_set(at("store"), input, NULL, &edit) == CRIVO_STATUS_OK);
  CHECK(edit.given == 10 && edit.replaced == 10 && edit.added + edit.unchanged + edit.absent == 0 &&
        edit.records == KEYS);
  crivo_input_free(input);
  const crivo_bytes gone[] = {each[3], {"another", 7}};
  const crivo_keys both = crivo_keys_each(gone, 2);
  CHECK(crivo_input_keys(&both, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_store_remove(at("store"), input, NULL, &edit) == CRIVO_STATUS_OK);
  CHECK(edit.given == 2 && edit.absent == 1 && edit.records == KEYS - 1);
  crivo_store_compaction compaction = {.struct_size = sizeof compaction};
  CHECK(crivo_store_compact(at("store"), 1e6, NULL, &compaction) == CRIVO_STATUS_OK);
  CHECK(compaction.is_compacted == 0 && compaction.records == KEYS - 1);
  CHECK(compaction.bytes == compaction.bytes_before);
  crivo_input_free(input);

  crivo_reader* reader = NULL;
  crivo_bytes record = {NULL, 0};
  CHECK(crivo_store_refresh(store, &renewed) == CRIVO_STATUS_OK && renewed == 1);
  CHECK(crivo_store_refresh(store, NULL) == CRIVO_STATUS_OK);
  CHECK(crivo_reader_open(store, &reader) == CRIVO_STATUS_OK);
  CHECK(crivo_reader_copy(old, &copy) == CRIVO_STATUS_OK);
  crivo_store_close(store); /* its readers go on */
  CHECK(crivo_reader_find(reader, each[1].data, each[1].size, &record) == CRIVO_ANSWER_FOUND);
  CHECK(record.size == records[11].size && memcmp(record.data, records[11].data, record.size) == 0);
  CHECK(crivo_reader_find(reader, each[3].data, each[3].size, &record) == CRIVO_ANSWER_ABSENT);
  CHECK(crivo_reader_find(old, each[3].data, each[3].size, &record) == CRIVO_ANSWER_FOUND);
  crivo_reader_close(reader);
  crivo_reader_close(old);
  CHECK(crivo_reader_find(copy, each[3].data, each[3].size, &record) == CRIVO_ANSWER_FOUND);
  CHECK(record.size == records[3].size && memcmp(record.data, records[3].data, record.size) == 0);
  crivo_reader_close(copy);
}

/* The same key by key: nothing is there before the commit, and what is not committed never is. */
static void write_store(void) {
  crivo_store_writer* writer = NULL;
  crivo_store* store = NULL;
  crivo_reader* reader = NULL;
  crivo_bytes record = {NULL, 0};
  CHECK(crivo_store_writer_open(at("nowhere"), NULL, &writer) == CRIVO_STATUS_IO);
  CHECK(writer == NULL);
  CHECK(crivo_store_writer_open(at("store"), NULL, &writer) == CRIVO_STATUS_OK);
  const crivo_resources cancels = {.struct_size = sizeof cancels, .on_progress = cancel};
  crivo_store_writer* second = NULL;
  CHECK(crivo_store_writer_open(at("store"), &cancels, &second) == CRIVO_STATUS_CANCELLED);
  CHECK(second == NULL);
  CHECK(crivo_store_writer_set(writer, each[20].data, each[20].size, "new", 3) == CRIVO_STATUS_OK);
  CHECK(crivo_store_writer_set(writer, "another", 7, "too", 3) == CRIVO_STATUS_OK);
  int had_record = 7;
  CHECK(crivo_store_writer_remove(writer, each[21].data, each[21].size, &had_record) ==
            CRIVO_STATUS_OK &&
        had_record == 1);
  CHECK(crivo_store_writer_remove(writer, each[21].data, each[21].size, &had_record) ==
            CRIVO_STATUS_OK &&
        had_record == 0);
  CHECK(crivo_store_open(at("store"), NULL, &store) == CRIVO_STATUS_OK);
  CHECK(crivo_reader_open(store, &reader) == CRIVO_STATUS_OK);
  CHECK(crivo_reader_find(reader, each[21].data, each[21].size, &record) == CRIVO_ANSWER_FOUND);
  crivo_reader_close(reader);
  CHECK(crivo_store_writer_commit(writer) == CRIVO_STATUS_OK);
  CHECK(crivo_store_writer_remove(writer, each[20].data, each[20].size, NULL) == CRIVO_STATUS_OK);
  crivo_store_writer_close(writer); /* without a commit */
  CHECK(crivo_store_refresh(store, NULL) == CRIVO_STATUS_OK &&
        crivo_reader_open(store, &reader) == CRIVO_STATUS_OK);
  CHECK(crivo_reader_find(reader, each[20].data, each[20].size, &record) == CRIVO_ANSWER_FOUND);
  CHECK(record.size == 3 && memcmp(record.data, "new", 3) == 0);
  CHECK(crivo_reader_find(reader, "another", 7, &record) == CRIVO_ANSWER_FOUND);
  CHECK(record.size == 3 && memcmp(record.data, "too", 3) == 0);
  CHECK(crivo_reader_find(reader, each[21].data, each[21].size, &record) == CRIVO_ANSWER_ABSENT);
  crivo_reader_close(reader);
  crivo_store_close(store);
}

/* Of the keys "key 0" to "key 2999" as texts. */
static void use_ordered_store(void) {
  const crivo_keys keys = crivo_keys_each(each, KEYS);
  const crivo_keys values = crivo_keys_each(records, KEYS);
  crivo_input* input = NULL;
  CHECK(crivo_input_records(&keys, &values, &input) == CRIVO_STATUS_OK);
  const crivo_output output = crivo_to_path(at("ordered"));
  CHECK(crivo_build("store", input, &output, CRIVO_CHOICES("ordered=1"), NULL, NULL) ==
        CRIVO_STATUS_USAGE);
  CHECK(crivo_build("store", input, &output, CRIVO_CHOICES("backend=flat", "ordered=1"), NULL,
                    NULL) == CRIVO_STATUS_OK);
  crivo_input_free(input);
  crivo_store* store = NULL;
  crivo_store_cursor* cursor = NULL;
  CHECK(crivo_store_open(at("ordered"), NULL, &store) == CRIVO_STATUS_OK);
  CHECK(crivo_store_is_ordered(store));
  uint64_t begin = 0, end = 0, rank = 0;
  CHECK(crivo_store_prefix(store, "key 12", 6, &begin, &end) == CRIVO_STATUS_OK);
  CHECK(end - begin == 111);
  CHECK(crivo_store_lower_bound(store, "key 12", 6, &rank) == CRIVO_STATUS_OK && rank == begin);
  CHECK(crivo_store_cursor_open(store, &cursor) == CRIVO_STATUS_OK);
  crivo_store_close(store);
  crivo_bytes key, record;
  CHECK(crivo_store_cursor_next(cursor, &key, &record) == CRIVO_ANSWER_FOUND && key.size == 5);
  CHECK(memcmp(key.data, "key 0", 5) == 0);
  CHECK(crivo_store_cursor_seek_key(cursor, "key 12", 6, &key, &record) == CRIVO_ANSWER_FOUND);
  CHECK(key.size == 6 && memcmp(key.data, "key 12", 6) == 0);
  CHECK(record.size == records[12].size && memcmp(record.data, records[12].data, record.size) == 0);
  CHECK(crivo_store_cursor_next(cursor, &key, &record) == CRIVO_ANSWER_FOUND && key.size == 7);
  CHECK(crivo_store_cursor_seek(cursor, KEYS - 1, &key, &record) == CRIVO_ANSWER_FOUND);
  CHECK(crivo_store_cursor_next(cursor, &key, &record) == CRIVO_ANSWER_ABSENT && key.size == 0);
  crivo_store_cursor_close(cursor);

  CHECK(crivo_store_open(at("store"), NULL, &store) == CRIVO_STATUS_OK);
  CHECK(!crivo_store_is_ordered(store));
  CHECK(crivo_store_cursor_open(store, &cursor) == CRIVO_STATUS_USAGE);
  crivo_store_close(store);
}

static void use_estimates(void) {
  const crivo_keys keys = crivo_keys_each(each, KEYS);
  const crivo_keys values = crivo_keys_each(records, KEYS);
  crivo_input* input = NULL;
  CHECK(crivo_input_keys(&keys, &input) == CRIVO_STATUS_OK);
  crivo_estimate mphf = {.struct_size = sizeof mphf}, filter = mphf, map = mphf, store = mphf;
  CHECK(crivo_estimate_build("mphf", input, NULL, NULL, &mphf) == CRIVO_STATUS_OK);
  CHECK(mphf.keys == KEYS && mphf.partitions > 0 && mphf.would_be_refused == 0);
  CHECK(mphf.output_bytes > 0 && mphf.memory_bytes > 0 && mphf.minimum_memory_bytes > 0);
  const char* const exact[] = {"bits=32", NULL};
  CHECK(crivo_estimate_build("filter", input, exact, NULL, &filter) == CRIVO_STATUS_OK);
  CHECK(filter.output_bytes > mphf.output_bytes);
  CHECK(crivo_estimate_build("map", input, NULL, NULL, &map) == CRIVO_STATUS_OK &&
        map.keys == KEYS);
  const crivo_resources little = {.struct_size = sizeof little, .memory = 1};
  const crivo_build_options refused = {.struct_size = sizeof refused, .resources = &little};
  CHECK(crivo_estimate_build("map", input, NULL, &refused, &map) == CRIVO_STATUS_OK &&
        map.would_be_refused == 1);
  crivo_input_free(input);
  CHECK(crivo_input_records(&keys, &values, &input) == CRIVO_STATUS_OK);
  const char* const flat[] = {"backend=flat", NULL};
  CHECK(crivo_estimate_build("store", input, flat, NULL, &store) == CRIVO_STATUS_OK &&
        store.keys == KEYS);
  const crivo_output output = crivo_to_path(at("flat"));
  CHECK(crivo_build("store", input, &output, flat, NULL, NULL) == CRIVO_STATUS_OK);
  const char* const some[] = {"repeated=some", NULL};
  CHECK(crivo_estimate_build("store", input, some, NULL, &store) == CRIVO_STATUS_USAGE);
  CHECK(crivo_error_remedy() != NULL && strcmp(crivo_error_remedy(), "repeated") == 0);
  CHECK(crivo_store_set(at("flat"), input, NULL, NULL) == CRIVO_STATUS_OK);
  crivo_input_free(input);
}

static void use_store(void) {
  const crivo_keys keys = crivo_keys_each(each, KEYS);
  const crivo_keys values = crivo_keys_each(records, KEYS);
  const crivo_build_options replace = {.struct_size = sizeof replace, .replace = 1};
  for (int way = 0; way < 2; ++way) {
    int done = 0;
    crivo_input* input = NULL;
    CHECK((way == 0 ? crivo_input_records(&keys, &values, &input)
                    : crivo_input_function(next_record, &done, &input)) == CRIVO_STATUS_OK);
    const crivo_output output = crivo_to_path(at("store"));
    CHECK(crivo_build("store", input, &output, NULL, &replace, NULL) == CRIVO_STATUS_OK);
    crivo_input_free(input);
    crivo_store* store = NULL;
    crivo_reader* reader = NULL;
    CHECK(crivo_store_open(at("store"), NULL, &store) == CRIVO_STATUS_OK);
    CHECK(crivo_reader_open(store, &reader) == CRIVO_STATUS_OK);
    CHECK(crivo_store_size(store) == KEYS);
    crivo_bytes record = {NULL, 1};
    CHECK(crivo_reader_find(reader, each[1].data, each[1].size, &record) == CRIVO_ANSWER_FOUND);
    CHECK(record.size == records[1].size && memcmp(record.data, records[1].data, record.size) == 0);
    CHECK(crivo_reader_find(reader, "another", 7, &record) == CRIVO_ANSWER_ABSENT &&
          record.size == 0);
    CHECK(crivo_reader_find_number(reader, 99, &record) == CRIVO_ANSWER_ABSENT);
    const crivo_hash hash = crivo_store_hash(store, each[1].data, each[1].size);
    crivo_answer answer = CRIVO_ANSWER_ABSENT;
    CHECK(crivo_reader_find_hash(reader, each[1].data, each[1].size, &hash, &answer, &record) ==
          CRIVO_STATUS_OK);
    CHECK(answer == CRIVO_ANSWER_FOUND && record.size == records[1].size);
    int walked = 0;
    CHECK(crivo_store_for_each(store, count_record, &walked) == CRIVO_STATUS_OK && walked == KEYS);
    walked = -10;
    CHECK(crivo_store_for_each(store, count_record, &walked) == CRIVO_STATUS_CANCELLED &&
          walked == 0);
    memset(seen, 0, sizeof seen);
    CHECK(crivo_reader_find_many(reader, &keys, see, NULL) == CRIVO_STATUS_OK);
    CHECK(memchr(seen, 0, KEYS) == NULL);
    memset(seen, 0, sizeof seen);
    CHECK(crivo_store_find_all(store, &keys, 2, see, NULL) == CRIVO_STATUS_OK);
    CHECK(memchr(seen, 0, KEYS) == NULL);
    CHECK(crivo_reader_find_many(reader, &keys, stop, NULL) == CRIVO_STATUS_CANCELLED);
    CHECK(crivo_store_verify(store, NULL) == CRIVO_STATUS_OK);
    crivo_info info = {.struct_size = sizeof info};
    CHECK(crivo_store_info(store, &info) == CRIVO_STATUS_OK && info.keys == KEYS);
    crivo_reader_close(reader);
    crivo_store_close(store);
  }
  update_store();
  write_store();
}

/* Of a merged file and the manifest beside it: the digest of the one, and equal answers. */
static void check_joined(const char* const* parts, const char* digest) {
  static uint64_t merged[KEYS], served[KEYS];
  char file[640], manifest[640];
  strcpy(file, at("merged.crv"));
  strcpy(manifest, at("served.crv"));
  crivo_summary summary = {.struct_size = sizeof summary};
  CHECK(crivo_merge_parts(parts, 1, file, NULL, NULL) == CRIVO_STATUS_USAGE); /* one is missing */
  CHECK(crivo_merge_parts(parts, 2, file, NULL, &summary) == CRIVO_STATUS_OK);
  CHECK(summary.keys == KEYS && strcmp(summary.digest, digest) == 0);
  CHECK(crivo_write_manifest(parts, 2, manifest, NULL, &summary) == CRIVO_STATUS_OK &&
        summary.keys == KEYS);
  CHECK(crivo_write_manifest(parts, 2, manifest, NULL, NULL) == CRIVO_STATUS_USAGE); /* it exists */
  crivo_mphf* one = NULL;
  crivo_mphf* other = NULL;
  CHECK(crivo_mphf_open(file, NULL, &one) == CRIVO_STATUS_OK &&
        crivo_mphf_open(manifest, NULL, &other) == CRIVO_STATUS_OK);
  const crivo_keys keys = crivo_keys_each(each, KEYS);
  crivo_mphf_lookup_many(one, &keys, merged);
  crivo_mphf_lookup_many(other, &keys, served);
  check_ranks(merged);
  CHECK(memcmp(merged, served, sizeof merged) == 0);
  crivo_mphf_close(one);
  crivo_mphf_close(other);
}

static void use_shards(void) {
  char folders[2][640], part[2][640];
  for (int i = 0; i < 2; ++i) {
    snprintf(folders[i], sizeof folders[i], "%s", at(i == 0 ? "dealt" : "pairs"));
    snprintf(part[i], sizeof part[i], "%s", at(i == 0 ? "part0" : "part1"));
  }
  const char* const parts[] = {part[0], part[1]};
  static uint64_t values[KEYS], found[KEYS];
  for (int i = 0; i < KEYS; ++i) values[i] = (uint64_t)i * 3;

  /* Each of two tasks deals out keys of its own. */
  const crivo_keys halves[] = {crivo_keys_each(each, KEYS / 2),
                               crivo_keys_each(each + KEYS / 2, KEYS / 2)};
  for (uint64_t task = 0; task < 2; ++task) {
    crivo_input* input = NULL;
    CHECK(crivo_input_keys(&halves[task], &input) == CRIVO_STATUS_OK);
    const crivo_partition_options options = {
        .struct_size = sizeof options, .shards = 2, .part = {.index = task, .count = 2}};
    crivo_partition_summary summary = {.struct_size = sizeof summary};
    CHECK(crivo_partition_keys(input, folders[0], &options, NULL, &summary) == CRIVO_STATUS_OK);
    CHECK(summary.keys == KEYS / 2 && summary.bytes > 0 && summary.was_done == 0);
    crivo_input_free(input);
    crivo_partition_totals totals = {.struct_size = sizeof totals};
    CHECK(crivo_finish_partition(folders[0], NULL, &totals) ==
          (task == 0 ? CRIVO_STATUS_USAGE : CRIVO_STATUS_OK));
    CHECK(totals.keys == (task == 0 ? 0 : KEYS) && totals.tasks == (task == 0 ? 0 : 2));
  }
  const crivo_keys keys = crivo_keys_each(each, KEYS);
  crivo_input* input = NULL;
  crivo_buffer* buffer = NULL;
  CHECK(crivo_input_keys(&keys, &input) == CRIVO_STATUS_OK &&
        crivo_buffer_new(&buffer) == CRIVO_STATUS_OK);
  const crivo_output output = crivo_to_buffer(buffer);
  const char* const signature[] = {"signature_bits=8", NULL};
  crivo_summary whole = {.struct_size = sizeof whole}, some = whole;
  CHECK(crivo_build("mphf", input, &output, signature, NULL, &whole) == CRIVO_STATUS_OK);
  CHECK(crivo_build_part("mphf", folders[0], (crivo_share){2, 2}, part[0], signature, NULL, NULL) ==
        CRIVO_STATUS_USAGE);
  for (uint64_t i = 0; i < 2; ++i)
    CHECK(crivo_build_part("mphf", folders[0], (crivo_share){i, 2}, part[i], signature, NULL,
                           &some) == CRIVO_STATUS_OK);
  check_joined(parts, whole.digest);

  const crivo_build_options replace = {.struct_size = sizeof replace, .replace = 1};
  const char* const fuse[] = {"type=fuse", NULL};
  CHECK(crivo_build("filter", input, &output, fuse, NULL, &whole) == CRIVO_STATUS_OK);
  for (uint64_t i = 0; i < 2; ++i)
    CHECK(crivo_build_part("filter", folders[0], (crivo_share){i, 2}, part[i], fuse, &replace,
                           NULL) == CRIVO_STATUS_OK);
  CHECK(crivo_merge_parts(parts, 2, at("merged.crv"), &replace, &some) == CRIVO_STATUS_OK);
  CHECK(strcmp(some.digest, whole.digest) == 0);
  crivo_input_free(input);

  /* Values are of a partition of their own. */
  const crivo_partition_options decimals = {
      .struct_size = sizeof decimals, .values = 1, .value_type = "decimal", .scale = 1};
  const char* const tenths[] = {"values=1", "value_type=decimal", "scale=1", NULL};
  CHECK(crivo_input_values(&keys, values, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_partition_keys(input, folders[1], &decimals, NULL, NULL) == CRIVO_STATUS_OK);
  CHECK(crivo_partition_keys(input, folders[1], NULL, NULL, NULL) ==
        CRIVO_STATUS_USAGE); /* another one */
  CHECK(crivo_finish_partition(folders[1], NULL, NULL) == CRIVO_STATUS_OK);
  crivo_input_free(input);
  CHECK(crivo_build_part("map", folders[1], (crivo_share){0, 1}, part[0], tenths, &replace, NULL) ==
        CRIVO_STATUS_OK);
  CHECK(crivo_merge_parts(parts, 1, at("merged.crv"), &replace, &some) == CRIVO_STATUS_OK &&
        some.keys == KEYS);
  crivo_map* map = NULL;
  static uint8_t present[KEYS];
  CHECK(crivo_map_open(at("merged.crv"), NULL, &map) == CRIVO_STATUS_OK);
  crivo_map_lookup_many(map, &keys, found, present);
  CHECK(memcmp(found, values, sizeof values) == 0);
  crivo_map_close(map);
  crivo_buffer_free(buffer);

  /* And so are keys that are kept themselves. */
  const crivo_partition_options kept = {.struct_size = sizeof kept, .texts = 1};
  CHECK(crivo_input_keys(&keys, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_partition_keys(input, at("texts"), &kept, NULL, NULL) == CRIVO_STATUS_OK);
  crivo_input_free(input);
  CHECK(crivo_finish_partition(at("texts"), NULL, NULL) == CRIVO_STATUS_OK);
  for (uint64_t i = 0; i < 2; ++i)
    CHECK(crivo_build_part("dictionary", at("texts"), (crivo_share){i, 2}, part[i], NULL, &replace,
                           NULL) == CRIVO_STATUS_OK);
  CHECK(crivo_merge_parts(parts, 2, at("merged.crv"), &replace, &some) == CRIVO_STATUS_OK);
  crivo_dictionary* dictionary = NULL;
  CHECK(crivo_dictionary_open(at("merged.crv"), NULL, &dictionary) == CRIVO_STATUS_OK);
  CHECK(crivo_dictionary_size(dictionary) == KEYS);
  crivo_dictionary_close(dictionary);

  /* And records. */
  const crivo_keys texts_beside = crivo_keys_each(records, KEYS);
  const crivo_partition_options with_records = {.struct_size = sizeof with_records, .records = 1};
  char store[640];
  snprintf(store, sizeof store, "%s", at("sharded"));
  CHECK(crivo_input_records(&keys, &texts_beside, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_partition_keys(input, at("records"), &with_records, NULL, NULL) == CRIVO_STATUS_OK);
  CHECK(crivo_finish_partition(at("records"), NULL, NULL) == CRIVO_STATUS_OK);
  crivo_input_free(input);
  for (uint64_t i = 0; i < 2; ++i)
    CHECK(crivo_build_part("store", at("records"), (crivo_share){i, 2}, part[i], NULL, &replace,
                           NULL) == CRIVO_STATUS_OK);
  CHECK(crivo_merge_parts(parts, 2, store, NULL, &some) == CRIVO_STATUS_OK && some.keys == KEYS);
  CHECK(crivo_verify(store, NULL) == CRIVO_STATUS_OK);
  strcpy(store, at("served-store"));
  CHECK(crivo_write_manifest(parts, 2, store, NULL, &some) == CRIVO_STATUS_OK && some.keys == KEYS);
  crivo_store* served = NULL;
  crivo_reader* reader = NULL;
  CHECK(crivo_store_open(store, NULL, &served) == CRIVO_STATUS_OK &&
        crivo_reader_open(served, &reader) == CRIVO_STATUS_OK);
  for (int i = 0; i < KEYS; i += 7) {
    crivo_bytes record = {0};
    CHECK(crivo_reader_find(reader, each[i].data, each[i].size, &record) == CRIVO_ANSWER_FOUND);
    CHECK(record.size == records[i].size && memcmp(record.data, records[i].data, record.size) == 0);
  }
  crivo_reader_close(reader);
  crivo_store_close(served);
}

static void use_files(void) {
  FILE* const file = fopen(at("keys"), "wb");
  for (int i = 0; i < KEYS; ++i) fprintf(file, "%s\r\n", texts[i]);
  fputs("\r\n", file);
  fclose(file);
  char path[640];
  strcpy(path, at("keys"));
  const char* const paths[] = {path};
  crivo_format format = {
      .struct_size = sizeof format, .framing = CRIVO_FRAMING_LINES, .strip_cr = 1};
  crivo_input* input = NULL;
  const crivo_output output = crivo_to_path(at("lines.crv"));
  CHECK(crivo_input_files(paths, 1, &format, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_build("mphf", input, &output, NULL, NULL, NULL) ==
        CRIVO_STATUS_BAD_INPUT); /* the empty line */
  CHECK(crivo_error_line() == KEYS + 1 && crivo_error_file() != NULL &&
        strcmp(crivo_error_file(), path) == 0);
  crivo_input_free(input);
  format.allow_empty = 1;
  CHECK(crivo_input_files(paths, 1, &format, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_build("mphf", input, &output, NULL, NULL, NULL) == CRIVO_STATUS_OK);
  crivo_input_free(input);
  crivo_mphf* mphf = NULL;
  CHECK(crivo_mphf_open(at("lines.crv"), NULL, &mphf) == CRIVO_STATUS_OK &&
        crivo_mphf_size(mphf) == KEYS + 1);
  crivo_mphf_close(mphf);
  crivo_info info = {.struct_size = sizeof info};
  CHECK(crivo_inspect(at("lines.crv"), &info) == CRIVO_STATUS_OK && info.keys == KEYS + 1 &&
        info.bytes > 0);

  FILE* const table = fopen(at("keys"), "wb");
  fputs("name,count\n\"6162\",5\n63,7\n", table); /* "ab" and "c" */
  fclose(table);
  const crivo_format columns = {.struct_size = sizeof columns,
                                .quotes = 1,
                                .skip_header = 1,
                                .key_name = "name",
                                .value_name = "count",
                                .hex = 1};
  const crivo_output counts = crivo_to_path(at("counts.crv"));
  CHECK(crivo_input_files(paths, 1, &columns, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_build("map", input, &counts, CRIVO_CHOICES("values=1"), NULL, NULL) ==
        CRIVO_STATUS_OK);
  crivo_input_free(input);
  crivo_map* map = NULL;
  uint64_t value = 0;
  CHECK(crivo_map_open(at("counts.crv"), NULL, &map) == CRIVO_STATUS_OK &&
        crivo_map_size(map) == 2);
  CHECK(crivo_map_lookup(map, "ab", 2, &value) == CRIVO_ANSWER_FOUND && value == 5);
  crivo_map_close(map);

  /* That a good signature is taken is tried from Python, which calls these functions. */
  const char* const keys_of_owners[] = {"RWQawGShNp235xkuzVQhs6NXX2J8cGuJZPohGAd7FzqVIWNhxRKMzJhS",
                                        NULL};
  crivo_trust trust = {.struct_size = sizeof trust, .public_keys = keys_of_owners};
  const crivo_open_options trusting = {.struct_size = sizeof trusting, .trust = &trust};
  crivo_signature signature = {.struct_size = sizeof signature};
  crivo_mphf* unsigned_mphf = NULL;
  CHECK(crivo_mphf_open(at("lines.crv"), &trusting, &unsigned_mphf) == CRIVO_STATUS_CORRUPT);
  CHECK(unsigned_mphf == NULL && strstr(crivo_error_message(), "minisig: is missing") != NULL);
  CHECK(crivo_verify_signed(at("lines.crv"), &trust, NULL, &signature) == CRIVO_STATUS_CORRUPT);
  CHECK(crivo_verify_signed(at("lines.crv"), NULL, NULL, NULL) == CRIVO_STATUS_USAGE);
  CHECK(crivo_mphf_open_bytes("", 0, &trusting, &unsigned_mphf) == CRIVO_STATUS_USAGE);
  crivo_sign_options signing = {.struct_size = sizeof signing, .secret_key = at("none.key")};
  CHECK(crivo_sign(at("lines.crv"), &signing, NULL, &signature) == CRIVO_STATUS_IO);
  signing.secret_key = at("lines.crv");
  CHECK(crivo_sign(at("lines.crv"), &signing, NULL, &signature) == CRIVO_STATUS_USAGE);
  CHECK(strstr(crivo_error_message(), "secret key") != NULL);
  const char* const no_keys[] = {"no key", NULL};
  trust.public_keys = no_keys;
  CHECK(crivo_mphf_open(at("lines.crv"), &trusting, &unsigned_mphf) == CRIVO_STATUS_IO);

  FILE* const damaged = fopen(at("lines.crv"), "r+b");
  fseek(damaged, (long)info.bytes / 4, SEEK_SET);
  fputc(0x5a, damaged);
  fputc(0xa5, damaged);
  fclose(damaged);
  CHECK(crivo_verify(at("lines.crv"), NULL) == CRIVO_STATUS_CORRUPT);
  CHECK(crivo_error_section() != NULL && strcmp(crivo_error_section(), "phast") == 0);
  CHECK(crivo_error_byte() < info.bytes);
}

/* The even keys are members of all, each in a group by its number. */
static void use_exact(void) {
  enum { COUNT = 1000, GROUPS = 3 };
  static uint64_t all[COUNT], even[COUNT / 2];
  static crivo_bytes names[COUNT], even_names[COUNT / 2];
  static const char* const group_names[GROUPS] = {"one", "two", "three"};
  for (size_t i = 0; i < COUNT; ++i) {
    all[i] = i;
    names[i] = (crivo_bytes){group_names[i % GROUPS], strlen(group_names[i % GROUPS])};
    if (i % 2 == 0) {
      even[i / 2] = i;
      even_names[i / 2] = names[i];
    }
  }
  const crivo_keys keys = crivo_keys_numbers(all, COUNT);
  const crivo_keys some = crivo_keys_numbers(even, COUNT / 2);
  const crivo_keys groups = crivo_keys_each(names, COUNT);
  const crivo_keys some_groups = crivo_keys_each(even_names, COUNT / 2);
  for (int grouped = 0; grouped < 2; ++grouped) {
    crivo_input* members;
    crivo_input* universe;
    CHECK((grouped ? crivo_input_records(&some, &some_groups, &members)
                   : crivo_input_keys(&some, &members)) == CRIVO_STATUS_OK);
    CHECK((grouped ? crivo_input_records(&keys, &groups, &universe)
                   : crivo_input_keys(&keys, &universe)) == CRIVO_STATUS_OK);
    crivo_output output = {.struct_size = sizeof output, .path = at("exact.crv")};
    crivo_build_options options = {.struct_size = sizeof options, .replace = 1};
    CHECK(crivo_build("exact", members, &output, NULL, &options, NULL) == CRIVO_STATUS_USAGE);
    CHECK(crivo_input_universe(members, universe) == CRIVO_STATUS_OK);
    CHECK(crivo_build("exact", members, &output,
                      CRIVO_CHOICES(grouped ? "grouped=1" : "grouped=0", "covers=day=1:9"),
                      &options, NULL) == CRIVO_STATUS_OK);
    CHECK(crivo_verify_keys(at("exact.crv"), members, 0, NULL, NULL) == CRIVO_STATUS_OK);
    crivo_input_free(members);
    crivo_input_free(universe);
    crivo_exact* exact;
    CHECK(crivo_exact_open(at("exact.crv"), NULL, &exact) == CRIVO_STATUS_OK);
    CHECK(crivo_exact_size(exact) == COUNT / 2 && crivo_exact_universe_size(exact) == COUNT);
    CHECK(crivo_exact_groups(exact) == (grouped ? GROUPS : 0));
    CHECK(crivo_exact_covers(exact, "day", 9) && !crivo_exact_covers(exact, "day", 10));
    CHECK(crivo_exact_outside_rate(exact) <= 1);
    crivo_info info = {.struct_size = sizeof info};
    CHECK(crivo_exact_info(exact, &info) == CRIVO_STATUS_OK && strcmp(info.kind, "exact") == 0);
    CHECK(crivo_exact_verify(exact, NULL) == CRIVO_STATUS_OK);
    for (size_t i = 0; i < COUNT; ++i) {
      const crivo_exact_answer right =
          i % 2 == 0 ? CRIVO_EXACT_ANSWER_MEMBER : CRIVO_EXACT_ANSWER_OTHER;
      CHECK(crivo_exact_contains_in(exact, names[i].data, names[i].size, &all[i], 8) == right);
      CHECK(crivo_exact_contains_at(exact, names[i].data, names[i].size, &all[i], 8, "day", 9) ==
            right);
      CHECK(crivo_exact_contains_at(exact, names[i].data, names[i].size, &all[i], 8, "day", 0) ==
            CRIVO_EXACT_ANSWER_OUTSIDE);
      CHECK(crivo_exact_contains_number(exact, i) ==
            (grouped ? CRIVO_EXACT_ANSWER_OUTSIDE : right));
      CHECK(crivo_exact_contains(exact, &all[i], 8) ==
            (grouped ? CRIVO_EXACT_ANSWER_OUTSIDE : right));
    }
    for (size_t i = 0; i < COUNT; i += 2) {
      char host[2 + 8] = "a.";
      memcpy(host + 2, &all[i], 8);
      size_t begin = 99;
      CHECK(crivo_exact_contains_suffix(exact, names[i].data, names[i].size, host, sizeof host, '.',
                                        &begin) == CRIVO_EXACT_ANSWER_MEMBER);
      CHECK(begin == 2 ||
            begin == 0); /* a. before a key outside the universe may be taken for one */
    }
    uint8_t answers[COUNT];
    crivo_exact_contains_many(exact, "one", 3, &keys, answers);
    for (size_t i = 0; i < COUNT; i += GROUPS) CHECK(answers[i] == (i % 2 == 0));
    memset(answers, 9, sizeof answers);
    crivo_exact_contains_pairs(exact, &groups, &keys, answers);
    for (size_t i = 0; i < COUNT; ++i) CHECK(answers[i] == (i % 2 == 0));
    crivo_exact_group* group;
    CHECK(crivo_exact_group_of(exact, "two", 3, &group) == CRIVO_STATUS_OK);
    crivo_exact_close(exact);
    memset(answers, 9, sizeof answers);
    crivo_exact_group_contains_many(group, &keys, answers);
    for (size_t i = 1; i < COUNT; i += GROUPS) {
      CHECK(answers[i] == (i % 2 == 0));
      CHECK((int)crivo_exact_group_contains(group, &all[i], 8) == answers[i]);
    }
    crivo_exact_group_free(group);
    CHECK(crivo_exact_open_bytes("abc", 3, NULL, &exact) == CRIVO_STATUS_CORRUPT);
    CHECK(crivo_filter_open(at("exact.crv"), NULL, (crivo_filter**)&exact) == CRIVO_STATUS_USAGE);
  }
}

/* Two deltas of a set of mapped below COUNT, joined and applied one by one. */
static void use_deltas(void) {
  enum { COUNT = 1000 };
  uint64_t all[COUNT];
  for (uint64_t i = 0; i < COUNT; ++i) all[i] = i;
  const crivo_keys keys = crivo_keys_fixed(all, 8, COUNT);
  const char* const deltas[] = {at("delta-1.crv"), at("delta-2.crv")};
  const char* const set = at("set.crv");
  const char* const chain = at("chain.crv");
  crivo_delta_summary summary = {.struct_size = sizeof summary};
  for (size_t step = 0; step < 3; ++step) {
    const crivo_keys some = crivo_keys_fixed(all + step, 8, COUNT / 2);
    crivo_input* members;
    crivo_input* universe;
    CHECK(crivo_input_keys(&some, &members) == CRIVO_STATUS_OK);
    CHECK(crivo_input_keys(&keys, &universe) == CRIVO_STATUS_OK);
    const crivo_output output = crivo_to_path(step == 0 ? set : deltas[step - 1]);
    if (step == 1)
      CHECK(crivo_build_delta(set, members, &output, NULL, NULL, NULL) == CRIVO_STATUS_USAGE);
    CHECK(crivo_input_universe(members, universe) == CRIVO_STATUS_OK);
    if (step == 0) {
      CHECK(crivo_build("exact", members, &output, NULL, NULL, NULL) == CRIVO_STATUS_OK);
    } else {
      crivo_summary built = {.struct_size = sizeof built};
      const crivo_delta_options strict = {.struct_size = sizeof strict, .strict = 1};
      CHECK(crivo_build_delta(step == 1 ? set : chain, members, &output, &strict, NULL, &built) ==
            CRIVO_STATUS_OK);
      CHECK(built.keys == COUNT / 2);
      CHECK(crivo_apply_deltas(step == 1 ? set : chain, &deltas[step - 1], 1, chain, NULL,
                               &summary) == CRIVO_STATUS_OK);
      CHECK(summary.deltas == step && summary.flips == 2 * step && summary.members == COUNT / 2);
    }
    crivo_input_free(members);
    crivo_input_free(universe);
  }
  crivo_delta_summary joined = {.struct_size = sizeof joined};
  const char* const both = at("joined.crv");
  CHECK(crivo_squash_deltas(deltas, 2, both, 0, &joined) == CRIVO_STATUS_OK);
  CHECK(joined.flips == 4 && strcmp(joined.state, summary.state) == 0);
  CHECK(crivo_squash_deltas(deltas, 2, both, 0, NULL) == CRIVO_STATUS_USAGE);
  CHECK(crivo_apply_deltas(set, &both, 1, chain, NULL, NULL) == CRIVO_STATUS_USAGE);
  const crivo_apply_options replace = {.struct_size = sizeof replace, .replace = 1};
  CHECK(crivo_apply_deltas(set, &deltas[1], 1, chain, &replace, NULL) == CRIVO_STATUS_CORRUPT);
  CHECK(crivo_apply_deltas(set, &both, 1, chain, &replace, NULL) == CRIVO_STATUS_OK);
  crivo_exact* exact;
  CHECK(crivo_exact_open(chain, NULL, &exact) == CRIVO_STATUS_OK);
  for (size_t i = 0; i < COUNT; ++i) {
    CHECK(crivo_exact_contains(exact, &all[i], 8) ==
          (i >= 2 && i < COUNT / 2 + 2 ? CRIVO_EXACT_ANSWER_MEMBER : CRIVO_EXACT_ANSWER_OTHER));
  }
  crivo_exact* newer = exact;
  CHECK(crivo_exact_newer(exact, &newer) == CRIVO_STATUS_OK && newer == NULL);
  CHECK(crivo_apply_deltas(set, deltas, 1, chain, &replace, NULL) == CRIVO_STATUS_OK);
  CHECK(crivo_exact_newer(exact, &newer) == CRIVO_STATUS_OK && newer != NULL);
  CHECK(crivo_exact_contains(exact, &all[COUNT / 2 + 1], 8) == CRIVO_EXACT_ANSWER_MEMBER);
  CHECK(crivo_exact_contains(newer, &all[COUNT / 2 + 1], 8) == CRIVO_EXACT_ANSWER_OTHER);
  crivo_exact_close(newer);
  crivo_exact_close(exact);
}

/* A filter set that gains a group, loses one, and is made one layer again. */
static void use_filter_set_edits(void) {
  static const crivo_bytes names[] = {{"ape", 3}, {"bee", 3}};
  static const crivo_bytes groups[] = {{"old", 3}, {"new", 3}};
  const crivo_keys old_key = crivo_keys_each(names, 1);
  const crivo_keys old_group = crivo_keys_each(groups, 1);
  const crivo_keys new_key = crivo_keys_each(names + 1, 1);
  const crivo_keys new_group = crivo_keys_each(groups + 1, 1);
  const char* const set = at("edited-groups.crv");
  const char* const chain = at("edited-groups.chain");
  crivo_input* before;
  crivo_input* after;
  CHECK(crivo_input_records(&old_key, &old_group, &before) == CRIVO_STATUS_OK);
  CHECK(crivo_input_records(&new_key, &new_group, &after) == CRIVO_STATUS_OK);
  const crivo_output output = crivo_to_path(set);
  CHECK(crivo_build("filterset", before, &output, NULL, NULL, NULL) == CRIVO_STATUS_OK);
  crivo_filterset_change change = {.struct_size = sizeof change};
  CHECK(crivo_filterset_add(set, after, set, NULL, NULL, &change) == CRIVO_STATUS_USAGE);
  CHECK(crivo_filterset_add(set, after, chain, NULL, NULL, &change) == CRIVO_STATUS_OK);
  CHECK(change.layers == 2 && change.added == 1 && change.keys == 2 && change.groups == 2);
  CHECK(strlen(change.state) == 64 && change.bytes != 0 && change.removed_groups == 0);
  CHECK(crivo_filterset_add(chain, after, chain, NULL, NULL, NULL) == CRIVO_STATUS_BAD_INPUT);
  const char* const removed[] = {"old"};
  const crivo_filterset_edit edit = {
      .struct_size = sizeof edit, .removed = removed, .removed_count = 1, .snapshot = "today"};
  CHECK(crivo_filterset_remove(chain, chain, &edit, NULL, &change) == CRIVO_STATUS_OK);
  CHECK(change.groups == 1);
  CHECK(crivo_filterset_remove(chain, chain, &edit, NULL, NULL) == CRIVO_STATUS_BAD_INPUT);
  CHECK(crivo_filterset_compact(chain, NULL, NULL, &change) == CRIVO_STATUS_OK);
  CHECK(change.layers == 1 && change.groups == 1);
  crivo_filterset* filters;
  CHECK(crivo_filterset_open(chain, NULL, &filters) == CRIVO_STATUS_OK);
  CHECK(crivo_filterset_groups(filters) == 1);
  crivo_filterset_close(filters);
  const crivo_filterset_edit null_names = {.struct_size = sizeof null_names, .removed_count = 1};
  CHECK(crivo_filterset_remove(chain, chain, &null_names, NULL, NULL) == CRIVO_STATUS_USAGE);
  crivo_input_free(before);
  crivo_input_free(after);
}

/* An index of rows that gains a file, loses one, and is made one layer again. */
static void use_rows_edits(void) {
  static const crivo_bytes names[] = {{"a", 1}, {"b", 1}};
  static const crivo_bytes old[] = {{"old\t3", 5}, {"old\t4", 5}};
  static const crivo_bytes new[] = {{"new\t8", 5}, {"new\t9", 5}};
  const crivo_keys keys = crivo_keys_each(names, 2);
  const crivo_keys old_places = crivo_keys_each(old, 2);
  const crivo_keys new_places = crivo_keys_each(new, 2);
  const char* const index = at("edited-rows.crv");
  const char* const chain = at("edited-rows.chain");
  crivo_input* before;
  crivo_input* after;
  CHECK(crivo_input_records(&keys, &old_places, &before) == CRIVO_STATUS_OK);
  CHECK(crivo_input_records(&keys, &new_places, &after) == CRIVO_STATUS_OK);
  const crivo_output output = crivo_to_path(index);
  CHECK(crivo_build("rows", before, &output, NULL, NULL, NULL) == CRIVO_STATUS_OK);
  crivo_rows_change change = {.struct_size = sizeof change};
  CHECK(crivo_rows_add(index, after, index, NULL, NULL, &change) == CRIVO_STATUS_USAGE);
  const char* const removed[] = {"old"};
  const crivo_rows_edit edit = {
      .struct_size = sizeof edit, .removed = removed, .removed_count = 1, .snapshot = "today"};
  CHECK(crivo_rows_add(index, after, chain, NULL, NULL, &change) == CRIVO_STATUS_OK);
  CHECK(change.layers == 2 && change.added == 2 && change.keys == 4 && change.files == 2);
  CHECK(strlen(change.state) == 64 && change.bytes != 0 && change.removed_files == 0);
  crivo_rows* rows;
  crivo_row row;
  CHECK(crivo_rows_open(chain, NULL, &rows) == CRIVO_STATUS_OK);
  CHECK(crivo_rows_lookup(rows, "b", 1, &row) == CRIVO_ANSWER_FOUND && row.row == 9);
  crivo_rows_close(rows);
  CHECK(crivo_rows_add(chain, after, chain, NULL, NULL, NULL) == CRIVO_STATUS_BAD_INPUT);
  CHECK(crivo_rows_remove(chain, chain, NULL, NULL, NULL) == CRIVO_STATUS_OK);
  CHECK(crivo_rows_remove(chain, chain, &edit, NULL, &change) == CRIVO_STATUS_OK);
  CHECK(change.files == 1 && change.layers == 1);
  CHECK(crivo_rows_remove(chain, chain, &edit, NULL, NULL) == CRIVO_STATUS_BAD_INPUT);
  CHECK(crivo_rows_compact(chain, before, NULL, NULL, NULL) == CRIVO_STATUS_BAD_INPUT);
  CHECK(crivo_rows_compact(chain, after, NULL, NULL, &change) == CRIVO_STATUS_OK);
  CHECK(change.layers == 1 && change.keys == 2);
  const crivo_rows_edit null_names = {.struct_size = sizeof null_names, .removed_count = 1};
  CHECK(crivo_rows_remove(chain, chain, &null_names, NULL, NULL) == CRIVO_STATUS_USAGE);
  crivo_input_free(before);
  crivo_input_free(after);
}

/* What a filter of the mapped below COUNT / 2 gains, joined and applied one by one. */
static void use_filter_deltas(void) {
  enum { COUNT = 1000 };
  uint64_t all[COUNT];
  for (uint64_t i = 0; i < COUNT; ++i) all[i] = i;
  const char* const deltas[] = {at("added-1.crv"), at("added-2.crv")};
  const char* const base = at("added-base.crv");
  const char* const chain = at("added-chain.crv");
  crivo_delta_summary summary = {.struct_size = sizeof summary};
  for (size_t step = 0; step < 3; ++step) {
    const crivo_keys some = crivo_keys_fixed(all, 8, COUNT / 2 + step * (COUNT / 4));
    crivo_input* keys;
    CHECK(crivo_input_keys(&some, &keys) == CRIVO_STATUS_OK);
    const crivo_output output = crivo_to_path(step == 0 ? base : deltas[step - 1]);
    if (step == 0) {
      CHECK(crivo_build("filter", keys, &output, NULL, NULL, NULL) == CRIVO_STATUS_OK);
    } else {
      const crivo_filter_delta_options low = {.struct_size = sizeof low, .fpr = 1e-4};
      crivo_summary built = {.struct_size = sizeof built};
      CHECK(crivo_build_filter_delta(step == 1 ? base : chain, keys, &output,
                                     step == 1 ? NULL : &low, NULL, &built) == CRIVO_STATUS_OK);
      CHECK(built.keys == COUNT / 2 + step * (COUNT / 4));
      crivo_info info = {.struct_size = sizeof info};
      CHECK(crivo_inspect(deltas[step - 1], &info) == CRIVO_STATUS_OK);
      CHECK(info.keys > COUNT / 5 && info.keys <= COUNT / 4);
      CHECK(crivo_apply_deltas(step == 1 ? base : chain, &deltas[step - 1], 1, chain, NULL,
                               &summary) == CRIVO_STATUS_OK);
      CHECK(summary.deltas == step && summary.flips == 0 && summary.fpr < 2.0 / 256 + 1e-4);
    }
    crivo_input_free(keys);
  }
  crivo_delta_summary joined = {.struct_size = sizeof joined};
  CHECK(crivo_squash_deltas(deltas, 2, at("added-joined.crv"), 0, &joined) == CRIVO_STATUS_OK);
  CHECK(strcmp(joined.state, summary.state) == 0 && summary.rebase == 1);
  crivo_filter* filter;
  CHECK(crivo_filter_open(chain, NULL, &filter) == CRIVO_STATUS_OK);
  CHECK(crivo_filter_size(filter) == summary.members && crivo_filter_fpr(filter) == summary.fpr);
  for (size_t i = 0; i < COUNT; ++i) CHECK(crivo_filter_contains_number(filter, all[i]) == 1);
  crivo_filter_close(filter);
}

/* A set and its delta, each of two shards: the files of one build. */
static void use_exact_shards(void) {
  enum { COUNT = 1000 };
  uint64_t all[COUNT];
  for (uint64_t i = 0; i < COUNT; ++i) all[i] = i;
  const crivo_keys keys = crivo_keys_fixed(all, 8, COUNT);
  const char* const base = at("sharded-set.crv");
  const char* const parts[] = {at("shard-0.crv"), at("shard-1.crv")};
  const crivo_build_options again = {.struct_size = sizeof again, .replace = 1};
  const crivo_partition_options two = {.struct_size = sizeof two, .shards = 2};
  for (size_t step = 0; step < 2; ++step) {
    const crivo_keys some = crivo_keys_fixed(all + step, 8, COUNT / 2);
    crivo_input* members;
    crivo_input* universe;
    CHECK(crivo_input_keys(&some, &members) == CRIVO_STATUS_OK);
    CHECK(crivo_input_keys(&keys, &universe) == CRIVO_STATUS_OK);
    CHECK(crivo_input_universe(members, universe) == CRIVO_STATUS_OK);
    const char* const whole = step == 0 ? base : at("sharded-delta.crv");
    const crivo_output output = crivo_to_path(whole);
    CHECK((step == 0
               ? crivo_build("exact", members, &output, NULL, NULL, NULL)
               : crivo_build_delta(base, members, &output, NULL, NULL, NULL)) == CRIVO_STATUS_OK);
    const char* const dealt = at(step == 0 ? "dealt-set" : "dealt-delta");
    CHECK(crivo_partition_keys(members, dealt, &two, &again, NULL) == CRIVO_STATUS_OK);
    CHECK(crivo_finish_partition(dealt, NULL, NULL) == CRIVO_STATUS_OK);
    for (uint64_t i = 0; i < 2; ++i) {
      const crivo_share shard = {i, 2};
      CHECK((step == 0 ? crivo_build_part("exact", dealt, shard, parts[i], NULL, &again, NULL)
                       : crivo_build_delta_part(base, dealt, shard, parts[i], NULL, &again,
                                                NULL)) == CRIVO_STATUS_OK);
    }
    CHECK(crivo_merge_parts(parts, 2, at("sharded-merged.crv"), &again, NULL) == CRIVO_STATUS_OK);
    crivo_info one = {.struct_size = sizeof one};
    crivo_info other = {.struct_size = sizeof other};
    CHECK(crivo_inspect(whole, &one) == CRIVO_STATUS_OK);
    CHECK(crivo_inspect(at("sharded-merged.crv"), &other) == CRIVO_STATUS_OK);
    CHECK(strcmp(one.digest, other.digest) == 0);
    crivo_input_free(members);
    crivo_input_free(universe);
  }
}

/* Every row of the table: its default can be given, and what is no row cannot. */
static void use_choices(void) {
  const crivo_keys all = crivo_keys_fixed(NULL, 1, 0);
  crivo_input* input = NULL;
  CHECK(crivo_input_keys(&all, &input) == CRIVO_STATUS_OK);
  crivo_estimate estimate = {.struct_size = sizeof estimate};
  size_t kinds = 0;
  for (const char* kind; (kind = crivo_kind_name(kinds)) != NULL; ++kinds) {
    size_t rows = 0;
    for (crivo_choice row = {.struct_size = sizeof row};
         crivo_choice_of(kind, rows, &row) == CRIVO_STATUS_OK; ++rows) {
      char text[100];
      CHECK(strlen(row.name) != 0 && strlen(row.help) != 0 && row.values != NULL &&
            row.takers != NULL);
      snprintf(text, sizeof text, "%s=%s", row.name, row.initial);
      if (strcmp(kind, "store") != 0 && strcmp(kind, "exact") != 0 && row.initial[0] != '\0')
        CHECK(crivo_estimate_build(kind, input, CRIVO_CHOICES(text), NULL, &estimate) ==
              CRIVO_STATUS_OK);
    }
    CHECK(rows >= 3);
  }
  CHECK(kinds >= 4);
  crivo_choice row = {.struct_size = sizeof row};
  CHECK(crivo_choice_of("mphf", 0, &row) == CRIVO_STATUS_OK && row.type == CRIVO_CHOICE_TYPE_NAME);
  CHECK(strcmp(row.initial, "fast") == 0 &&
        strstr(row.values, "fast compact tiny mwhc2") == row.values);
  CHECK(crivo_choice_of("set", 0, &row) == CRIVO_STATUS_USAGE &&
        strstr(crivo_error_message(), "unknown kind 'set'") != NULL);
  CHECK(crivo_estimate_build("mphf", input, CRIVO_CHOICES("effort"), NULL, &estimate) ==
        CRIVO_STATUS_USAGE);
  CHECK(crivo_estimate_build("mphf", input, CRIVO_CHOICES("effort=0", "effort=0"), NULL,
                             &estimate) == CRIVO_STATUS_USAGE);
  CHECK(crivo_estimate_build("mphf", input, CRIVO_CHOICES("fpr=0.1"), NULL, &estimate) ==
        CRIVO_STATUS_USAGE);
  CHECK(strcmp(crivo_error_message(), "there is no option fpr") == 0);
  crivo_input_free(input);
}

static void use_failures(void) {
  crivo_mphf* mphf = NULL;
  CHECK(crivo_mphf_open("/nowhere/at all", NULL, &mphf) == CRIVO_STATUS_IO && mphf == NULL);
  CHECK(strstr(crivo_error_message(), "/nowhere/at all") != NULL);
  CHECK(crivo_error_errno() == ENOENT && strcmp(crivo_error_file(), "/nowhere/at all") == 0);
  CHECK(crivo_error_line() == 0 && crivo_error_section() == NULL &&
        crivo_error_byte() == UINT64_MAX);
  CHECK(crivo_error_remedy() == NULL);
  CHECK(crivo_mphf_open_bytes("abc", 3, NULL, &mphf) == CRIVO_STATUS_CORRUPT &&
        crivo_error_errno() == 0);
  const crivo_open_options no_size = {.struct_size = 0};
  CHECK(crivo_mphf_open("x", &no_size, &mphf) == CRIVO_STATUS_USAGE);

  crivo_buffer* abc = NULL;
  CHECK(crivo_buffer_new(&abc) == CRIVO_STATUS_OK && crivo_buffer_write(abc, "abc", 3) == 0);
  CHECK(crivo_buffer_bytes(abc).size == 3);
  crivo_buffer_free(abc);
  const crivo_output nowhere = {sizeof nowhere, NULL, NULL, NULL};
  const crivo_output refuses = {sizeof refuses, NULL, refuse_bytes, NULL};
  const crivo_output path = crivo_to_path(at("never.crv"));
  int done = 0;
  crivo_input* input = NULL;
  CHECK(crivo_input_function(next_keys, &done, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_build("mphf", input, &nowhere, NULL, NULL, NULL) == CRIVO_STATUS_USAGE);
  CHECK(crivo_build("mphf", input, &refuses, NULL, NULL, NULL) == CRIVO_STATUS_CANCELLED);
  CHECK(done == KEYS);
  crivo_input_free(input);
  CHECK(crivo_input_function(too_long, NULL, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_build("mphf", input, &path, NULL, NULL, NULL) == CRIVO_STATUS_USAGE);
  crivo_input_free(input);
  CHECK(crivo_input_function(gives_up, NULL, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_build("mphf", input, &path, NULL, NULL, NULL) == CRIVO_STATUS_CANCELLED);
  crivo_input_free(input);
  for (int number = -2; number <= 2; number += 4) {
    CHECK(crivo_input_function(returns_number, &number, &input) == CRIVO_STATUS_OK);
    CHECK(crivo_build("mphf", input, &path, NULL, NULL, NULL) == CRIVO_STATUS_USAGE);
    CHECK(strstr(crivo_error_message(), "which is none of 1, 0 and -1") != NULL);
    crivo_input_free(input);
  }

  const crivo_resources cancels = {
      .struct_size = sizeof cancels, .threads = 1, .on_progress = cancel};
  const crivo_build_options options = {.struct_size = sizeof options, .resources = &cancels};
  uint64_t number = 0;
  CHECK(crivo_input_function(endless, &number, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_build("mphf", input, &path, NULL, &options, NULL) == CRIVO_STATUS_CANCELLED);
  crivo_input_free(input);
  FILE* const file = fopen(at("never.crv"), "rb");
  CHECK(file == NULL);

  const crivo_bytes empty[] = {{"", 0}, {"a", 1}};
  const crivo_keys keys = crivo_keys_each(empty, 2);
  CHECK(crivo_input_keys(&keys, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_build("mphf", input, &path, NULL, NULL, NULL) == CRIVO_STATUS_BAD_INPUT &&
        crivo_error_line() == 1);
  crivo_input_allow_empty(input, 1);
  const char* const unknown[] = {"algorithm=quickest", NULL};
  CHECK(crivo_build("mphf", input, &path, unknown, NULL, NULL) == CRIVO_STATUS_USAGE);
  CHECK(crivo_build("mphf", input, &path, NULL, NULL, NULL) == CRIVO_STATUS_OK);
  crivo_input_free(input);

  const crivo_bytes twice[] = {{"a", 1}, {"b", 1}, {"a", 1}};
  const crivo_keys repeated = crivo_keys_each(twice, 3);
  crivo_input* more = NULL;
  CHECK(crivo_input_keys(&repeated, &more) == CRIVO_STATUS_OK);
  const crivo_output again = crivo_to_path(at("twice.crv"));
  CHECK(crivo_build("mphf", more, &again, NULL, NULL, NULL) == CRIVO_STATUS_BAD_INPUT &&
        crivo_error_line() == 3);
  crivo_input_free(more);
}

/* What makes no sense is refused, whichever call it is given to. */
static void use_wrongly(void) {
  crivo_format format = {.struct_size = sizeof format};
  const char* const path = at("none");
  crivo_input* input = NULL;
  format.framing = (crivo_framing)7;
  CHECK(crivo_input_files(&path, 1, &format, &input) == CRIVO_STATUS_USAGE);
  const crivo_open_options no_mode = {.struct_size = sizeof no_mode, .mode = (crivo_mode)9};
  crivo_mphf* opened = NULL;
  CHECK(crivo_mphf_open(path, &no_mode, &opened) == CRIVO_STATUS_USAGE);
  const char* const nowhere = NULL;
  CHECK(crivo_input_files(&nowhere, 1, NULL, &input) == CRIVO_STATUS_USAGE);

  const crivo_format wrong[] = {
      {.struct_size = sizeof format, .framing = CRIVO_FRAMING_NULL, .skip_header = 1},
      {.struct_size = sizeof format, .framing = CRIVO_FRAMING_NULL, .key_column = 2},
      {.struct_size = sizeof format, .framing = CRIVO_FRAMING_NULL, .quotes = 1},
      {.struct_size = sizeof format, .framing = CRIVO_FRAMING_NULL, .json_key = "k"},
      {.struct_size = sizeof format, .framing = CRIVO_FRAMING_NULL, .column_delimiter = ';'},
      {.struct_size = sizeof format, .framing = CRIVO_FRAMING_NULL, .width = 8},
      {.struct_size = sizeof format, .framing = CRIVO_FRAMING_LINES, .width = 8},
      {.struct_size = sizeof format, .framing = CRIVO_FRAMING_FIXED},
      {.struct_size = sizeof format, .framing = CRIVO_FRAMING_FIXED, .width = 8, .hex = 1},
      {.struct_size = sizeof format, .framing = CRIVO_FRAMING_FIXED, .width = 8, .skip_header = 1},
      {.struct_size = sizeof format, .framing = CRIVO_FRAMING_FIXED, .width = 8, .strip_cr = 1}};
  FILE* const keys = fopen(path, "wb");
  CHECK(keys != NULL && fputs("12345678", keys) >= 0 && fclose(keys) == 0);
  const crivo_output output = crivo_to_path(at("wrong.crv"));
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    CHECK(crivo_input_files(&path, 1, &wrong[i], &input) == CRIVO_STATUS_OK);
    CHECK(crivo_build("mphf", input, &output, NULL, NULL, NULL) == CRIVO_STATUS_USAGE);
    crivo_input_free(input);
  }

  crivo_keys all = crivo_keys_each(each, 3);
  CHECK(crivo_input_keys(NULL, &input) == CRIVO_STATUS_USAGE);
  CHECK(crivo_input_keys(&all, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_build(NULL, input, &output, NULL, NULL, NULL) == CRIVO_STATUS_USAGE);
  CHECK(crivo_build("mphf", NULL, &output, NULL, NULL, NULL) == CRIVO_STATUS_USAGE);
  CHECK(crivo_build("mphf", input, NULL, NULL, NULL, NULL) == CRIVO_STATUS_USAGE);
  CHECK(crivo_build("mphf", input, &output, NULL, NULL, NULL) == CRIVO_STATUS_OK);
  crivo_input_free(input);
  crivo_mphf* mphf = NULL;
  CHECK(crivo_mphf_open(NULL, NULL, &mphf) == CRIVO_STATUS_USAGE && mphf == NULL);
  CHECK(crivo_mphf_open(at("wrong.crv"), NULL, &mphf) == CRIVO_STATUS_OK);
  uint64_t ranks[3];
  all.layout = (crivo_layout)9;
  CHECK(crivo_mphf_lookup_many(mphf, &all, ranks) == CRIVO_STATUS_USAGE);
  CHECK(crivo_mphf_lookup_many(mphf, NULL, ranks) == CRIVO_STATUS_USAGE);
  crivo_mphf_close(mphf);
  CHECK(crivo_input_keys(&all, &input) == CRIVO_STATUS_USAGE);
  crivo_choice choice = {.struct_size = sizeof choice};
  CHECK(crivo_choice_of(NULL, 0, &choice) == CRIVO_STATUS_USAGE);
  CHECK(strcmp(crivo_error_message(), "the kind is NULL") == 0);
  CHECK(crivo_inspect(NULL, NULL) == CRIVO_STATUS_USAGE && crivo_verify(NULL, NULL) != 0);
}

/* What keys got of a file that is read by ranges. */
typedef struct found_texts {
  size_t next; /* answers that came, each key's once */
  char all[KEYS][32];
  char values[KEYS][32];
} found_texts;
static found_texts found_of;

static int keep_found(void* context, const crivo_found* found) {
  found_texts* const to = context;
  CHECK(found->index == to->next++ && found->text.size < sizeof to->all[0]);
  memset(to->all[found->index], 0, sizeof to->all[0]);
  memset(to->values[found->index], 0, sizeof to->values[0]);
  if (found->text.size != 0) memcpy(to->all[found->index], found->text.data, found->text.size);
  if (found->value.size != 0)
    memcpy(to->values[found->index], found->value.data, found->value.size);
  CHECK((found->answer == CRIVO_ANSWER_FOUND) == (found->text.size != 0));
  return 0;
}
static int stop_at_five(void* context, const crivo_found* found) {
  return found->index == 5 ? ++*(int*)context : 0;
}

static crivo_status find_remote(crivo_remote* remote, const crivo_keys* keys) {
  found_of.next = 0;
  const crivo_status status = crivo_remote_find_many(remote, keys, keep_found, &found_of);
  if (status == CRIVO_STATUS_OK) CHECK(found_of.next == keys->count);
  return status;
}

/* Asks a file, or the index of a store, for all keys and one that is absent: its answers are the
 * texts, and the values are those beside. */
static void ask_remote(const char* path, const crivo_bytes* expected, const uint64_t* values) {
  file_source file = {.path = path};
  const crivo_source source = source_of(&file);
  crivo_remote* remote = NULL;
  CHECK(crivo_remote_open(path, &source, NULL, &remote) == CRIVO_STATUS_OK);
  crivo_keys keys = crivo_keys_each(each, KEYS);
  CHECK(find_remote(remote, &keys) == CRIVO_STATUS_OK);
  for (int i = 0; i < KEYS; ++i) {
    char value[32] = "";
    if (values != NULL) snprintf(value, sizeof value, "%llu", (unsigned long long)values[i]);
    CHECK(strlen(found_of.all[i]) == expected[i].size &&
          memcmp(found_of.all[i], expected[i].data, expected[i].size) == 0);
    CHECK(strcmp(found_of.values[i], value) == 0);
  }
  const int calls = file.calls;
  CHECK(find_remote(remote, &keys) == CRIVO_STATUS_OK && file.calls == calls);
  const crivo_bytes absent = {"another", 7};
  keys = crivo_keys_each(&absent, 1);
  CHECK(find_remote(remote, &keys) == CRIVO_STATUS_OK && found_of.all[0][0] == '\0');
  crivo_info info = {.struct_size = sizeof info};
  CHECK(crivo_remote_info(remote, &info) == CRIVO_STATUS_OK && info.keys == KEYS);
  reports = 0;
  const crivo_resources resources = {
      .struct_size = sizeof resources, .on_progress = count_reports, .context = &reports};
  CHECK(crivo_remote_verify(remote, &resources) == CRIVO_STATUS_OK && reports != 0);
  crivo_remote_close(remote);
}

/* The keys that queries found, one behind the other, each before a blank. */
static char queried[8192];
static int keep_queried(void* context, const crivo_found* found) {
  size_t* const next = context;
  CHECK(found->index == (*next)++ && found->answer == CRIVO_ANSWER_FOUND);
  const size_t size = strlen(queried);
  snprintf(queried + size, sizeof queried - size, "%.*s ", (int)found->key.size,
           (const char*)found->key.data);
  return 0;
}
static crivo_status query_remote(crivo_remote* remote, const char* query, const char* first,
                                 const char* second) {
  crivo_bytes given[2] = {{first, strlen(first)}, {NULL, 0}};
  if (second != NULL) given[1] = (crivo_bytes){second, strlen(second)};
  const crivo_keys values = crivo_keys_each(given, second != NULL ? 2 : 1);
  size_t next = 0;
  queried[0] = '\0';
  return crivo_remote_query(remote, query, &values, keep_queried, &next);
}

/* Asks a dictionary what only it can be asked. */
static void query_remotely(const char* path) {
  file_source file = {.path = path};
  const crivo_source source = source_of(&file);
  crivo_remote* remote = NULL;
  CHECK(crivo_remote_open(path, &source, NULL, &remote) == CRIVO_STATUS_OK);
  char key[64];
  char expected[sizeof key + 1];
  snprintf(key, sizeof key, "%.*s", (int)each[7].size, (const char*)each[7].data);
  snprintf(expected, sizeof expected, "%s ", key);
  CHECK(query_remote(remote, "fuzzy", "0", key) == CRIVO_STATUS_OK);
  CHECK(strcmp(queried, expected) == 0);
  CHECK(query_remote(remote, "longest-prefix", key, NULL) == CRIVO_STATUS_OK);
  CHECK(strcmp(queried, expected) == 0);
  CHECK(query_remote(remote, "lower-bound", key, NULL) == CRIVO_STATUS_OK);
  CHECK(strncmp(queried, expected, strlen(expected)) == 0);
  CHECK(query_remote(remote, "range", key, key) == CRIVO_STATUS_OK && queried[0] == '\0');
  CHECK(query_remote(remote, "range", key, NULL) == CRIVO_STATUS_USAGE);
  CHECK(strcmp(crivo_error_message(), "the query range takes two values") == 0);
  CHECK(query_remote(remote, "prefix", key, key) == CRIVO_STATUS_USAGE);
  CHECK(query_remote(remote, "nonesuch", key, NULL) == CRIVO_STATUS_USAGE);
  CHECK(query_remote(remote, "fuzzy", "3", key) == CRIVO_STATUS_USAGE);
  const crivo_keys integers = crivo_keys_numbers(numbers, 1);
  CHECK(crivo_remote_query(remote, "ids", &integers, keep_queried, &file) == CRIVO_STATUS_USAGE);
  CHECK(crivo_remote_query(remote, "ids", NULL, keep_queried, &file) == CRIVO_STATUS_USAGE);
  crivo_remote_close(remote);
}

/* A source that fails, or is wrong, or no source; of a file that has more than its ends. */
static void ask_bad_sources(const char* path) {
  static uint64_t many[10 * KEYS];
  for (size_t i = 0; i < 10 * KEYS; ++i) many[i] = i;
  const crivo_keys all = crivo_keys_numbers(many, 10 * KEYS);
  const crivo_output output = crivo_to_path(path);
  crivo_input* input = NULL;
  CHECK(crivo_input_values(&all, many, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_build("map", input, &output, CRIVO_CHOICES("values=1", "signature_bits=32"), NULL,
                    NULL) == CRIVO_STATUS_OK);
  crivo_input_free(input);
  file_source file = {.path = path};
  crivo_source source = source_of(&file);
  const crivo_keys keys = crivo_keys_numbers(many, KEYS);
  crivo_remote* remote = NULL;
  crivo_signature signature = {.struct_size = sizeof signature};
  int stopped = 0;
  CHECK(crivo_remote_open("its name", &source, NULL, &remote) == CRIVO_STATUS_OK);
  file.problem = EPIPE;
  CHECK(find_remote(remote, &keys) == CRIVO_STATUS_IO && crivo_error_errno() == EPIPE);
  CHECK(strstr(crivo_error_message(), "its name: cannot be read: ") == crivo_error_message());
  CHECK(strcmp(crivo_error_file(), "its name") == 0);
  file.problem = ECANCELED;
  CHECK(find_remote(remote, &keys) == CRIVO_STATUS_CANCELLED);
  CHECK(crivo_remote_verify(remote, NULL) == CRIVO_STATUS_CANCELLED);
  file.problem = 0;
  file.flips = 1;
  CHECK(find_remote(remote, &keys) == CRIVO_STATUS_CORRUPT);
  file.flips = 0;
  CHECK(find_remote(remote, &keys) == CRIVO_STATUS_OK);
  CHECK(crivo_remote_find_many(remote, &keys, stop_at_five, &stopped) == CRIVO_STATUS_CANCELLED &&
        stopped == 1);
  CHECK(crivo_remote_signature(remote, &signature) == CRIVO_STATUS_USAGE);
  crivo_remote_close(remote);

  remote = NULL;
  crivo_remote_options cached = {.struct_size = sizeof cached, .cache_folder = at("remote-cache")};
  for (int i = 0; i < 2; ++i) {
    CHECK(crivo_remote_open("its name", &source, &cached, &remote) == CRIVO_STATUS_OK);
    CHECK(find_remote(remote, &keys) == CRIVO_STATUS_OK);
    crivo_remote_close(remote);
  }
  remote = NULL;
  cached.cache_folder = file.path;
  CHECK(crivo_remote_open("its name", &source, &cached, &remote) == CRIVO_STATUS_IO);
  const char* const no_keys[] = {NULL};
  const crivo_trust nobody = {.struct_size = sizeof nobody, .public_keys = no_keys};
  const crivo_remote_options trusting = {.struct_size = sizeof trusting, .trust = &nobody};
  CHECK(crivo_remote_open("its name", &source, &trusting, &remote) == CRIVO_STATUS_CORRUPT);
  CHECK(strstr(crivo_error_message(), "its name.minisig: is missing") == crivo_error_message());
  file.signature = "no signature";
  CHECK(crivo_remote_open("its name", &source, &trusting, &remote) == CRIVO_STATUS_CORRUPT);
  file.path = at("nothing");
  CHECK(crivo_remote_open("its name", &source, NULL, &remote) == CRIVO_STATUS_IO &&
        crivo_error_errno() == ENOENT);
  source.read_ends = NULL;
  CHECK(crivo_remote_open("its name", &source, NULL, &remote) == CRIVO_STATUS_USAGE);
  CHECK(strcmp(crivo_error_message(), "read_ends is NULL") == 0 && remote == NULL);
}

static void use_remote(void) {
  static char number_texts[KEYS][24];
  static crivo_bytes expected[KEYS];
  static crivo_bytes maybe[KEYS];
  static uint64_t ids[KEYS];
  const crivo_keys keys = crivo_keys_each(each, KEYS);
  const crivo_keys values = crivo_keys_each(records, KEYS);
  const crivo_keys integers = crivo_keys_numbers(numbers, KEYS);
  const char* const path = at("remote.crv");
  const crivo_output output = crivo_to_path(path);
  const crivo_output store = crivo_to_path(at("remote-store"));
  const crivo_build_options replace = {.struct_size = sizeof replace, .replace = 1};
  for (int i = 0; i < KEYS; ++i) {
    expected[i] =
        (crivo_bytes){number_texts[i], (size_t)snprintf(number_texts[i], sizeof number_texts[i],
                                                        "%llu", (unsigned long long)numbers[i])};
    maybe[i] = (crivo_bytes){"maybe", 5};
  }
  crivo_input* input = NULL;
  CHECK(crivo_input_values(&keys, numbers, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_build("map", input, &output, CRIVO_CHOICES("values=1", "signature_bits=32"), &replace,
                    NULL) == CRIVO_STATUS_OK);
  ask_remote(path, expected, NULL);
  ask_bad_sources(at("remote-many.crv"));
  CHECK(crivo_build("dictionary", input, &output, CRIVO_CHOICES("values=1"), &replace, NULL) ==
        CRIVO_STATUS_OK);
  crivo_input_free(input);
  crivo_dictionary* dictionary = NULL;
  CHECK(crivo_dictionary_open(path, NULL, &dictionary) == CRIVO_STATUS_OK);
  CHECK(crivo_dictionary_lookup_many(dictionary, &keys, ids) == CRIVO_STATUS_OK);
  crivo_dictionary_close(dictionary);
  for (int i = 0; i < KEYS; ++i)
    expected[i].size = (size_t)snprintf(number_texts[i], sizeof number_texts[i], "%llu",
                                        (unsigned long long)ids[i]);
  ask_remote(path, expected, numbers);
  query_remotely(path);
  CHECK(crivo_input_records(&keys, &values, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_build("store", input, &store, CRIVO_CHOICES("backend=flat"), &replace, NULL) ==
        CRIVO_STATUS_OK);
  crivo_input_free(input);
  ask_remote(at("remote-store/index.crv"), records, NULL);
  CHECK(crivo_input_keys(&keys, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_build("filter", input, &output, CRIVO_CHOICES("bits=32"), &replace, NULL) ==
        CRIVO_STATUS_OK);
  crivo_input_free(input);
  ask_remote(path, maybe, NULL);

  /* Numbers of a filter of ranges stand for themselves there. */
  CHECK(crivo_input_keys(&integers, &input) == CRIVO_STATUS_OK);
  CHECK(crivo_build("filter", input, &output, CRIVO_CHOICES("type=range"), &replace, NULL) ==
        CRIVO_STATUS_OK);
  crivo_input_free(input);
  file_source file = {.path = path};
  const crivo_source source = source_of(&file);
  crivo_remote* remote = NULL;
  CHECK(crivo_remote_open(path, &source, NULL, &remote) == CRIVO_STATUS_OK);
  CHECK(find_remote(remote, &integers) == CRIVO_STATUS_OK);
  for (int i = 0; i < KEYS; ++i) CHECK(strcmp(found_of.all[i], "maybe") == 0);
  crivo_remote_close(remote);
}

/* A long path is told whole, and a message that is too long ends with a whole character. */
static void tell_of_long_paths(void) {
  static char path[12000];
  memset(path, 0, sizeof path);
  for (int i = 0; i < 400; ++i) strcat(path, i % 20 == 19 ? "/" : "\xe2\x82\xac");
  CHECK(crivo_verify(path, NULL) == CRIVO_STATUS_IO && crivo_error_file() != NULL);
  CHECK(strcmp(crivo_error_file(), path) == 0);
  for (int i = 0; i < 3; ++i) {
    path[0] = '\0';
    for (int j = 0; j < i; ++j) strcat(path, "a");
    for (int j = 0; j < 3500; ++j) strcat(path, "\xe2\x82\xac");
    CHECK(crivo_verify(path, NULL) == CRIVO_STATUS_IO);
    const char* const message = crivo_error_message();
    const size_t size = strlen(message);
    CHECK(size > 8000 && memcmp(message + size - 3, "\xe2\x82\xac", 3) == 0);
  }
}

/* Keys as those of a file were made. */
static void make_key_forms(void) {
  static const char url[] = "http://www.a.example/b";
  char key[3 * sizeof url + 8];
  size_t size = 0;
  CHECK(crivo_key_of("urls surt", url, strlen(url), key, &size) == CRIVO_STATUS_OK);
  CHECK(size == strlen("example,a)/b") && memcmp(key, "example,a)/b", size) == 0);
  CHECK(crivo_key_of("kmers 4", "ACGN", 4, key, &size) == CRIVO_STATUS_OK && size == 0);
  CHECK(crivo_key_of("nothing", url, strlen(url), key, &size) == CRIVO_STATUS_USAGE);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  snprintf(folder, sizeof folder, "%s", argv[1]);
  char version[16];
  snprintf(version, sizeof version, "%s", crivo_version());
  CHECK(strncmp(version, "1.", 2) == 0);
  uint64_t seeds[2] = {0, 0};
  CHECK(crivo_random_seed(&seeds[0]) == CRIVO_STATUS_OK &&
        crivo_random_seed(&seeds[1]) == CRIVO_STATUS_OK);
  CHECK(seeds[0] != seeds[1]);
  make_keys();
  use_mphf();
  use_filter();
  use_numbers_of_a_function();
  use_rows();
  use_filterset();
  refuse_fields_of_others();
  use_hash_filter();
  use_map();
  use_damage();
  use_dictionary();
  use_dictionary_values();
  use_hashed_ids();
  use_store();
  use_ordered_store();
  use_estimates();
  use_shards();
  use_files();
  use_exact();
  use_deltas();
  use_filter_deltas();
  use_rows_edits();
  use_filter_set_edits();
  use_exact_shards();
  use_remote();
  use_choices();
  make_key_forms();
  use_wrongly();
  tell_of_long_paths();
  use_failures();
  return failures == 0 ? 0 : 1;
}
