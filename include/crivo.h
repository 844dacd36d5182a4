/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Crivo from C: minimal perfect hash functions (key -> rank), approximate-membership filters
 * (key -> maybe or absent), static maps (key -> number), rows of tables, filter sets, dictionaries,
 * exact sets and record stores (key -> record), built into files or memory and looked up where they
 * are mapped. The C++ headers, crivo/build/build.hpp, mphf.hpp and so on, say what each is; here
 * stands how C calls it.
 *
 * Calls that can fail return a crivo_status: CRIVO_STATUS_OK, which is 0, or what went wrong; then
 * crivo_error_message() and its like tell more, for the calling thread. They write what they give
 * through their last arguments, and write nothing there if they fail. They refuse NULL where they
 * need something, with CRIVO_STATUS_USAGE. Lookups cannot fail, and look at none of their pointers:
 * no NULL but for a key of no bytes.
 *
 * Handles are opaque. Whoever gets one gives it back with the function named _close or _free, which
 * take NULL too. What is open is immutable: any number of threads may look up in it at once, but a
 * crivo_reader and a crivo_remote are for one thread at a time.
 *
 * Options are structures whose first member is their size, so that later versions can add members:
 *
 *     crivo_build_options options = {.struct_size = sizeof options, .replace = 1};
 *
 * A member that is 0 or NULL has its default, and so has every member where NULL is given in the
 * place of the options. A member of a later version than the library's is refused unless it is 0.
 * Texts end with NUL; keys and records are bytes, any bytes.
 */
#ifndef CRIVO_H
#define CRIVO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef CRIVO_API
#define CRIVO_API __attribute__((visibility("default")))
#endif

/* The version of the library that the program runs with, "1.0.0"; crivo/version.hpp says what minor
 * versions keep. */
CRIVO_API const char* crivo_version(void);

/* ---- Errors ---------------------------------------------------------------------------------- */

typedef enum crivo_status {
  CRIVO_STATUS_OK = 0,
  CRIVO_STATUS_MISMATCH = 1, /* a verification found a wrong answer */
  CRIVO_STATUS_USAGE =
      2, /* the call itself makes no sense: an unknown option, an existing output */
  CRIVO_STATUS_BAD_INPUT = 3, /* the input is at fault: a duplicate key, a bad record */
  CRIVO_STATUS_CORRUPT = 4,   /* a file is damaged, truncated, or none of Crivo's */
  CRIVO_STATUS_TOO_NEW = 5,   /* a file of a later version */
  CRIVO_STATUS_TOO_OLD = 6,   /* a file of a version that is no longer read */
  CRIVO_STATUS_IO = 7,        /* the system refused: disk full, memory, permission */
  CRIVO_STATUS_CANCELLED = 8  /* a function of the program asked for it */
} crivo_status;

/* What follows is of the calling thread's last call that failed; texts are valid until the next
 * that does. */

/* One line: where, what is wrong, and what to do. */
CRIVO_API const char* crivo_error_message(void);
/* The file at fault, or NULL if none is known. */
CRIVO_API const char* crivo_error_file(void);
/* The line of the key at fault, from 1, or of keys in memory its index and 1; 0 if none is known.
 */
CRIVO_API uint64_t crivo_error_line(void);
/* The name of the file's section that is damaged, or NULL. */
CRIVO_API const char* crivo_error_section(void);
/* Where in the file damage begins, in bytes; UINT64_MAX if that is not known. */
CRIVO_API uint64_t crivo_error_byte(void);
/* The errno of the system call that failed, as ENOENT; 0 if none did. */
CRIVO_API int crivo_error_errno(void);
/* What would help, as far as it is known, by its name in C++: an option of the call, as "seed" or
 * "replace", or another call, as "for_each"; otherwise NULL. */
CRIVO_API const char* crivo_error_remedy(void);

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Bytes somewhere in memory. */
typedef struct crivo_bytes {
  const void* data;
  size_t size;
} crivo_bytes;

typedef enum crivo_layout {
  CRIVO_LAYOUT_EACH = 0,    /* `data` is an array of crivo_bytes */
  CRIVO_LAYOUT_OFFSETS = 1, /* key i is the bytes from data + offsets[i] to data + offsets[i + 1] */
  CRIVO_LAYOUT_FIXED = 2,   /* key i is the `width` bytes from data + i * width on */
  CRIVO_LAYOUT_NUMBERS = 3, /* `data` is an array of uint64_t: keys of 8 bytes, the lowest first */
  CRIVO_LAYOUT_PADDED =
      4 /* as CRIVO_LAYOUT_FIXED, but for the NULs at a key's end, as numpy's arrays have them */
} crivo_layout;

/* Many keys, or many records, as a program has them in memory. Nothing is copied: what it points to
 * must outlive its use. */
typedef struct crivo_keys {
  crivo_layout layout;
  size_t count;
  const void* data;
  const uint64_t* offsets; /* count + 1 of them, ascending; CRIVO_LAYOUT_OFFSETS alone */
  size_t width;            /* CRIVO_LAYOUT_FIXED and CRIVO_LAYOUT_PADDED alone */
} crivo_keys;

static inline crivo_keys crivo_keys_each(const crivo_bytes* keys, size_t count) {
  crivo_keys all = {CRIVO_LAYOUT_EACH, count, keys, NULL, 0};
  return all;
}
static inline crivo_keys crivo_keys_offsets(const void* data, const uint64_t* offsets,
                                            size_t count) {
  crivo_keys all = {CRIVO_LAYOUT_OFFSETS, count, data, offsets, 0};
  return all;
}
static inline crivo_keys crivo_keys_fixed(const void* data, size_t width, size_t count) {
  crivo_keys all = {CRIVO_LAYOUT_FIXED, count, data, NULL, width};
  return all;
}
static inline crivo_keys crivo_keys_padded(const void* data, size_t width, size_t count) {
  crivo_keys all = {CRIVO_LAYOUT_PADDED, count, data, NULL, width};
  return all;
}
static inline crivo_keys crivo_keys_numbers(const uint64_t* keys, size_t count) {
  crivo_keys all = {CRIVO_LAYOUT_NUMBERS, count, keys, NULL, 0};
  return all;
}

/* ---- Inputs of builds ------------------------------------------------------------------------ */

typedef enum crivo_framing {
  CRIVO_FRAMING_LINES = 0, /* each key ends with LF; a value or record follows it after a TAB */
  CRIVO_FRAMING_NULL = 1,  /* each key, value and record ends with NUL */
  CRIVO_FRAMING_FIXED = 2  /* each key has `width` bytes */
} crivo_framing;

/* How files are cut into keys. Columns, quotes, headers and JSON are of lines alone. */
typedef struct crivo_format {
  size_t struct_size;
  crivo_framing framing;
  uint32_t width;  /* of CRIVO_FRAMING_FIXED */
  int strip_cr;    /* lines: a CR before the LF is not part of the key */
  int allow_empty; /* an empty key is a key; otherwise it is an error */
  /* The columns, from 1, of the key (0: the whole line, or where there are values or records the
   * first column) and of the value or record (0: what comes after the key). */
  uint32_t key_column;
  uint32_t value_column;
  char column_delimiter;  /* NUL: TAB, or with `quotes` a comma */
  int quotes;             /* columns may stand in double quotes, as in CSV */
  int skip_header;        /* the first line of each file is left out */
  const char* key_name;   /* with skip_header: of the key's column, in the place of its number */
  const char* value_name; /* likewise */
  const char* json_key;   /* each line is a JSON object, of which this member is the key */
  const char* json_value; /* and this the value or record; NULL: the whole object */
  int hex;                /* keys are written in hexadecimal digits, two a byte */
  uint64_t max_key_bytes; /* a longer key is an error; 0: 2^20, which is the most */
  int binary_lines;       /* lines, though a file begins as one of another format does */
  /* What is put behind the value or record, with a TAB between: the number of a row, behind the
   * name of its file. */
  uint32_t row_column;
  const char* row_name; /* with skip_header: of that column, in the place of its number */
  const char* json_row; /* of a JSON object, this member */
  /* Columns, by number or name, or members that come before the one that ends the key: the key is
   * all their texts, with TABs between; in each a backslash stands as \\, a TAB as \t and an LF
   * as \n. */
  const char* const* leading_keys;
  size_t leading_count;
  int group_by_file; /* of a filter set alone: each file is a group, of its path, and there are no
                      * pairs */
} crivo_format;

/* Where the keys of a build come from. */
typedef struct crivo_input crivo_input;

/* Key files, read in order as one sequence; "-" is standard input. gzip, zstd, xz and bzip2 are
 * seen by their first bytes. */
CRIVO_API crivo_status crivo_input_files(const char* const* paths, size_t count,
                                         const crivo_format* format, crivo_input** input);
/* Keys in memory, which must outlive the input. */
CRIVO_API crivo_status crivo_input_keys(const crivo_keys* keys, crivo_input** input);
/* The same with a value for each key, of a map. */
CRIVO_API crivo_status crivo_input_values(const crivo_keys* keys, const uint64_t* values,
                                          crivo_input** input);
/* The same with a record for each key, of a store: as many of both. */
CRIVO_API crivo_status crivo_input_records(const crivo_keys* keys, const crivo_keys* records,
                                           crivo_input** input);

/* What a crivo_next hands keys to; the bytes are copied. All in one way: keys alone, each with a
 * value, or each with a record, as the build wants them. A call that fails, for want of memory or
 * as the key is too long, ends the build with its status, whatever the function returns. */
typedef struct crivo_writer crivo_writer;
CRIVO_API crivo_status crivo_writer_key(crivo_writer* writer, const void* key, size_t size);
CRIVO_API crivo_status crivo_writer_value(crivo_writer* writer, const void* key, size_t size,
                                          uint64_t value);
CRIVO_API crivo_status crivo_writer_record(crivo_writer* writer, const void* key, size_t size,
                                           const void* record, size_t record_size);

