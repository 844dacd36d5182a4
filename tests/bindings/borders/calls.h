/* SPDX-License-Identifier: Apache-2.0 */
/* What the calls that make_calls.py writes are made with: a folder of files of every kind, what is
 * open of them, and rows of what comes of a call. */
#define _GNU_SOURCE
#include <crivo.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../file_source.h"

enum { KEYS = 6, ROOM = 1 << 16, MOST_MILLISECONDS = 60000 };

static char folder[512];

static const char* at(const char* name) {
  static char path[32][640];
  static int next = 0;
  next = (next + 1) % 32;
  snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
  return path[next];
}

static const crivo_bytes texts[KEYS] = {{"a", 1}, {"b", 1}, {"b.a", 3},
                                        {"c", 1}, {"d", 1}, {"numbers!", 8}};
static const crivo_bytes group_names[KEYS] = {{"x", 1}, {"x", 1}, {"x", 1},
                                              {"y", 1}, {"y", 1}, {"y", 1}};
static const uint64_t numbers[KEYS] = {1, 2, 3, 4, 5, 6};
static const crivo_keys keys = {CRIVO_LAYOUT_EACH, KEYS, texts, NULL, 0};
static const crivo_keys some_keys = {CRIVO_LAYOUT_EACH, 2, texts, NULL, 0};
static const crivo_keys groups = {CRIVO_LAYOUT_EACH, KEYS, group_names, NULL, 0};
static const crivo_keys some_groups = {CRIVO_LAYOUT_EACH, 2, group_names, NULL, 0};
static const char* const no_texts[] = {NULL};
static char room[ROOM];
static uint64_t answers64[ROOM];

/* Functions that the library calls. */
static int use_record(void* context, crivo_bytes key, crivo_bytes record) {
  (void)context, (void)key, (void)record;
  return 0;
}
static int visit(void* context, size_t index, crivo_answer answer, crivo_bytes record) {
  (void)context, (void)index, (void)answer, (void)record;
  return 0;
}
static void use_note(void* context, const char* name, const char* value) {
  (void)context, (void)name, (void)value;
}
static int use_found(void* context, const crivo_found* found) {
  (void)context, (void)found;
  return 0;
}
static int next_key(void* context, crivo_writer* writer) {
  (void)context;
  crivo_writer_key(writer, "a", 1);
  return 0;
}
static void must(crivo_status status) {
  if (status == CRIVO_STATUS_OK) return;
  printf("what the calls need cannot be made: %s\n", crivo_error_message());
  fflush(stdout);
  _exit(1);
}

static crivo_build_options replacing(void) {
  static const crivo_resources resources = {.struct_size = sizeof resources, .threads = 1};
  return (crivo_build_options){
      .struct_size = sizeof(crivo_build_options), .replace = 1, .resources = &resources};
}

static crivo_input* input_of(const crivo_keys* of, const uint64_t* values,
                             const crivo_keys* records) {
  crivo_input* input = NULL;
  must(values != NULL    ? crivo_input_values(of, values, &input)
       : records != NULL ? crivo_input_records(of, records, &input)
                         : crivo_input_keys(of, &input));
  return input;
}

/* Members with their universe, of two groups. */
static crivo_input* members_of(const crivo_keys* members, const crivo_keys* of) {
  crivo_input* const input = input_of(members, NULL, of);
  crivo_input* const universe = input_of(&keys, NULL, &groups);
  must(crivo_input_universe(input, universe));
  crivo_input_free(universe);
  return input;
}

static void build(const char* kind, const char* name, crivo_input* input,
                  const char* const* choices) {
  const crivo_output output = crivo_to_path(at(name));
  const crivo_build_options options = replacing();
  must(crivo_build(kind, input, &output, choices, &options, NULL));
  crivo_input_free(input);
}

static void make_delta(const char* set, const char* name, const crivo_keys* members,
                       const crivo_keys* of) {
  crivo_input* const input = members_of(members, of);
  const crivo_output output = crivo_to_path(at(name));
  const crivo_build_options options = replacing();
  must(crivo_build_delta(at(set), input, &output, NULL, &options, NULL));
  crivo_input_free(input);
}

