/* SPDX-License-Identifier: Apache-2.0 */
/* `answers PATH KEYS`: what the file or store PATH answers to the lines of the file KEYS, a line
 * each as `crivo query` writes it, in one batch and again one by one. Through crivo.h alone.
 * `answers PATH KEYS remote`: the same, of a file that is read by ranges. */
#include <crivo.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file_source.h"

static char text[1 << 23];
static crivo_bytes lines[100000];
static uint64_t numbers[100000];
static uint64_t highs[100000];
static uint8_t flags[100000];

static int fail(const char* what) {
  fprintf(stderr, "answers: %s: %s\n", what, crivo_error_message());
  return 1;
}

static int print_number(int present, uint64_t number) {
  return present ? printf("%" PRIu64 "\n", number) : printf("-\n");
}
/* Signed values are in two's complement, and decimals so many over 10^scale. */
static int print_value(const crivo_info* info, int present, uint64_t value) {
  if (!present || strcmp(info->value_type, "unsigned") == 0) return print_number(present, value);
  const int negative = (int64_t)value < 0;
  const uint64_t size = negative ? 0 - value : value;
  uint64_t unit = 1;
  for (unsigned i = 0; i < info->scale; ++i) unit *= 10;
  printf("%s%" PRIu64, negative ? "-" : "", size / unit);
  if (info->scale != 0) printf(".%0*" PRIu64, (int)info->scale, size % unit);
  return putchar('\n');
}
static int print_record(void* context, size_t index, crivo_answer answer, crivo_bytes record) {
  (void)context;
  (void)index;
  if (answer == CRIVO_ANSWER_DAMAGED) return 1;
  if (answer == CRIVO_ANSWER_ABSENT) return printf("-\n") < 0;
  return fwrite(record.data, 1, record.size, stdout) != record.size || putchar('\n') == EOF;
}

/* Of several answers the first. */
static int print_found(void* context, const crivo_found* found) {
  size_t* const next = context;
  if (found->index < *next) return 0;
  ++*next;
  if (found->answer == CRIVO_ANSWER_ABSENT && found->text.size == 0) return printf("-\n") < 0;
  fwrite(found->text.data, 1, found->text.size, stdout);
  if (found->value.size != 0)
    printf("\t%.*s", (int)found->value.size, (const char*)found->value.data);
  return putchar('\n') == EOF;
}
static int print_remote(const char* path, const crivo_keys* keys) {
  char index[1024]; /* of a store */
  snprintf(index, sizeof index, "%s/index.crv", path);
  FILE* const is_there = fopen(index, "rb");
  if (is_there != NULL) fclose(is_there);
  file_source file = {.path = is_there != NULL ? index : path};
  const crivo_source source = source_of(&file);
  crivo_remote* remote = NULL;
  if (crivo_remote_open(path, &source, NULL, &remote)) return fail("open");
  size_t next = 0;
  if (crivo_remote_find_many(remote, keys, print_found, &next)) return fail("find");
  crivo_remote_close(remote);
  return next == keys->count ? 0 : fail("another number of answers");
}

static uint64_t number_of(const char* begin, const char* end) {
  uint64_t number = 0;
  while (begin != end) number = number << 8 | (unsigned char)*begin++;
  return number;
}
/* Of a filter that takes ranges: a line is a key, or the first of a range, a TAB and the last. */
static int print_ranges(const crivo_filter* filter, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const char* const line = lines[i].data;
    const char* const end = line + lines[i].size;
    const char* const tab = memchr(line, '\t', lines[i].size);
    numbers[i] = number_of(line, tab == NULL ? end : tab);
    highs[i] = tab == NULL ? numbers[i] : number_of(tab + 1, end);
    if (tab == NULL) flags[i] = (uint8_t)crivo_filter_contains(filter, line, lines[i].size);
  }
  static uint8_t answers[100000];
  if (crivo_filter_contains_ranges(filter, numbers, highs, count, answers)) return fail("ranges");
  for (size_t i = 0; i < count; ++i) {
    int maybe = 0;
    if (crivo_filter_contains_range(filter, numbers[i], highs[i], &maybe)) return fail("range");
    const int is_key = memchr(lines[i].data, '\t', lines[i].size) == NULL;
    if (maybe != answers[i] || (is_key && maybe != flags[i])) return fail("two answers");
    puts(maybe ? "maybe" : "-");
  }
  return 0;
}