/* Hands over some of the next keys (at most 2^24); returns 1 if there are more, 0 if those were the
 * last, and -1 to give up, which ends the build with CRIVO_STATUS_CANCELLED; another number ends it
 * with CRIVO_STATUS_USAGE. It is called from any thread, but not from two at once. */
typedef int (*crivo_next)(void* context, crivo_writer* writer);
/* Keys from a function, of which each is read once. */
CRIVO_API crivo_status crivo_input_function(crivo_next next, void* context, crivo_input** input);
/* Whether empty keys, of an input that is not of files, are keys (1) or an error (0, the default).
 */
CRIVO_API void crivo_input_allow_empty(crivo_input* input, int allow);
/* Whether the keys of a function are the 8 bytes of numbers, the lowest first (1): then each stands
 * for its number in a filter of type range, as keys of CRIVO_LAYOUT_NUMBERS do by themselves. */
CRIVO_API void crivo_input_numbers(crivo_input* input, int are_numbers);
/* Gives the members of an exact set their universe, which is copied: free both. With groups each
 * key has the name of its group as its record. */
CRIVO_API crivo_status crivo_input_universe(crivo_input* members, const crivo_input* universe);
CRIVO_API void crivo_input_free(crivo_input* input);

/* ---- Resources and progress ------------------------------------------------------------------ */

/* How far a long call is. */
typedef struct crivo_progress {
  const char* phase; /* its name */
  double fraction;   /* of the whole call, from 0 to 1; -1 while it is not known */
  uint64_t done;     /* of the phase, in keys or bytes */
  uint64_t total;    /* 0 while it is not known */
  double seconds;    /* since the phase began */
} crivo_progress;

/* Called some ten times a second, on the thread that made the call, and a last time before the
 * output is put in its place. Anything but 0 cancels the call, which then ends within a fraction of
 * a second with CRIVO_STATUS_CANCELLED, and leaves no output or the old one. */
typedef int (*crivo_on_progress)(void* context, const crivo_progress* progress);

typedef struct crivo_resources {
  size_t struct_size;
  unsigned threads; /* 0: one per core */
  uint64_t memory;  /* the most that a build takes, in bytes; 0: three quarters of what is left */
  const char* temp_dir;          /* NULL: $TMPDIR, or /tmp */
  crivo_on_progress on_progress; /* may be NULL */
  void* context;                 /* of on_progress */
} crivo_resources;

/* ---- Outputs of builds ----------------------------------------------------------------------- */

/* Takes the next bytes of a finished file; anything but 0 ends the build with
 * CRIVO_STATUS_CANCELLED. */
typedef int (*crivo_write)(void* context, const void* data, size_t size);

/* Where a build writes: `path`, or where that is NULL, `write`. A failed build leaves no file, and
 * an old one as it was, and has called `write` never. */
typedef struct crivo_output {
  size_t struct_size;
  const char* path;
  crivo_write write;
  void* context; /* of write */
} crivo_output;

static inline crivo_output crivo_to_path(const char* path) {
  crivo_output output = {sizeof output, path, NULL, NULL};
  return output;
}

/* Memory for a file that is built: of crivo_output its `write` is crivo_buffer_write, its `context`
 * the buffer. */
typedef struct crivo_buffer crivo_buffer;
CRIVO_API crivo_status crivo_buffer_new(crivo_buffer** buffer);
CRIVO_API int crivo_buffer_write(void* buffer, const void* data, size_t size);
/* Valid until more is written. */
CRIVO_API crivo_bytes crivo_buffer_bytes(const crivo_buffer* buffer);
CRIVO_API void crivo_buffer_free(crivo_buffer* buffer);
static inline crivo_output crivo_to_buffer(crivo_buffer* buffer) {
  crivo_output output = {sizeof output, NULL, crivo_buffer_write, buffer};
  return output;
}

/* ---- Builds ---------------------------------------------------------------------------------- */

/* What all builds have in common. */
typedef struct crivo_build_options {
  size_t struct_size;
  uint64_t seed;         /* of the key hash */
  int keyed_hash;        /* SipHash under a secret seed: for keys that strangers chose */
  int ignore_duplicates; /* keep the first of equal keys, instead of refusing them */
  int replace;           /* replace an existing output */
  const crivo_resources* resources;
  /* Names and values for people and programs, in UTF-8, which the file keeps (crivo_inspect_notes):
   * texts NAME=VALUE, of which NULL is the last; or NULL. Of shards the merge takes them. */
  const char* const* notes;
} crivo_build_options;

/* What can be asked of a kind of index is a table of choices; a build takes some of them as texts
 * NAME=VALUE, of which NULL is the last, and the defaults for all others:
 *
 *   crivo_build("filter", input, &output, CRIVO_CHOICES("type=cuckoo", "fpr=0.01"), NULL, NULL)
 */
#define CRIVO_CHOICES(...) ((const char* const[]){__VA_ARGS__, NULL})

typedef enum crivo_choice_type {
  CRIVO_CHOICE_TYPE_FLAG = 0,   /* 0 or 1 */
  CRIVO_CHOICE_TYPE_COUNT = 1,  /* a whole number */
  CRIVO_CHOICE_TYPE_BYTES = 2,  /* the same, of bytes */
  CRIVO_CHOICE_TYPE_RATE = 3,   /* a number between 0 and 1 */
  CRIVO_CHOICE_TYPE_NUMBER = 4, /* a decimal number */
  CRIVO_CHOICE_TYPE_NAME = 5,   /* one of `values` */
  CRIVO_CHOICE_TYPE_TEXT = 6    /* any text */
} crivo_choice_type;

/* A row of the table. The texts live as long as the program. */
typedef struct crivo_choice {
  size_t struct_size;
  const char* name;
  const char* help; /* a line */
  crivo_choice_type type;
  const char* initial; /* the default; empty if there is none */
  const char* values;  /* names, or the only numbers, with a blank between each two; empty: any */
  const char* takers;  /* the algorithms or types that take it, likewise; empty: all of the kind */
} crivo_choice;

/* The name of a kind that can be built ("mphf", "filter", "map", "store"), or NULL from the number
 * of kinds on. */
CRIVO_API const char* crivo_kind_name(size_t index);
/* Choice `index` of a kind; the first is its algorithm or type. CRIVO_STATUS_USAGE for another
 * kind, or an index that is not below the number of choices. The caller sets struct_size. */
CRIVO_API crivo_status crivo_choice_of(const char* kind, size_t index, crivo_choice* choice);

/* What a build did. The caller sets struct_size. */
typedef struct crivo_summary {
  size_t struct_size;
  uint64_t keys;       /* distinct */
  uint64_t duplicates; /* left out by ignore_duplicates */
  uint64_t bytes;      /* of all files written */
  uint64_t seed;       /* that the file has */
  double fpr;          /* designed; -1 where there is none */
  double measured_fpr; /* of a filter; otherwise -1 */
  double seconds;
  uint64_t temp_bytes; /* of temporary disk */
  unsigned threads;
  unsigned value_bits; /* of a map */
  char digest[72];     /* hex; equal keys and parameters give equal digests */
} crivo_summary;

/* What the calling thread's last build, though it was done, had to say of its input or output: a
 * line each, with LF between them; empty if nothing. Valid until its next build. */
CRIVO_API const char* crivo_warnings(void);

/* Builds a file or, for a store, which needs a path, a directory. `choices` and `summary` may be
 * NULL. Fails with CRIVO_STATUS_USAGE (bad choices; an output that exists, or is an input),
 * CRIVO_STATUS_BAD_INPUT (which names file and line), CRIVO_STATUS_IO, CRIVO_STATUS_CANCELLED. */
CRIVO_API crivo_status crivo_build(const char* kind, const crivo_input* input,
                                   const crivo_output* output, const char* const* choices,
                                   const crivo_build_options* options, crivo_summary* summary);

/* What a build would take. The caller sets struct_size. */
typedef struct crivo_estimate {
  size_t struct_size;
  uint64_t keys;                 /* lines, repeats included */
  uint64_t memory_bytes;         /* at the peak */
  uint64_t minimum_memory_bytes; /* the least crivo_resources.memory */
  uint64_t temp_bytes;
  uint64_t output_bytes;
  uint64_t partitions;  /* that the keys are sorted and built in */
  double seconds;       /* on a machine that is idle but for the build */
  int would_be_refused; /* 1: the build needs more memory than it may take */
} crivo_estimate;

/* Says what the build of the same arguments would take, by reading the input once; one that is a
 * function has been read then. Some of the keys are built from; nothing of that is left. It fails
 * as a build does. */
CRIVO_API crivo_status crivo_estimate_build(const char* kind, const crivo_input* input,
                                            const char* const* choices,
                                            const crivo_build_options* options,
                                            crivo_estimate* estimate);

/* A seed that nobody can foresee, for keyed_hash. */
CRIVO_API crivo_status crivo_random_seed(uint64_t* seed);

/* ---- Builds in shards ------------------------------------------------------------------------ */

/* By any tasks, on any machines that see one directory: keys are dealt out by their hashes, each
 * shard builds its share, and the parts are merged into the very file that one machine would have
 * written. crivo/build/shards.hpp says more:
 *
 *     crivo_partition_keys    each of M tasks: its share of the input -> hashes in a directory
 *     crivo_finish_partition  once: how many keys there are, and what else every shard has to know
 *     crivo_build_part        each of N shards: its share of the keys -> a part
 *     crivo_merge_parts       once: the parts -> the file
 *     crivo_write_manifest    instead: a small file by which the parts are looked up as they are
 *
 * Each of these appears whole or not at all, and a task that is done again writes the same bytes.
 */

/* One of some: number `index`, from 0, of `count`. */
typedef struct crivo_share {
  uint64_t index;
  uint64_t count;
} crivo_share;