static crivo_mphf* mphf;
static crivo_filter* filter;
static crivo_map* map;
static crivo_dictionary* dictionary;
static crivo_exact* exact;
static crivo_filterset* filterset;
static crivo_rows* rows;
static crivo_exact_group* group;
static crivo_store* store;
static crivo_reader* reader;
static crivo_store_cursor* cursor;
static crivo_remote* remote; /* of a file that is signed */
static crivo_input* plain_input;
static crivo_input* record_input;
static crivo_input* member_input;
static crivo_input* row_input;   /* of a file that the index of rows does not have */
static crivo_input* rows_input;  /* of all files of its chain */
static crivo_input* group_input; /* of a group that the filter set does not have */
static crivo_buffer* buffer;
static crivo_hash hash, filter_hash;
static crivo_writer* writer; /* inside of next_calls() */
static char long_text[5001];
static const char* const nulls[] = {"a=1", NULL, NULL};
static const char* const odd_texts[] = {"\xff\x01=\xff\n", NULL, NULL};
static crivo_bytes mphf_file, filter_file, map_file, dictionary_file, exact_file, filterset_file,
    rows_file;

static crivo_bytes read_file(const char* name) {
  FILE* const from = fopen(at(name), "rb");
  void* const data = malloc(ROOM);
  const size_t size = fread(data, 1, ROOM, from);
  fclose(from);
  return (crivo_bytes){data, size};
}

static crivo_trust trust(void) {
  static const char* keys_of[] = {NULL, NULL};
  keys_of[0] = at("key.pub");
  return (crivo_trust){.struct_size = sizeof(crivo_trust), .public_keys = keys_of};
}
static crivo_sign_options signing(void) {
  return (crivo_sign_options){
      .struct_size = sizeof(crivo_sign_options), .secret_key = at("key"), .replace = 1};
}
static crivo_apply_options applying(void) {
  return (crivo_apply_options){.struct_size = sizeof(crivo_apply_options), .replace = 1};
}

static crivo_source file_source_of_dictionary(void) {
  static char signature[1024];
  static file_source file = {.signature = signature};
  FILE* const from = fopen(at("dictionary.minisig"), "rb");
  signature[fread(signature, 1, sizeof signature - 1, from)] = '\0';
  fclose(from);
  if (file.path == NULL) file.path = strdup(at("dictionary"));
  return source_of(&file);
}

static void make_files(void) {
  const crivo_build_options options = replacing();
  const crivo_keys integers = crivo_keys_numbers(numbers, KEYS);
  build("mphf", "mphf", input_of(&keys, NULL, NULL), CRIVO_CHOICES("signature_bits=8"));
  const crivo_sign_options sign = signing();
  must(crivo_sign(at("mphf"), &sign, NULL, NULL));
  build("filter", "filter", input_of(&integers, NULL, NULL), CRIVO_CHOICES("type=range"));
  build("filter", "counting", input_of(&keys, NULL, NULL),
        CRIVO_CHOICES("type=counting-bloom", "capacity=100"));
  build("filter", "bloom", input_of(&keys, NULL, NULL),
        CRIVO_CHOICES("type=bloom", "capacity=100"));
  build("map", "map", input_of(&keys, numbers, NULL),
        CRIVO_CHOICES("values=1", "signature_bits=8"));
  build("dictionary", "dictionary", input_of(&keys, numbers, NULL),
        CRIVO_CHOICES("values=1", "hashed=1"));
  must(crivo_sign(at("dictionary"), &sign, NULL, NULL));
  build("store", "removed", input_of(&keys, NULL, &groups), NULL);
  build("store", "updated", input_of(&keys, NULL, &groups), NULL);
  build("store", "store", input_of(&keys, NULL, &groups),
        CRIVO_CHOICES("backend=flat", "ordered=1"));
  build("exact", "exact", members_of(&some_keys, &some_groups), CRIVO_CHOICES("grouped=1"));
  static const crivo_bytes row_names[] = {{"f\t0", 3}, {"f\t1", 3}};
  const crivo_keys places = crivo_keys_each(row_names, 2);
  build("rows", "rows", input_of(&some_keys, NULL, &places), NULL);
  build("filterset", "filterset", input_of(&some_keys, NULL, &some_groups), NULL);
  make_delta("exact", "delta", &keys, &groups);
  const char* const deltas[] = {at("delta")};
  must(crivo_apply_deltas(at("exact"), deltas, 1, at("chain"), NULL, NULL));
  make_delta("chain", "delta2", &some_keys, &some_groups);
  crivo_input* input = members_of(&keys, &groups);
  const crivo_partition_options partition = {.struct_size = sizeof partition, .grouped = 1};
  must(crivo_partition_keys(input, at("dealt-members"), &partition, &options, NULL));
  must(crivo_finish_partition(at("dealt-members"), &options, NULL));
  crivo_input_free(input);
  input = input_of(&keys, NULL, NULL);
  must(crivo_partition_keys(input, at("dealt"), NULL, &options, NULL));
  must(crivo_finish_partition(at("dealt"), &options, NULL));
  must(
      crivo_build_part("mphf", at("dealt"), (crivo_share){0, 1}, at("part"), NULL, &options, NULL));
  crivo_input_free(input);
}