/* Lines that are numbers in decimal digits: their keys are 8 bytes, the lowest first. */
static void take_numbers(size_t count) {
  static char bytes[sizeof lines / sizeof *lines][8];
  for (size_t i = 0; i < count; ++i) {
    const uint64_t number = strtoull(lines[i].data, NULL, 10);
    for (unsigned j = 0; j < 8; ++j) bytes[i][j] = (char)(unsigned char)(number >> 8 * j);
    lines[i] = (crivo_bytes){bytes[i], sizeof bytes[i]};
  }
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  FILE* const file = fopen(argv[2], "rb");
  if (file == NULL) return fail(argv[2]);
  const char* const end = text + fread(text, 1, sizeof text, file);
  fclose(file);
  size_t count = 0;
  for (const char* line = text; line < end;) {
    const char* const lf = memchr(line, '\n', (size_t)(end - line));
    lines[count++] = (crivo_bytes){line, (size_t)(lf - line)};
    line = lf + 1;
  }
  const crivo_keys keys = crivo_keys_each(lines, count);
  int is_remote = 0;
  for (int i = 3; i < argc; ++i) {
    is_remote |= strcmp(argv[i], "remote") == 0;
    if (strcmp(argv[i], "numbers") == 0) take_numbers(count);
  }
  if (is_remote) return print_remote(argv[1], &keys);
  const crivo_open_options options = {.struct_size = sizeof options, .verify = 1};
  crivo_info info = {.struct_size = sizeof info};
  if (crivo_inspect(argv[1], &info)) return fail("inspect");
  if (strcmp(info.kind, "mphf") == 0) {
    crivo_mphf* mphf = NULL;
    if (crivo_mphf_open(argv[1], &options, &mphf)) return fail("open");
    crivo_mphf_lookup_many(mphf, &keys, numbers);
    for (size_t i = 0; i < count; ++i) {
      if (numbers[i] != crivo_mphf_lookup(mphf, lines[i].data, lines[i].size))
        return fail("two answers");
      print_number(numbers[i] != CRIVO_NO_RANK, numbers[i]);
    }
    crivo_mphf_close(mphf);
  } else if (strcmp(info.kind, "filter") == 0) {
    crivo_filter* filter = NULL;
    if (crivo_filter_open(argv[1], &options, &filter)) return fail("open");
    if (crivo_filter_takes_ranges(filter)) {
      const int failed = print_ranges(filter, count);
      crivo_filter_close(filter);
      return failed;
    }
    crivo_filter_contains_many(filter, &keys, flags);
    for (size_t i = 0; i < count; ++i) {
      if (flags[i] != crivo_filter_contains(filter, lines[i].data, lines[i].size))
        return fail("two answers");
      puts(flags[i] ? "maybe" : "-");
    }
    crivo_filter_close(filter);
  } else if (strcmp(info.kind, "map") == 0) {
    crivo_map* map = NULL;
    if (crivo_map_open(argv[1], &options, &map)) return fail("open");
    crivo_map_lookup_many(map, &keys, numbers, flags);
    for (size_t i = 0; i < count; ++i) {
      uint64_t value = 0;
      if (flags[i] != crivo_map_lookup(map, lines[i].data, lines[i].size, &value) ||
          value != numbers[i])
        return fail("two answers");
      print_value(&info, flags[i], numbers[i]);
    }
    crivo_map_close(map);
  } else if (strcmp(info.kind, "dictionary") == 0) {
    crivo_dictionary* dictionary = NULL;
    if (crivo_dictionary_open(argv[1], &options, &dictionary)) return fail("open");
    crivo_dictionary_lookup_many(dictionary, &keys, numbers);
    for (size_t i = 0; i < count; ++i) {
      if (numbers[i] != crivo_dictionary_lookup(dictionary, lines[i].data, lines[i].size))
        return fail("two answers");
      uint64_t hashed = 0;
      if (crivo_dictionary_has_hashed(dictionary) && numbers[i] != UINT64_MAX &&
          (crivo_dictionary_lookup_hashed(dictionary, lines[i].data, lines[i].size, &hashed) ||
           hashed != numbers[i]))
        return fail("another id by the hash");
      uint64_t value = 0;
      const crivo_answer beside = crivo_dictionary_value(dictionary, numbers[i], &value);
      if (beside != CRIVO_ANSWER_FOUND) {
        print_number(numbers[i] != UINT64_MAX, numbers[i]);
        continue;
      }
      printf("%" PRIu64 "\t", numbers[i]);
      print_value(&info, 1, value);
    }
    crivo_dictionary_close(dictionary);
  } else if (strcmp(info.kind, "rows") == 0) {
    crivo_rows* rows = NULL;
    if (crivo_rows_open(argv[1], &options, &rows)) return fail("open");
    static crivo_row found[sizeof lines / sizeof *lines];
    static uint64_t ends[sizeof lines / sizeof *lines];
    size_t all = 0;
    crivo_rows_lookup_many(rows, &keys, found, flags);
    if (crivo_rows_lookup_lists(rows, &keys, NULL, 0, ends, &all)) return fail("lists");
    for (size_t i = 0; i < count; ++i) {
      crivo_row row = {0, 0, 0};
      if (flags[i] != crivo_rows_lookup(rows, lines[i].data, lines[i].size, &row) ||
          (flags[i] == CRIVO_ANSWER_FOUND && memcmp(&row, &found[i], sizeof row) != 0))
        return fail("two answers");
      if ((flags[i] == CRIVO_ANSWER_FOUND) != (ends[i] > (i == 0 ? 0 : ends[i - 1])))
        return fail("another list");
      if (flags[i] != CRIVO_ANSWER_FOUND) {
        puts("-");
        continue;
      }
      const crivo_bytes name = crivo_rows_file(rows, row.file);
      fwrite(name.data, 1, name.size, stdout);
      if (row.group != UINT64_MAX) printf("\t%" PRIu64, row.group);
      printf("\t%" PRIu64 "\n", row.row);
    }
    crivo_rows_close(rows);
  } else if (strcmp(info.kind, "filterset") == 0) {
    crivo_filterset* set = NULL;
    if (crivo_filterset_open(argv[1], &options, &set)) return fail("open");
    const uint64_t groups = crivo_filterset_groups(set);
    const size_t words = (size_t)(groups + 63) / 64;
    uint64_t* const bitmaps = calloc(count * words + 1, sizeof *bitmaps);
    if (bitmaps == NULL || crivo_filterset_groups_of(set, &keys, bitmaps)) return fail("groups");
    for (size_t i = 0; i < count; ++i) {
      int is_there = 0;
      for (uint64_t g = 0; g < groups; ++g) {
        const int may = (int)(bitmaps[i * words + g / 64] >> g % 64 & 1);
        if (may != crivo_filterset_contains(set, g, lines[i].data, lines[i].size))
          return fail("two answers");
        if (!may || is_there) continue; /* of several answers the first */
        is_there = 1;
        const crivo_bytes name = crivo_filterset_name(set, g);
        fwrite(name.data, 1, name.size, stdout);
        putchar('\n');
      }
      if (!is_there) puts("-");
    }
    free(bitmaps);
    crivo_filterset_close(set);
  } else if (strcmp(info.kind, "exact") == 0) {
    static const char* const names[] = {"other", "member", "outside"};
    crivo_exact* exact = NULL;
    if (crivo_exact_open(argv[1], &options, &exact)) return fail("open");
    crivo_exact_contains_many(exact, NULL, 0, &keys, flags);
    for (size_t i = 0; i < count; ++i) {
      if (flags[i] != crivo_exact_contains(exact, lines[i].data, lines[i].size))
        return fail("two answers");
      puts(names[flags[i]]);
    }
    crivo_exact_close(exact);
  } else {
    crivo_store* store = NULL;
    crivo_reader* reader = NULL;
    if (crivo_store_open(argv[1], &options, &store) || crivo_reader_open(store, &reader))
      return fail("open");
    if (crivo_reader_find_many(reader, &keys, print_record, NULL)) return fail("find");
    crivo_reader_close(reader);
    crivo_store_close(store);
  }
  return 0;
}