typedef struct crivo_partition_options {
  size_t struct_size;
  uint64_t shards;        /* how many there will be, about; 0: 1 */
  int values;             /* the input has values; otherwise a key's is its number in the input */
  const char* value_type; /* unsigned (NULL), signed or decimal */
  unsigned scale;
  /* Of the keys: xxh3 (the default), xxh64 for split-block-bloom filters, range for range filters.
   */
  const char* hash;
  /* Whose files of the input are dealt out: those that begin in its share of the bytes of all. Keys
   * that are not in files are this share itself. {0, 0}: the only one. */
  crivo_share part;
  int records;          /* the input has records, of which stores can be built */
  const char* repeated; /* first (NULL), last or all */
  int no_numbers;       /* keys have no numbers, of which maps are built: a third less to write */
  /* Of members that have their universe (crivo_input_universe), of an exact set or a delta. */
  int grouped;                 /* keys belong to groups */
  const char* group_delimiter; /* as of crivo_delta_options */
  const char* prefixes;        /* of filters with this choice: their one character, or NULL */
  int texts; /* the keys themselves are dealt out, of which dictionaries are built */
  /* The input has rows, of which indexes of rows are built; then, as of their choices: */
  int rows;
  int many;
  unsigned fixed;         /* 0 or 8 */
  const char* null_text;  /* NULL: none */
  const char* row_groups; /* the path of a file, or NULL */
  int filter_set;         /* the input is that of a filter set, of which such are built */
} crivo_partition_options;

/* What a task did. The caller sets struct_size. */
typedef struct crivo_partition_summary {
  size_t struct_size;
  uint64_t keys;       /* that it dealt out */
  uint64_t duplicates; /* left out by ignore_duplicates */
  uint64_t bytes;      /* of its file */
  double seconds;
  int was_done; /* 1: its file was there already, of the same input files and options */
} crivo_partition_summary;

/* Deals out the keys of a task's share of the input into a file in `directory`, which is made if it
 * is not there. The seed, keyed_hash and ignore_duplicates of all that follows are those of
 * `options`. `summary` may be NULL. CRIVO_STATUS_USAGE for a directory of another partition, unless
 * `replace` is set. */
CRIVO_API crivo_status crivo_partition_keys(const crivo_input* input, const char* directory,
                                            const crivo_partition_options* partition,
                                            const crivo_build_options* options,
                                            crivo_partition_summary* summary);

/* What all shards have to know. The caller sets struct_size. */
typedef struct crivo_partition_totals {
  size_t struct_size;
  uint64_t keys;       /* distinct ones */
  uint64_t duplicates; /* left out */
  uint64_t tasks;
  double seconds;
} crivo_partition_totals;

/* Counts what all tasks dealt out, once they are done. `totals` may be NULL. CRIVO_STATUS_USAGE
 * names a file that is missing, or of another partition. */
CRIVO_API crivo_status crivo_finish_partition(const char* directory,
                                              const crivo_build_options* options,
                                              crivo_partition_totals* totals);

/* Builds a shard's part of the file that crivo_build() would write of the same keys, kind and
 * choices. Any number of shards may be asked for; those that crivo_partition_options said read
 * little more than their own keys. CRIVO_STATUS_USAGE for a directory that is not finished, or was
 * changed since, and for structures that take the whole set at once; CRIVO_STATUS_BAD_INPUT where
 * keys are repeated. */
CRIVO_API crivo_status crivo_build_part(const char* kind, const char* directory, crivo_share shard,
                                        const char* output, const char* const* choices,
                                        const crivo_build_options* options, crivo_summary* summary);

/* Puts the parts of all shards, in any order, together; those of a store into a directory.
 * CRIVO_STATUS_USAGE names a part that is missing, doubled, or of another build. */
CRIVO_API crivo_status crivo_merge_parts(const char* const* parts, size_t count, const char* output,
                                         const crivo_build_options* options,
                                         crivo_summary* summary);
/* Writes a small file by which the parts, in its folder or below, are served unmerged: it is opened
 * by its path as the merged file would be. They fail likewise. */
CRIVO_API crivo_status crivo_write_manifest(const char* const* parts, size_t count,
                                            const char* output, const crivo_build_options* options,
                                            crivo_summary* summary);

/* ---- Opening --------------------------------------------------------------------------------- */

typedef enum crivo_mode {
  CRIVO_MODE_MAPPED = 0,  /* reads what lookups touch and no more */
  CRIVO_MODE_PRELOAD = 1, /* reads it whole when opened, as far as the memory goes */
  CRIVO_MODE_LOCK = 2,    /* and keeps it in memory */
  CRIVO_MODE_COPY = 3,    /* reads it into memory of its own, and checks every checksum */
  /* Mapped, and what an answer rests on is checked, or not: OpenCheck of crivo/open.hpp. The modes
   * above check what lookups read but in MPHFs and filters. */
  CRIVO_MODE_CHECKED = 4,
  CRIVO_MODE_UNCHECKED = 5,
  CRIVO_MODE_READ = 6 /* never mapped: reads and checks the pages that lookups touch */
} crivo_mode;

/* guard_reads() of crivo/open.hpp: a page of a mapped file that cannot be read is damage, and no
 * SIGBUS, to all that check what they read. */
CRIVO_API void crivo_guard_reads(void);

/* Whose signature a file must have. What is checked stands in crivo/open.hpp; what fails is
 * CRIVO_STATUS_CORRUPT. */
typedef struct crivo_trust {
  size_t struct_size;
  const char* const* public_keys; /* each the path of a file of minisign or its line in base64;
                                     then NULL */
  uint64_t minimum_sequence;      /* a lower one is refused */
  int64_t now;                    /* in seconds since 1970; 0: by the time of the system */
  const char* state; /* a file that keeps the highest sequence seen of each name; NULL: none is */
} crivo_trust;

typedef struct crivo_open_options {
  size_t struct_size;
  crivo_mode mode;
  int verify;               /* read every byte and check it before anything is answered */
  const crivo_trust* trust; /* not NULL: the file must be signed, and every byte is checked first */
  const crivo_mode* data_mode; /* of the data of a store, beside its index; NULL: as `mode` says */
} crivo_open_options;

/* What a signature says that was checked. The caller sets struct_size. */
typedef struct crivo_signature {
  size_t struct_size;
  char key_id[24]; /* 16 hexadecimal digits, as minisign prints them */
  uint64_t sequence;
  int64_t expires; /* in seconds since 1970; 0: never */
} crivo_signature;

/* crivo_verify() of a file or store that must be signed. `signature` may be NULL. */
CRIVO_API crivo_status crivo_verify_signed(const char* path, const crivo_trust* trust,
                                           const crivo_resources* resources,
                                           crivo_signature* signature);

/* How a file is signed. */
typedef struct crivo_sign_options {
  size_t struct_size;
  const char* secret_key; /* the path of the file of a secret key of minisign */
  const char* password;   /* of an encrypted key, in UTF-8; else NULL */
  uint64_t sequence;      /* counts what was published under the name */
  int64_t expires; /* in seconds since 1970: readers refuse the file from then on; 0: never */
  int replace;     /* a signature that is there */
} crivo_sign_options;

/* Verifies a file or a store and writes its signature, FILE.minisig or DIR/index.crv.minisig, as
 * sign() of crivo/build/ship.hpp. `signature`, of which the caller sets struct_size, may be
 * NULL. */
CRIVO_API crivo_status crivo_sign(const char* path, const crivo_sign_options* options,
                                  const crivo_resources* resources, crivo_signature* signature);

/* What a file holds. The caller sets struct_size. */
typedef struct crivo_info {
  size_t struct_size;
  char kind[16];      /* mphf, filter, map, store, or part */
  char algorithm[32]; /* MPHF or map algorithm, or filter type */
  uint64_t keys;
  uint64_t bytes; /* of all files */
  uint64_t seed;
  double fpr; /* as designed; -1 where there is none */
  unsigned signature_bits;
  unsigned value_bits;     /* of a map */
  char value_type[16];     /* of a map: unsigned, signed or decimal */
  unsigned scale;          /* of decimals */
  char hash[16];           /* of the keys: xxh3, siphash, ... */
  char format_version[16]; /* "0.1" */
  char digest[72];         /* hex */
} crivo_info;

/* Opens `path` as a lookup would and says what is in it, without reading its bulk. */
CRIVO_API crivo_status crivo_inspect(const char* path, crivo_info* info);
/* Calls use(context, name, value) for each note that the file was built with, by name. */
typedef void (*crivo_use_note)(void* context, const char* name, const char* value);
CRIVO_API crivo_status crivo_inspect_notes(const char* path, crivo_use_note use, void* context);
/* Reads every byte of `path`, a file or a store, and checks it: CRIVO_STATUS_CORRUPT says what is
 * damaged.
 */
CRIVO_API crivo_status crivo_verify(const char* path, const crivo_resources* resources);
/* That, and that the file answers rightly for a key set that should be its own (`values`: those of
 * a map are in the input): otherwise CRIVO_STATUS_MISMATCH. `keys` (may be NULL) is the number of
 * distinct ones. */
CRIVO_API crivo_status crivo_verify_keys(const char* path, const crivo_input* input, int values,
                                         const crivo_resources* resources, uint64_t* keys);

/* ---- Hashes of keys -------------------------------------------------------------------------- */

/* A key's hash, for who looks a key up in several structures and hashes it once. Made by one of
 * them, and taken by every structure that was built with the same seed and key hash; any other
 * refuses it with CRIVO_STATUS_USAGE. Its bits are neither to be stored nor to be taken for random.
 */
typedef struct crivo_hash {
  uint64_t bits[3];
} crivo_hash;

/* ---- Minimal perfect hash functions: key -> rank --------------------------------------------- */

typedef struct crivo_mphf crivo_mphf;

/* What a lookup answers in the place of a rank for a key that is surely not in the set. */
#define CRIVO_NO_RANK UINT64_MAX

/* Maps a file. Replace an index by renaming over it, never in place. */
CRIVO_API crivo_status crivo_mphf_open(const char* path, const crivo_open_options* options,
                                       crivo_mphf** mphf);
/* The bytes of such a file, at any alignment, which must outlive the handle unless the mode is
 * CRIVO_MODE_COPY. */
CRIVO_API crivo_status crivo_mphf_open_bytes(const void* data, size_t size,
                                             const crivo_open_options* options, crivo_mphf** mphf);