static char hash_filter_bytes[1024];
static size_t hash_filter_size;
static crivo_hash_filter* hash_filter;

static void open_files(void) {
  must(crivo_filter_build_hashes(numbers, KEYS, NULL, hash_filter_bytes, sizeof hash_filter_bytes,
                                 &hash_filter_size));
  must(crivo_hash_filter_open(hash_filter_bytes, hash_filter_size, &hash_filter));
  must(crivo_mphf_open(at("mphf"), NULL, &mphf));
  must(crivo_filter_open(at("filter"), NULL, &filter));
  must(crivo_map_open(at("map"), NULL, &map));
  must(crivo_dictionary_open(at("dictionary"), NULL, &dictionary));
  must(crivo_exact_open(at("exact"), NULL, &exact));
  must(crivo_filterset_open(at("filterset"), NULL, &filterset));
  must(crivo_rows_open(at("rows"), NULL, &rows));
  must(crivo_exact_group_of(exact, "x", 1, &group));
  must(crivo_store_open(at("store"), NULL, &store));
  must(crivo_reader_open(store, &reader));
  must(crivo_store_cursor_open(store, &cursor));
  const crivo_source source = file_source_of_dictionary();
  const crivo_trust trusted = trust();
  const crivo_remote_options signed_options = {.struct_size = sizeof signed_options,
                                               .trust = &trusted};
  must(crivo_remote_open("dictionary", &source, &signed_options, &remote));
  plain_input = input_of(&some_keys, NULL, NULL);
  record_input = input_of(&some_keys, NULL, &some_groups);
  member_input = members_of(&some_keys, &some_groups);
  static const crivo_bytes row_names[] = {{"f\t0", 3}, {"g\t1", 3}};
  const crivo_keys new_row = crivo_keys_each(row_names + 1, 1);
  const crivo_keys all_rows = crivo_keys_each(row_names, 2);
  const crivo_keys new_key = crivo_keys_each(texts + 1, 1);
  row_input = input_of(&new_key, NULL, &new_row);
  rows_input = input_of(&some_keys, NULL, &all_rows);
  const crivo_build_options options = replacing();
  must(crivo_rows_add(at("rows"), row_input, at("rows-chain"), NULL, &options, NULL));
  static const crivo_bytes added_names[] = {{"h", 1}};
  const crivo_keys new_group = crivo_keys_each(added_names, 1);
  group_input = input_of(&new_key, NULL, &new_group);
  must(crivo_filterset_add(at("filterset"), group_input, at("groups-chain"), NULL, &options, NULL));
  must(crivo_buffer_new(&buffer));
  hash = crivo_mphf_hash(mphf, "a", 1);
  filter_hash = crivo_filter_hash(filter, "a", 1);
  mphf_file = read_file("mphf");
  filter_file = read_file("filter");
  map_file = read_file("map");
  dictionary_file = read_file("dictionary");
  exact_file = read_file("exact");
  filterset_file = read_file("filterset");
  rows_file = read_file("rows");
}