CRIVO_API void crivo_mphf_close(crivo_mphf* mphf);
/* n, the number of keys. */
CRIVO_API uint64_t crivo_mphf_size(const crivo_mphf* mphf);
CRIVO_API crivo_status crivo_mphf_info(const crivo_mphf* mphf, crivo_info* info);
CRIVO_API crivo_status crivo_mphf_verify(const crivo_mphf* mphf, const crivo_resources* resources);
/* The rank of a key, in [0, n), or CRIVO_NO_RANK. */
CRIVO_API uint64_t crivo_mphf_lookup(const crivo_mphf* mphf, const void* key, size_t size);
/* The same of the key of a number's 8 bytes, the lowest first. */
CRIVO_API uint64_t crivo_mphf_lookup_number(const crivo_mphf* mphf, uint64_t key);
/* The hash of a key, and the lookup by such a hash. */
CRIVO_API crivo_hash crivo_mphf_hash(const crivo_mphf* mphf, const void* key, size_t size);
CRIVO_API crivo_status crivo_mphf_lookup_hash(const crivo_mphf* mphf, const crivo_hash* hash,
                                              uint64_t* rank);
/* ranks[i] = that of key i, for many: the cache misses of a block of keys overlap. There is room
 * for keys->count of them, as for what other batches write. */
CRIVO_API crivo_status crivo_mphf_lookup_many(const crivo_mphf* mphf, const crivo_keys* keys,
                                              uint64_t* ranks);

/* ---- Filters: key -> maybe or absent --------------------------------------------------------- */

typedef struct crivo_filter crivo_filter;

CRIVO_API crivo_status crivo_filter_open(const char* path, const crivo_open_options* options,
                                         crivo_filter** filter);
CRIVO_API crivo_status crivo_filter_open_bytes(const void* data, size_t size,
                                               const crivo_open_options* options,
                                               crivo_filter** filter);
CRIVO_API void crivo_filter_close(crivo_filter* filter);
CRIVO_API uint64_t crivo_filter_size(const crivo_filter* filter);
/* The designed false-positive rate. */
CRIVO_API double crivo_filter_fpr(const crivo_filter* filter);
CRIVO_API crivo_status crivo_filter_info(const crivo_filter* filter, crivo_info* info);
CRIVO_API crivo_status crivo_filter_verify(const crivo_filter* filter,
                                           const crivo_resources* resources);
/* 0: the key is surely not in the set. 1: it is, or it is a false positive. */
CRIVO_API int crivo_filter_contains(const crivo_filter* filter, const void* key, size_t size);
CRIVO_API int crivo_filter_contains_number(const crivo_filter* filter, uint64_t key);
CRIVO_API crivo_hash crivo_filter_hash(const crivo_filter* filter, const void* key, size_t size);
CRIVO_API crivo_status crivo_filter_contains_hash(const crivo_filter* filter,
                                                  const crivo_hash* hash, int* contains);
/* Whether it contains the key or a text behind a delimiter in it, such as a domain above the host
 * that a key is: *begin says where in the key the longest such text begins. It may be NULL. */
CRIVO_API int crivo_filter_contains_suffix(const crivo_filter* filter, const void* key, size_t size,
                                           char delimiter, size_t* begin);
/* answers[i] = that of key i. */
CRIVO_API crivo_status crivo_filter_contains_many(const crivo_filter* filter,
                                                  const crivo_keys* keys, uint8_t* answers);
/* Whether it answers ranges: of type range. There a number stands for itself, and a text of at most
 * 8 bytes for the number of its bytes, the highest first. */
CRIVO_API int crivo_filter_takes_ranges(const crivo_filter* filter);
/* *contains = 0: no key is from `low` to `high`; 1: there may be one, which is also said of ranges
 * of more than 2^24 numbers. CRIVO_STATUS_USAGE for a filter that does not take ranges. */
CRIVO_API crivo_status crivo_filter_contains_range(const crivo_filter* filter, uint64_t low,
                                                   uint64_t high, int* contains);
/* answers[i] = that of the range from lows[i] to highs[i]. */
CRIVO_API crivo_status crivo_filter_contains_ranges(const crivo_filter* filter,
                                                    const uint64_t* lows, const uint64_t* highs,
                                                    size_t count, uint8_t* answers);
/* How often a key was added, or more; 0 or 1 for a filter without counters. */
CRIVO_API uint64_t crivo_filter_count(const crivo_filter* filter, const void* key, size_t size);
CRIVO_API uint64_t crivo_filter_count_number(const crivo_filter* filter, uint64_t key);

typedef struct crivo_edit_options {
  size_t struct_size;
  int ignore_duplicates;
  int overfill; /* add keys even beyond twice the rate that the filter was built for */
  const crivo_resources* resources;
} crivo_edit_options;

/* Add the keys of the input to a filter file, or remove them from it, all or none: the changed file
 * takes the place of the old one at once. CRIVO_STATUS_USAGE if the filter's type cannot. */
CRIVO_API crivo_status crivo_filter_add(const char* path, const crivo_input* input,
                                        const crivo_edit_options* options);
CRIVO_API crivo_status crivo_filter_remove(const char* path, const crivo_input* input,
                                           const crivo_edit_options* options);
/* Write the filter of all keys of the filters (two or more, bloom filters of equal parameters and
 * seed), or of those keys that each of them holds. */
CRIVO_API crivo_status crivo_filter_unite(const char* const* paths, size_t count,
                                          const char* output, int replace);
CRIVO_API crivo_status crivo_filter_intersect(const char* const* paths, size_t count,
                                              const char* output, int replace);

/* ---- Filters of hashes: a hash of the program's own -> maybe or absent ----------------------- */

/* For who keeps filters in files of his own, and hashes keys himself: HashFilter of
 * crivo/filter.hpp and build_filter_hashes() of crivo/build/build.hpp. */
typedef struct crivo_hash_filter_options {
  size_t struct_size;
  const char* type; /* ribbon (NULL), fuse, split-block-bloom or bloom */
  double fpr;       /* the highest rate to allow; 0: 1/256 */
} crivo_hash_filter_options;

/* The room in bytes that the filter of so many hashes needs. `options` may be NULL, here and
 * below. */
CRIVO_API crivo_status crivo_filter_hashes_bytes(size_t count,
                                                 const crivo_hash_filter_options* options,
                                                 size_t* bytes);
/* Writes the filter of `count` hashes, 64 bits as good as random, in any order and repeated at
 * will, into `memory`, which has room for `room` bytes, and tells how many it takes. One thread, no
 * files; split-block-bloom and bloom allocate nothing. CRIVO_STATUS_USAGE where the room is too
 * small. */
CRIVO_API crivo_status crivo_filter_build_hashes(const uint64_t* hashes, size_t count,
                                                 const crivo_hash_filter_options* options,
                                                 void* memory, size_t room, size_t* bytes);

typedef struct crivo_hash_filter crivo_hash_filter;

/* Opens those bytes, at any alignment, which must outlive the handle. */
CRIVO_API crivo_status crivo_hash_filter_open(const void* data, size_t size,
                                              crivo_hash_filter** filter);
CRIVO_API void crivo_hash_filter_close(crivo_hash_filter* filter);
CRIVO_API uint64_t crivo_hash_filter_size(const crivo_hash_filter* filter);
CRIVO_API double crivo_hash_filter_fpr(const crivo_hash_filter* filter);
/* 0: the hash is surely not in the set. 1: it is, or it is a false positive. */
CRIVO_API int crivo_hash_filter_contains(const crivo_hash_filter* filter, uint64_t hash);
/* answers[i] = that of hashes[i]. */
CRIVO_API crivo_status crivo_hash_filter_contains_many(const crivo_hash_filter* filter,
                                                       const uint64_t* hashes, size_t count,
                                                       uint8_t* answers);

/* ---- Exact sets: key -> member, other or outside --------------------------------------------- */

typedef struct crivo_exact crivo_exact;

typedef enum crivo_exact_answer {
  CRIVO_EXACT_ANSWER_OTHER = 0,   /* in the universe, and no member */
  CRIVO_EXACT_ANSWER_MEMBER = 1,  /* a member */
  CRIVO_EXACT_ANSWER_OUTSIDE = 2, /* of a group that the universe lacks */
  CRIVO_EXACT_ANSWER_DAMAGED = 3  /* nobody can tell: bytes that it rests on fail their sum */
} crivo_exact_answer;

CRIVO_API crivo_status crivo_exact_open(const char* path, const crivo_open_options* options,
                                        crivo_exact** exact);
CRIVO_API crivo_status crivo_exact_open_bytes(const void* data, size_t size,
                                              const crivo_open_options* options,
                                              crivo_exact** exact);
/* Where another file has taken the place of the set or chain that was opened by its path, opens
 * that as a handle of its own: lookups in the old one go on until it is closed. `*newer` is NULL
 * where nothing is new, and of bytes. On failure the old one stays what it is. */
CRIVO_API crivo_status crivo_exact_newer(const crivo_exact* exact, crivo_exact** newer);
CRIVO_API void crivo_exact_close(crivo_exact* exact);
/* The number of members. */
CRIVO_API uint64_t crivo_exact_size(const crivo_exact* exact);
/* The keys of the universe that was read, repeats counted. */
CRIVO_API uint64_t crivo_exact_universe_size(const crivo_exact* exact);
/* The number of groups; 0 of a set without. */
CRIVO_API uint64_t crivo_exact_groups(const crivo_exact* exact);
/* The designed rate of keys outside the universe that are taken for members. */
CRIVO_API double crivo_exact_outside_rate(const crivo_exact* exact);
/* Whether the universe covers that epoch: 0 or 1. */
CRIVO_API int crivo_exact_covers(const crivo_exact* exact, const char* name, uint64_t value);
CRIVO_API crivo_status crivo_exact_info(const crivo_exact* exact, crivo_info* info);
CRIVO_API crivo_status crivo_exact_verify(const crivo_exact* exact,
                                          const crivo_resources* resources);
/* Of a set without groups; in one with groups every key is outside. */
CRIVO_API crivo_exact_answer crivo_exact_contains(const crivo_exact* exact, const void* key,
                                                  size_t size);
CRIVO_API crivo_exact_answer crivo_exact_contains_number(const crivo_exact* exact, uint64_t key);
/* Of a set with groups; in one without, the group is not looked at. */
CRIVO_API crivo_exact_answer crivo_exact_contains_in(const crivo_exact* exact, const void* group,
                                                     size_t group_size, const void* key,
                                                     size_t size);
/* The same of a key of an epoch, a name and a number: outside unless the universe covers it. */
CRIVO_API crivo_exact_answer crivo_exact_contains_at(const crivo_exact* exact, const void* group,
                                                     size_t group_size, const void* key,
                                                     size_t size, const char* epoch,
                                                     uint64_t value);
/* The answer for a key or, where that is not a member, for the longest text behind a delimiter in
 * it that is one, such as a domain above the host that a key is: *begin says where in the key that
 * text begins. `begin` and, of a set without groups, `group` may be NULL. */
CRIVO_API crivo_exact_answer crivo_exact_contains_suffix(const crivo_exact* exact,
                                                         const void* group, size_t group_size,
                                                         const void* key, size_t size,
                                                         char delimiter, size_t* begin);
/* answers[i] = that of key i, a crivo_exact_answer; all keys are of one group, which may be NULL
 * where there are none. */
CRIVO_API crivo_status crivo_exact_contains_many(const crivo_exact* exact, const void* group,
                                                 size_t group_size, const crivo_keys* keys,
                                                 uint8_t* answers);
/* The same of key i in the group i; there are as many groups as keys. */
CRIVO_API crivo_status crivo_exact_contains_pairs(const crivo_exact* exact,
                                                  const crivo_keys* groups, const crivo_keys* keys,
                                                  uint8_t* answers);

/* One group, for many lookups; it keeps what was open when it was made. Of a set without groups the
 * name is not looked at. */
typedef struct crivo_exact_group crivo_exact_group;

CRIVO_API crivo_status crivo_exact_group_of(const crivo_exact* exact, const void* name, size_t size,
                                            crivo_exact_group** group);
CRIVO_API void crivo_exact_group_free(crivo_exact_group* group);
CRIVO_API crivo_exact_answer crivo_exact_group_contains(const crivo_exact_group* group,
                                                        const void* key, size_t size);
CRIVO_API crivo_status crivo_exact_group_contains_many(const crivo_exact_group* group,
                                                       const crivo_keys* keys, uint8_t* answers);

/* ---- Changes of indexes of rows ---------------------------------------------------------------
 */

typedef struct crivo_rows_edit {
  size_t struct_size;
  const char* const* removed; /* names of files that are in the index and are no more */
  size_t removed_count;
  const char* snapshot;   /* a name for what the table is now, or NULL */
  const char* row_groups; /* those of the new files, as the choice of crivo_build(); or NULL */
  int check_files;        /* as the choice; it is so anyway where the index knows its files */
} crivo_rows_edit;

/* What a change of an index of rows wrote. The caller sets struct_size. */
typedef struct crivo_rows_change {
  size_t struct_size;
  uint64_t bytes; /* of the chain with its layers */
  uint64_t layers;
  uint64_t keys;  /* of all layers */
  uint64_t added; /* keys */
  uint64_t files; /* that are not removed */
  uint64_t removed_files;
  char state[72]; /* hex */
} crivo_rows_change;

/* Builds a layer of the rows of new files, as crivo_build("rows") would, and writes the chain of
 * the layers of `rows` (an index, or a chain of some) and that one to `chain`; where that is `rows`
 * itself, it is replaced at once. Of `options` the seed says nothing. `edit`, `options` and
 * `change` may be NULL. CRIVO_STATUS_BAD_INPUT for a file that the index has, unless it is removed
 * in the same step, and for one to be removed that it does not have; otherwise it fails as
 * crivo_build() does. */
CRIVO_API crivo_status crivo_rows_add(const char* rows, const crivo_input* pairs, const char* chain,
                                      const crivo_rows_edit* edit,
                                      const crivo_build_options* options,
                                      crivo_rows_change* change);
/* Removes files alone, likewise. */
CRIVO_API crivo_status crivo_rows_remove(const char* rows, const char* chain,
                                         const crivo_rows_edit* edit,
                                         const crivo_build_options* options,
                                         crivo_rows_change* change);
/* Builds a chain anew as one layer, of the rows of all its files, since no index holds its keys.
 * CRIVO_STATUS_BAD_INPUT too where `pairs` has a file that the chain does not have, or none of one
 * that it has. */
CRIVO_API crivo_status crivo_rows_compact(const char* chain, const crivo_input* pairs,
                                          const crivo_rows_edit* edit,
                                          const crivo_build_options* options,
                                          crivo_rows_change* change);

/* ---- Changes of filter sets ------------------------------------------------------------------ */

typedef struct crivo_filterset_edit {
  size_t struct_size;
  const char* const* removed; /* names of groups that are in the set and are no more */
  size_t removed_count;
  const char* snapshot; /* a name for what the set is now, or NULL */
} crivo_filterset_edit;

/* What a change of a filter set wrote. The caller sets struct_size. */
typedef struct crivo_filterset_change {
  size_t struct_size;
  uint64_t bytes; /* of the chain with its layers */
  uint64_t layers;
  uint64_t keys;   /* of all layers */
  uint64_t added;  /* keys */
  uint64_t groups; /* that are not removed */
  uint64_t removed_groups;
  char state[72]; /* hex */
} crivo_filterset_change;

/* Builds a layer of new groups, as crivo_build("filterset") would, and writes the chain of the
 * layers of `set` (a filter set, or a chain of some) and that one to `chain`, as crivo_rows_add()
 * does. Type, rate, seed and hash are those of the set. CRIVO_STATUS_BAD_INPUT for a group that the
 * set has, unless it is removed in the same step, and for one to be removed that it does not have;
 * CRIVO_STATUS_USAGE where the notes of `options` lack the form of keys that the set notes,
 * crivo.with.keys. */
CRIVO_API crivo_status crivo_filterset_add(const char* set, const crivo_input* pairs,
                                           const char* chain, const crivo_filterset_edit* edit,
                                           const crivo_build_options* options,
                                           crivo_filterset_change* change);
/* Removes groups alone, likewise. Their names may come back. */
CRIVO_API crivo_status crivo_filterset_remove(const char* set, const char* chain,
                                              const crivo_filterset_edit* edit,
                                              const crivo_build_options* options,
                                              crivo_filterset_change* change);
/* Puts the filters of all groups into one layer, as they are: no keys are needed. Where groups were
 * removed, its number of keys is estimated. */
CRIVO_API crivo_status crivo_filterset_compact(const char* chain, const crivo_filterset_edit* edit,
                                               const crivo_build_options* options,
                                               crivo_filterset_change* change);

/* ---- Deltas and chains of exact sets and filters ---------------------------------------------
 */

typedef struct crivo_delta_options {
  size_t struct_size;
  const char* group_delimiter; /* of a set with groups: a key begins with the name of its group, up
                                  to this character; NULL: its record is the name */
  const char* covers;          /* NAME=LOW:HIGH, with commas between; NULL: as before */
  int strict;                  /* refuse members that are not in the universe */
} crivo_delta_options;

/* Writes the delta after which the set or chain at `set` has these members, which have their
 * universe (crivo_input_universe), and no others of it. `delta`, `options` and `summary` may be
 * NULL; of `options` the seed says nothing. Fails as crivo_build() does, and with
 * CRIVO_STATUS_CORRUPT. */
CRIVO_API crivo_status crivo_build_delta(const char* set, const crivo_input* members,
                                         const crivo_output* output,
                                         const crivo_delta_options* delta,
                                         const crivo_build_options* options,
                                         crivo_summary* summary);

typedef struct crivo_filter_delta_options {
  size_t struct_size;
  double
      fpr; /* the highest rate of what is added; 0: such that a chain's is below twice its base's */
} crivo_filter_delta_options;

/* Builds a shard's part of the delta that crivo_build_delta() would write for the set or chain at
 * `set`, of a directory of the members with their universe, which were dealt out with the seed of
 * the set (crivo_partition_keys). crivo_merge_parts() joins the parts. */
CRIVO_API crivo_status crivo_build_delta_part(const char* set, const char* directory,
                                              crivo_share shard, const char* output,
                                              const crivo_delta_options* delta,
                                              const crivo_build_options* options,
                                              crivo_summary* summary);

/* Writes the delta after which the filter, or chain of one, at `filter` holds the keys of the
 * input, too. What it holds, or seems to hold, already is left out. `delta`, `options` and
 * `summary` may be NULL; of `options` the seed says nothing. Fails as crivo_build() does, and with
 * CRIVO_STATUS_CORRUPT. */
CRIVO_API crivo_status crivo_build_filter_delta(const char* filter, const crivo_input* added,
                                                const crivo_output* output,
                                                const crivo_filter_delta_options* delta,
                                                const crivo_build_options* options,
                                                crivo_summary* summary);

/* What became of deltas. The caller sets struct_size. */
typedef struct crivo_delta_summary {
  size_t struct_size;
  uint64_t bytes;       /* of the delta; of a chain with its base and deltas */
  uint64_t base_bytes;  /* of a chain */
  uint64_t delta_bytes; /* of a chain */
  uint64_t deltas;      /* a joined one counts for those that it is made of */
  uint64_t flips;       /* keys whose answers change; none of a filter */
  uint64_t members;     /* of the set after them, or keys of the filter */
  char state[72];       /* hex; what the next delta must follow */
  double fpr;           /* of a chain of a filter: of its base and all that was added */
  int rebase; /* of a chain: a new base serves better, as the deltas take more than a quarter of it,
                 or a filter errs more than twice as often */
} crivo_delta_summary;