/* Of keys with values or records, or alone. */
static crivo_status build_from(const char* kind, const char* const* choices, crivo_input* input) {
  const crivo_output output =
      crivo_to_path(at(strcmp(kind, "store") != 0 ? "output" : "output-store"));
  crivo_build_options options = replacing();
  options.ignore_duplicates = 1;
  const crivo_status status = crivo_build(kind, input, &output, choices, &options, NULL);
  crivo_input_free(input);
  return status;
}

/* Opened where it is asked for: it has the store for itself. */
static crivo_store_writer* store_writer(void) {
  static crivo_store_writer* opened;
  if (opened == NULL) must(crivo_store_writer_open(at("updated"), NULL, &opened));
  return opened;
}

static int* shared_number(void) {
  static int* number;
  if (number == NULL)
    number = mmap(NULL, sizeof *number, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return number;
}

/* ---- Rows: call, parameter, what it is, what comes of it ------------------------------------- */

static const char* const statuses[] = {"taken",   "mismatch", "usage",  "bad input", "corrupt",
                                       "too new", "too old",  "system", "cancelled"};

/* Before a call, so that a program that it ends has said which it was. */
static void begin(const char* call, const char* parameter, const char* what) {
  printf("%s\t%s\t%s\t", call, parameter, what);
  fflush(stdout);
}
static void end(const char* outcome) {
  puts(outcome);
  fflush(stdout);
}
static void end_status(crivo_status status) {
  const char* const message = crivo_error_message();
  if (status == CRIVO_STATUS_OK) return end("taken");
  if (message[0] == '\0') return end("fails without a message");
  printf("%s: %s\n", statuses[status], message);
  fflush(stdout);
}

typedef struct border_call {
  const char* name;
  int in_writer; /* it is made inside of a crivo_next */
  int count;
  void (*make)(int number);
} border_call;

static const border_call* current;
static int current_number;
static int next_calls(void* context, crivo_writer* given) {
  (void)context;
  writer = given;
  current->make(current_number);
  return 0;
}
static void* make_current(void* context) {
  if (!current->in_writer) {
    current->make(current_number);
    return context;
  }
  crivo_input* input = NULL;
  const crivo_output output = crivo_to_buffer(buffer);
  must(crivo_input_function(next_calls, NULL, &input));
  (void)crivo_build("mphf", input, &output, NULL, NULL, NULL);
  crivo_input_free(input);
  return context;
}

static void ignore(int number) {
  (void)number;
}

/* The first three cases of a call are right: in a process that did not open what it uses, on a
 * thread that did not, and while signals interrupt what the system does. */
static void run_case(void) {
  if (current_number == 1) {
    pthread_t thread;
    pthread_create(&thread, NULL, make_current, NULL);
    pthread_join(thread, NULL);
    return;
  }
  const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
  if (current_number == 2) setitimer(ITIMER_REAL, &often, NULL);
  make_current(NULL);
  if (current_number == 2) setitimer(ITIMER_REAL, &never, NULL);
}

/* Each call in a process of its own: what ends that is said, and the next case tried in another. */
static int try_all(int argc, char** argv, const border_call* calls, size_t count) {
  if (argc < 2) return 2;
  snprintf(folder, sizeof folder, "%s", argv[1]);
  struct sigaction action = {.sa_handler = ignore}; /* without SA_RESTART */
  sigaction(SIGALRM, &action, NULL);
  memset(long_text, 'a', sizeof long_text - 1);
  make_files();
  open_files();
  for (size_t i = 0; i < count; ++i) {
    current = &calls[i];
    if (argc > 2 && strcmp(argv[2], current->name) != 0) continue;
    int* const done = shared_number();
    for (*done = -1; *done + 1 < current->count;) {
      const pid_t child = fork();
      if (child == 0) {
        for (current_number = *done + 1; current_number < current->count; ++current_number) {
          *done = current_number;
          run_case();
        }
        fflush(stdout);
        _exit(0);
      }
      int status = 0;
      for (int waited = 0; waitpid(child, &status, WNOHANG) == 0; ++waited) {
        if (waited == MOST_MILLISECONDS) kill(child, SIGKILL);
        usleep(1000);
      }
      if (status == 0) break;
      printf("ENDS THE PROGRAM: %s %d\n", WIFSIGNALED(status) ? "signal" : "exit",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
      fflush(stdout);
    }
  }
  return 0;
}