/* Joins deltas that follow each other to one that leads to the same state. `summary` may be NULL.
 * CRIVO_STATUS_CORRUPT for a delta that does not follow the one before it. */
CRIVO_API crivo_status crivo_squash_deltas(const char* const* deltas, size_t count,
                                           const char* output, int replace,
                                           crivo_delta_summary* summary);

typedef struct crivo_apply_options {
  size_t struct_size;
  int replace;              /* an output that exists, and is not the chain to be lengthened */
  const crivo_trust* trust; /* not NULL: the base and the deltas must be signed */
} crivo_apply_options;

/* Writes the chain of a set or filter, or of the files of a chain, and of these deltas:
 * crivo_exact_open() or crivo_filter_open() opens it by its path. Where `output` is the chain
 * itself, it is replaced at once. Its files must be in its folder or below. `options` and `summary`
 * may be NULL. CRIVO_STATUS_CORRUPT for a delta that does not follow, or is not signed as it should
 * be. */
CRIVO_API crivo_status crivo_apply_deltas(const char* set, const char* const* deltas, size_t count,
                                          const char* output, const crivo_apply_options* options,
                                          crivo_delta_summary* summary);

/* ---- Static maps: key -> number -------------------------------------------------------------- */

typedef struct crivo_map crivo_map;

/* What a key got, of a map or a store. */
typedef enum crivo_answer {
  CRIVO_ANSWER_ABSENT = 0, /* surely not in the set; of a store exactly, since keys are compared */
  CRIVO_ANSWER_FOUND = 1,  /* of a map without signatures also what is not in the set */
  CRIVO_ANSWER_DAMAGED = 2 /* nobody can tell: bytes that the answer rests on fail their sum */
} crivo_answer;

CRIVO_API crivo_status crivo_map_open(const char* path, const crivo_open_options* options,
                                      crivo_map** map);
CRIVO_API crivo_status crivo_map_open_bytes(const void* data, size_t size,
                                            const crivo_open_options* options, crivo_map** map);
CRIVO_API void crivo_map_close(crivo_map* map);
CRIVO_API uint64_t crivo_map_size(const crivo_map* map);
CRIVO_API crivo_status crivo_map_info(const crivo_map* map, crivo_info* info);
CRIVO_API crivo_status crivo_map_verify(const crivo_map* map, const crivo_resources* resources);
/* The value of a key, or CRIVO_ANSWER_ABSENT or CRIVO_ANSWER_DAMAGED and the value 0. */
CRIVO_API crivo_answer crivo_map_lookup(const crivo_map* map, const void* key, size_t size,
                                        uint64_t* value);
CRIVO_API crivo_answer crivo_map_lookup_number(const crivo_map* map, uint64_t key, uint64_t* value);
CRIVO_API crivo_hash crivo_map_hash(const crivo_map* map, const void* key, size_t size);
CRIVO_API crivo_status crivo_map_lookup_hash(const crivo_map* map, const crivo_hash* hash,
                                             crivo_answer* answer, uint64_t* value);
/* present[i], a crivo_answer, and values[i] = those of key i. CRIVO_STATUS_CORRUPT where some are
 * CRIVO_ANSWER_DAMAGED: the others are as they should be. */
CRIVO_API crivo_status crivo_map_lookup_many(const crivo_map* map, const crivo_keys* keys,
                                             uint64_t* values, uint8_t* present);

/* ---- Indexes of rows: key -> file, row group, row -------------------------------------------- */

typedef struct crivo_rows crivo_rows;

/* Where a key is. */
typedef struct crivo_row {
  uint64_t file;  /* the number of a file: crivo_rows_file() has its name */
  uint64_t group; /* the file's row group, from 0; UINT64_MAX where row groups are not known */
  uint64_t row;   /* the file's row, from 0 */
} crivo_row;

CRIVO_API crivo_status crivo_rows_open(const char* path, const crivo_open_options* options,
                                       crivo_rows** rows);
CRIVO_API crivo_status crivo_rows_open_bytes(const void* data, size_t size,
                                             const crivo_open_options* options, crivo_rows** rows);
CRIVO_API void crivo_rows_close(crivo_rows* rows);
/* The number of keys. */
CRIVO_API uint64_t crivo_rows_size(const crivo_rows* rows);
/* The number of files, and the name of each below it, which lives as long as the handle; of any
 * other number no bytes. */
CRIVO_API uint64_t crivo_rows_files(const crivo_rows* rows);
CRIVO_API crivo_bytes crivo_rows_file(const crivo_rows* rows, uint64_t file);
CRIVO_API crivo_status crivo_rows_info(const crivo_rows* rows, crivo_info* info);
CRIVO_API crivo_status crivo_rows_verify(const crivo_rows* rows, const crivo_resources* resources);
/* The row of a key, or CRIVO_ANSWER_ABSENT or CRIVO_ANSWER_DAMAGED; in a chain that of the newest
 * layer that has one. Of the keys outside the set all
 * but 2^-signature_bits are absent. */
CRIVO_API crivo_answer crivo_rows_lookup(const crivo_rows* rows, const void* key, size_t size,
                                         crivo_row* row);
CRIVO_API crivo_answer crivo_rows_lookup_number(const crivo_rows* rows, uint64_t key,
                                                crivo_row* row);
/* All rows that a key may be in, the newest layer's first: at most one of each layer, unless keys
 * stand in several (`many`). `*count` is how many there are, of which found has the first `room`.
 * CRIVO_ANSWER_DAMAGED where a layer cannot tell. */
CRIVO_API crivo_answer crivo_rows_lookup_all(const crivo_rows* rows, const void* key, size_t size,
                                             crivo_row* found, size_t room, size_t* count);
/* answers[i], a crivo_answer, and found[i] = those of key i. CRIVO_STATUS_CORRUPT where some are
 * CRIVO_ANSWER_DAMAGED: the others are as they should be. */
CRIVO_API crivo_status crivo_rows_lookup_many(const crivo_rows* rows, const crivo_keys* keys,
                                              crivo_row* found, uint8_t* answers);
/* All rows of many keys, one key's behind those of the one before: those of key i end before
 * ends[i]. `*count` is how many there are, of which found has the first `room`.
 * CRIVO_STATUS_CORRUPT where those of some key cannot be told. */
CRIVO_API crivo_status crivo_rows_lookup_lists(const crivo_rows* rows, const crivo_keys* keys,
                                               crivo_row* found, size_t room, uint64_t* ends,
                                               size_t* count);

/* ---- Filter sets: group -> a filter of its keys -----------------------------------------------
 */

typedef struct crivo_filterset crivo_filterset;

CRIVO_API crivo_status crivo_filterset_open(const char* path, const crivo_open_options* options,
                                            crivo_filterset** set);
CRIVO_API crivo_status crivo_filterset_open_bytes(const void* data, size_t size,
                                                  const crivo_open_options* options,
                                                  crivo_filterset** set);
CRIVO_API void crivo_filterset_close(crivo_filterset* set);
/* The number of keys of all groups: one that is in two counts twice. Of a chain also those of
 * removed groups; about that where groups were removed before it was compacted. */
CRIVO_API uint64_t crivo_filterset_size(const crivo_filterset* set);
/* The number of groups, and the name of each below it, which lives as long as the handle; of any
 * other number no bytes. Names ascend, byte by byte. */
CRIVO_API uint64_t crivo_filterset_groups(const crivo_filterset* set);
CRIVO_API crivo_bytes crivo_filterset_name(const crivo_filterset* set, uint64_t group);
/* The number of the group of that name; UINT64_MAX where there is none. */
CRIVO_API uint64_t crivo_filterset_find(const crivo_filterset* set, const void* name, size_t size);
CRIVO_API crivo_status crivo_filterset_info(const crivo_filterset* set, crivo_info* info);
CRIVO_API crivo_status crivo_filterset_verify(const crivo_filterset* set,
                                              const crivo_resources* resources);
/* Whether the group may hold the key; false where there is no such group. */
CRIVO_API int crivo_filterset_contains(const crivo_filterset* set, uint64_t group, const void* key,
                                       size_t size);
/* answers[i], 0 or 1: whether the group may hold key i. */
CRIVO_API crivo_status crivo_filterset_contains_many(const crivo_filterset* set, uint64_t group,
                                                     const crivo_keys* keys, uint8_t* answers);
/* Bitmaps of all groups, one a key behind the other, each of (groups + 63) / 64 words: bit g % 64
 * of word g / 64 is whether group g may hold the key. */
CRIVO_API crivo_status crivo_filterset_groups_of(const crivo_filterset* set, const crivo_keys* keys,
                                                 uint64_t* bitmaps);
/* Adds to counts[g], of each group, how many of the keys it may hold. */
CRIVO_API crivo_status crivo_filterset_count(const crivo_filterset* set, const crivo_keys* keys,
                                             uint32_t* counts);

/* ---- Dictionaries: key <-> id, its rank in byte order -----------------------------------------
 */

typedef struct crivo_dictionary crivo_dictionary;

CRIVO_API crivo_status crivo_dictionary_open(const char* path, const crivo_open_options* options,
                                             crivo_dictionary** dictionary);
CRIVO_API crivo_status crivo_dictionary_open_bytes(const void* data, size_t size,
                                                   const crivo_open_options* options,
                                                   crivo_dictionary** dictionary);
CRIVO_API void crivo_dictionary_close(crivo_dictionary* dictionary);
CRIVO_API uint64_t crivo_dictionary_size(const crivo_dictionary* dictionary);
CRIVO_API crivo_status crivo_dictionary_info(const crivo_dictionary* dictionary, crivo_info* info);
CRIVO_API crivo_status crivo_dictionary_verify(const crivo_dictionary* dictionary,
                                               const crivo_resources* resources);
/* The id of a key, UINT64_MAX, or UINT64_MAX - 1 where the bytes that tell it are damaged. */
CRIVO_API uint64_t crivo_dictionary_lookup(const crivo_dictionary* dictionary, const void* key,
                                           size_t size);
/* ids[i] = that of key i, likewise. */
CRIVO_API crivo_status crivo_dictionary_lookup_many(const crivo_dictionary* dictionary,
                                                    const crivo_keys* keys, uint64_t* ids);
/* Whether the dictionary has hashed ids, by which these two find an id several times faster: 1 or
 * 0. The text of a key is not compared, so that one in 256 texts that are no keys gets some id.
 * CRIVO_STATUS_USAGE where there are none. */
CRIVO_API int crivo_dictionary_has_hashed(const crivo_dictionary* dictionary);
CRIVO_API crivo_status crivo_dictionary_lookup_hashed(const crivo_dictionary* dictionary,
                                                      const void* key, size_t size, uint64_t* id);
CRIVO_API crivo_status crivo_dictionary_lookup_hashed_many(const crivo_dictionary* dictionary,
                                                           const crivo_keys* keys, uint64_t* ids);
/* The length of the longest key. */
CRIVO_API size_t crivo_dictionary_longest_key(const crivo_dictionary* dictionary);
/* Writes the key of an id to `buffer`, which has room for the longest key, and its length to
   `size`: CRIVO_ANSWER_ABSENT for an id of no key, CRIVO_ANSWER_DAMAGED where the file is damaged.
 */
CRIVO_API crivo_answer crivo_dictionary_key(const crivo_dictionary* dictionary, uint64_t id,
                                            void* buffer, size_t* size);
/* The keys of `count` ids, one after the other in `buffer`, as CRIVO_LAYOUT_OFFSETS has them:
 * writes count + 1 ends, and to `written` how many keys: all, or those before which the longest
 * key's bytes were left of `room`. CRIVO_STATUS_USAGE for an id of no key. */
CRIVO_API crivo_status crivo_dictionary_key_many(const crivo_dictionary* dictionary,
                                                 const uint64_t* ids, size_t count, void* buffer,
                                                 size_t room, uint64_t* ends, size_t* written);
/* The number beside the key of an id, as crivo_map_lookup() gives it: CRIVO_ANSWER_ABSENT for an id
 * of no key and where there are none, CRIVO_ANSWER_DAMAGED where the file is damaged. */
CRIVO_API crivo_answer crivo_dictionary_value(const crivo_dictionary* dictionary, uint64_t id,
                                              uint64_t* value);
/* present[i], a crivo_answer, and values[i] = those of ids[i]: so `ids` may be what
 * crivo_dictionary_lookup_many() wrote. CRIVO_STATUS_CORRUPT where some are CRIVO_ANSWER_DAMAGED:
 * the others are as they should be. */
CRIVO_API crivo_status crivo_dictionary_value_many(const crivo_dictionary* dictionary,
                                                   const uint64_t* ids, size_t count,
                                                   uint64_t* values, uint8_t* present);
/* The id of the first key at or above a text; the number of keys if all are below; UINT64_MAX - 1
 * where the bytes that tell it are damaged. */
CRIVO_API uint64_t crivo_dictionary_lower_bound(const crivo_dictionary* dictionary,
                                                const void* text, size_t size);
/* The ids of the keys that begin with a text: from `begin` on, and before `end`; both are
 * UINT64_MAX - 1 where the bytes that tell them are damaged. */
CRIVO_API void crivo_dictionary_prefix(const crivo_dictionary* dictionary, const void* text,
                                       size_t size, uint64_t* begin, uint64_t* end);
/* The id of the longest key that a text begins with, and its length; or UINT64_MAX and 0; or
 * UINT64_MAX - 1 and 0 where the bytes that tell it are damaged. */
CRIVO_API uint64_t crivo_dictionary_longest_prefix(const crivo_dictionary* dictionary,
                                                   const void* text, size_t size, size_t* key_size);
/* A key that a text begins with: its id and its length. */
typedef struct crivo_prefix {
  uint64_t id;
  size_t size;
} crivo_prefix;
/* All keys that a text begins with, the longest first: writes the first `room` of them to `found`,
   which may be NULL where there is none; `*count` is how many there are. */
CRIVO_API crivo_status crivo_dictionary_prefixes(const crivo_dictionary* dictionary,
                                                 const void* text, size_t size, crivo_prefix* found,
                                                 size_t room, size_t* count);
/* A key near a text: its id, and how many edits make it of the text. */
typedef struct crivo_near {
  uint64_t id;
  unsigned edits;
} crivo_near;
/* All keys that at most `edits` (0 to 2) edits make of a text, in order. An edit replaces a
   character, leaves one out or puts one in; a character is a code point in UTF-8, or a byte that is
   no part of one. Writes the first `room` of them to `found`, and to `count` how many there are. */
CRIVO_API crivo_status crivo_dictionary_fuzzy(const crivo_dictionary* dictionary, const void* text,
                                              size_t size, unsigned edits, crivo_near* found,
                                              size_t room, size_t* count);

/* ---- Stores: key -> record ------------------------------------------------------------------- */

typedef struct crivo_store crivo_store;
/* One thread's way to the records. */
typedef struct crivo_reader crivo_reader;

/* `path` is a directory, or a manifest (crivo_write_manifest) of a store's parts. */
CRIVO_API crivo_status crivo_store_open(const char* path, const crivo_open_options* options,
                                        crivo_store** store);
/* Its readers may go on. */
CRIVO_API void crivo_store_close(crivo_store* store);
/* Where another build of the store has taken this one's place in the directory, opens that one, as
 * crivo_store_open did; readers that are made from now on also see all updates that were committed.
 * Those made before go on with what they were made of. `renewed` (may be NULL) is 1 if anything is
 * new. Other threads may use the handle meanwhile, but for closing it. If it fails the handle is as
 * it was. */
CRIVO_API crivo_status crivo_store_refresh(crivo_store* store, int* renewed);
/* The number of records. */
CRIVO_API uint64_t crivo_store_size(const crivo_store* store);
CRIVO_API crivo_status crivo_store_info(const crivo_store* store, crivo_info* info);
CRIVO_API crivo_status crivo_store_verify(const crivo_store* store,
                                          const crivo_resources* resources);

/* With the updates that are committed by now, and with none that come later. */
CRIVO_API crivo_status crivo_reader_open(const crivo_store* store, crivo_reader** reader);
/* Another, for another thread, of the same updates as `reader`, in which keys may be looked up
 * meanwhile: threads whose readers are copies of one see the same, whatever is committed. */
CRIVO_API crivo_status crivo_reader_copy(const crivo_reader* reader, crivo_reader** copy);
CRIVO_API void crivo_reader_close(crivo_reader* reader);
/* The record of a key, valid until the reader's next call; where it is not found, no bytes. */
CRIVO_API crivo_answer crivo_reader_find(crivo_reader* reader, const void* key, size_t size,
                                         crivo_bytes* record);
CRIVO_API crivo_answer crivo_reader_find_number(crivo_reader* reader, uint64_t key,
                                                crivo_bytes* record);

/* By the key and its hash, which any reader of the store takes. */
CRIVO_API crivo_hash crivo_store_hash(const crivo_store* store, const void* key, size_t size);
CRIVO_API crivo_status crivo_reader_find_hash(crivo_reader* reader, const void* key, size_t size,
                                              const crivo_hash* hash, crivo_answer* answer,
                                              crivo_bytes* record);

/* Called with the answer for key `index`; the record is valid during the call. Anything but 0 ends
 * the search with CRIVO_STATUS_CANCELLED. */
typedef int (*crivo_visit)(void* context, size_t index, crivo_answer answer, crivo_bytes record);

/* Calls `visit` for each key, in order. */
CRIVO_API crivo_status crivo_reader_find_many(crivo_reader* reader, const crivo_keys* keys,
                                              crivo_visit visit, void* context);
/* For many keys (10^4 and more): calls `visit` for each, once and in no order, from `threads`
 * threads at once (0: one per core), and decompresses each block of records once. */
CRIVO_API crivo_status crivo_store_find_all(const crivo_store* store, const crivo_keys* keys,
                                            unsigned threads, crivo_visit visit, void* context);

/* Called with a key and its record, which are valid during the call. Anything but 0 ends the walk
 * with CRIVO_STATUS_CANCELLED. */
typedef int (*crivo_use_record)(void* context, crivo_bytes key, crivo_bytes record);

/* Calls `use` for every record, in the order of the ranks. Each is checked as it is read, so that
 * CRIVO_STATUS_CORRUPT may come after some of the calls. */
CRIVO_API crivo_status crivo_store_for_each(const crivo_store* store, crivo_use_record use,
                                            void* context);

/* Of an ordered store (build store --ordered), whose ranks are in the order of the keys; of others
 * these are CRIVO_STATUS_USAGE. */
CRIVO_API int crivo_store_is_ordered(const crivo_store* store);
/* The rank of the first key at or above a text; the number of records if all are below. */
CRIVO_API crivo_status crivo_store_lower_bound(const crivo_store* store, const void* text,
                                               size_t size, uint64_t* rank);
/* The ranks of the keys that begin with a text: from `begin` on, and before `end`. */
CRIVO_API crivo_status crivo_store_prefix(const crivo_store* store, const void* text, size_t size,
                                          uint64_t* begin, uint64_t* end);
/* Records in the order of their keys, from any on. One thread's; a store that is refreshed or
 * closed stays as it was for those that are open. */
typedef struct crivo_store_cursor crivo_store_cursor;
CRIVO_API crivo_status crivo_store_cursor_open(const crivo_store* store,
                                               crivo_store_cursor** cursor);
CRIVO_API void crivo_store_cursor_close(crivo_store_cursor* cursor);
/* To the record of a rank, to that of the first key at or above a text, and to the next, or of a
 * new cursor the first: gives key and record, valid until the next call. CRIVO_ANSWER_ABSENT at the
 * end.
 */
CRIVO_API crivo_answer crivo_store_cursor_seek(crivo_store_cursor* cursor, uint64_t rank,
                                               crivo_bytes* key, crivo_bytes* record);
CRIVO_API crivo_answer crivo_store_cursor_seek_key(crivo_store_cursor* cursor, const void* text,
                                                   size_t size, crivo_bytes* key,
                                                   crivo_bytes* record);
CRIVO_API crivo_answer crivo_store_cursor_next(crivo_store_cursor* cursor, crivo_bytes* key,
                                               crivo_bytes* record);

/* What an update did. The caller sets struct_size. */
typedef struct crivo_store_edit {
  size_t struct_size;
  uint64_t given;     /* records or keys of the input */
  uint64_t added;     /* of the records to set, those of keys that had none */
  uint64_t replaced;  /* those of keys that had another one */
  uint64_t unchanged; /* those that their keys had already */
  uint64_t absent;    /* of the keys to remove, those that had no record */
  uint64_t records;   /* that the store has now */
} crivo_store_edit;

/* Give keys, also new ones, of a store records, or remove the records of keys, all or none, while
 * others read it: see Store::Writer in crivo/store.hpp. Of `resources` the progress and the memory
 * count. `edit` may be NULL. CRIVO_STATUS_BAD_INPUT, with the key's place, if it or its record is
 * too long; CRIVO_STATUS_USAGE for a manifest, and a store that is signed. */
CRIVO_API crivo_status crivo_store_set(const char* directory, const crivo_input* input,
                                       const crivo_resources* resources, crivo_store_edit* edit);
CRIVO_API crivo_status crivo_store_remove(const char* directory, const crivo_input* input,
                                          const crivo_resources* resources, crivo_store_edit* edit);

/* What a compaction did. The caller sets struct_size. */
typedef struct crivo_store_compaction {
  size_t struct_size;
  int is_compacted;      /* 0: there were no updates, or not enough of them */
  uint64_t records;      /* that the store has */
  uint64_t bytes_before; /* of all files of the store */
  uint64_t bytes;        /* now */
} crivo_store_compaction;

/* Folds the updates of a store into a fresh generation of it, under its readers, unless the file of
 * updates has at most `above` times the bytes of the data file (0: unless there are none): see
 * compact_store() in crivo/build/edit.hpp. Keys whose records were removed are none of the store
 * any more. `compaction` may be NULL. crivo_warnings() has what there is to say of a success. */
CRIVO_API crivo_status crivo_store_compact(const char* directory, double above,
                                           const crivo_resources* resources,
                                           crivo_store_compaction* compaction);

/* Updates of one thread, key by key: those of a commit become visible at once, to readers that are
 * opened after it. */
typedef struct crivo_store_writer crivo_store_writer;
/* Waits until no other has the store, and keeps others, and builds, waiting while it is open. Of
 * the resources (may be NULL) on_progress counts, which may cancel the wait. */
CRIVO_API crivo_status crivo_store_writer_open(const char* directory,
                                               const crivo_resources* resources,
                                               crivo_store_writer** writer);
/* Drops what was not committed. */
CRIVO_API void crivo_store_writer_close(crivo_store_writer* writer);
/* Gives a key of the store, also one whose record was removed, this record. After
 * CRIVO_STATUS_BAD_INPUT (the key or the record is too long) nothing is
 * changed; after another failure, only _close follows. */
CRIVO_API crivo_status crivo_store_writer_set(crivo_store_writer* writer, const void* key,
                                              size_t size, const void* record, size_t record_size);
/* Takes the record of a key away; `had_record` (may be NULL) is 1 if there was one. */
CRIVO_API crivo_status crivo_store_writer_remove(crivo_store_writer* writer, const void* key,
                                                 size_t size, int* had_record);
/* Makes all since the last commit durable, then visible. If it fails nothing of it is, and only
 * _close follows. */
CRIVO_API crivo_status crivo_store_writer_commit(crivo_store_writer* writer);

/* ---- Files of a server: key -> what an index of any kind answers -------------------------------
 */

/* Lookups in a file of which only what they touch is read, by functions of the program: Remote of
 * crivo/remote.hpp, of an index of any kind. Every byte is checked by the file's hash tree before
 * it is used, and with a crivo_trust up to the root that was signed: a server that lies leads to
 * CRIVO_STATUS_CORRUPT and to no wrong answer. */

/* Bytes of a file that are asked for. */
typedef struct crivo_range {
  uint64_t offset;
  uint64_t length;
  void* data; /* where they are written */
} crivo_range;

/* Both ends of a file that are asked for. The library says where they are written; `length` and
 * `signature_size` are written by the function. */
typedef struct crivo_ends {
  uint64_t length; /* of the file */
  void* head;      /* its first bytes, head_size or all that it has */
  size_t head_size;
  void* tail; /* its last bytes, tail_size or all that it has */
  size_t tail_size;
  char* signature;       /* the text of its .minisig */
  size_t signature_room; /* for that; 0: it is not asked for */
  size_t signature_size; /* 0: there is none */
} crivo_ends;

/* Read a file: both its ends, and ranges that lie within it. Each call should take one round trip.
 * `name` is NULL for the file that is opened, and otherwise that of a file beside it: one of a
 * chain, or the records of a store, whose index is opened. They return 0, or an errno: ENOENT where
 * there is no such file, ECANCELED to end the call with CRIVO_STATUS_CANCELLED; others end it with
 * CRIVO_STATUS_IO. What they write is not trusted. They are called by one thread at a time, which
 * may be another than the one that made the call. */
typedef int (*crivo_read_ends)(void* context, const char* name, crivo_ends* ends);
typedef int (*crivo_read_ranges)(void* context, const char* name, const crivo_range* ranges,
                                 size_t count);

typedef struct crivo_source {
  size_t struct_size;
  crivo_read_ends read_ends;
  crivo_read_ranges read_ranges;
  void* context; /* of both, as long as the file is open */
} crivo_source;

typedef struct crivo_remote_options {
  size_t struct_size;
  const crivo_trust* trust; /* not NULL: the file must be signed. Its name is the last part of the
                               one that it is opened by */
  uint64_t cache_bytes;     /* about so much of each file is kept; 0: 64 MiB */
  /* A folder in which what was read is kept on disk, for the next crivo_remote_open() of any
   * process, at most cache_folder_bytes of it (0: 1 GiB); NULL: nowhere. What it has is compared as
   * what the source gives is. CRIVO_STATUS_IO if it cannot be used. */
  const char* cache_folder;
  uint64_t cache_folder_bytes;
} crivo_remote_options;

/* An open file of a server. Of one thread at a time. */
typedef struct crivo_remote crivo_remote;

/* `name` is what messages call the file, such as its URL. `options` may be NULL. CRIVO_STATUS_USAGE
 * for what cannot be read by parts: a manifest, a file without a hash tree, a store that is not
 * flat or has updates. */
CRIVO_API crivo_status crivo_remote_open(const char* name, const crivo_source* source,
                                         const crivo_remote_options* options,
                                         crivo_remote** remote);
CRIVO_API void crivo_remote_close(crivo_remote* remote);
CRIVO_API crivo_status crivo_remote_info(crivo_remote* remote, crivo_info* info);
/* What the signature says; CRIVO_STATUS_USAGE for a file that was opened without a trust. The
 * caller sets struct_size. */
CRIVO_API crivo_status crivo_remote_signature(const crivo_remote* remote,
                                              crivo_signature* signature);
/* Reads every byte, and compares it with the hash tree. */
CRIVO_API crivo_status crivo_remote_verify(crivo_remote* remote, const crivo_resources* resources);

/* What a key got: the bytes are valid during the call. */
typedef struct crivo_found {
  size_t index;        /* of the key; once more for each further answer, of rows and filter sets */
  crivo_bytes key;     /* as it was asked; of a query, the key that it found */
  crivo_answer answer; /* absent or found */
  /* As `crivo query` writes it: a number in decimal digits, a record, a group's name, "maybe", the
   * place of a row; of an exact set, whose members are found, "member", "other" or "outside". No
   * bytes for what is absent elsewhere. */
  crivo_bytes text;
  crivo_bytes value; /* the number beside a dictionary's key, in decimal digits, or no bytes */
} crivo_found;

/* Anything but 0 ends the call with CRIVO_STATUS_CANCELLED. */
typedef int (*crivo_use_found)(void* context, const crivo_found* found);

/* Calls `use` for each key, in order. A batch takes as many round trips as one key does. In an
 * exact set with groups a key is the name of its group, a TAB and the key. Fails with
 * CRIVO_STATUS_CORRUPT for what is damaged, perhaps after some of the calls, and as the functions
 * of the source do; then it can be called again. */
CRIVO_API crivo_status crivo_remote_find_many(crivo_remote* remote, const crivo_keys* keys,
                                              crivo_use_found use, void* context);
/* Calls `use` for each key of a dictionary or an ordered store that a query is about, with the next
 * index from 0 on. `query` is "prefix" (with one value, a text), "range" (two: from the first on,
 * below the second), "lower-bound" (one); of a dictionary, too, "longest-prefix" and "prefixes-of"
 * (a text that the keys begin), "fuzzy" (the number of edits, 0 to 2, and a text), "ids" (some) and
 * "from-id". Numbers are texts of decimal digits. CRIVO_STATUS_USAGE for others, of other kinds,
 * and with other values; else it fails as crivo_remote_find_many() does. */
CRIVO_API crivo_status crivo_remote_query(crivo_remote* remote, const char* query,
                                          const crivo_keys* values, crivo_use_found use,
                                          void* context);

/* ---- Keys as those of a file were made --------------------------------------------------------
 */

/* The key that a text becomes in a form: "lines", "urls", "urls surt" (com,example)/path),
 * "terms fold" (A to Z as a to z), "terms", "docnos", or "kmers K" (the 8 bytes of the canonical
 * number of K bases; no bytes for another text). A file that was built from a collection has its
 * form in its metadata, as crivo.with.keys. Writes the key to `buffer`, which has room for
 * 3 * size + 8 bytes, and its length to `key_size`. CRIVO_STATUS_USAGE for another form. */
CRIVO_API crivo_status crivo_key_of(const char* form, const void* text, size_t size, void* buffer,
                                    size_t* key_size);

#ifdef __cplusplus
}
#endif

#endif
