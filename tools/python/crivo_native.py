# SPDX-License-Identifier: Apache-2.0
"""What cffi compiles: crivo.h as it stands, and the few loops over Python's objects that would be slow in Python.

The library is the static one of a build directory, which CRIVO_BUILD names (build/release of the tree by default); setup.py puts
the libraries that it needs beside the extension, so that this runs on machines that have none of them; with CRIVO_SYSTEM=1 the shared one that
pkg-config knows, as a distribution has it. Of Python it uses the stable interface of 3.10: one extension for all from there on.
"""

import os
import pathlib
import re
import shlex
import subprocess

from cffi import FFI

HERE = pathlib.Path(__file__).resolve().parent
SYSTEM = os.environ.get("CRIVO_SYSTEM") == "1"


def pkg_config(*words):
    return shlex.split(subprocess.check_output([os.environ.get("PKG_CONFIG", "pkg-config"), *words], text=True))


def header():
    """The text of crivo.h."""
    folders = [HERE.parent.parent / "include"]
    if SYSTEM:
        flags = pkg_config("--cflags-only-I", "--keep-system-cflags", "crivo")
        folders = [pathlib.Path(flag[2:]) for flag in flags] + [pathlib.Path("/usr/include")]
    return next(path for path in (folder / "crivo.h" for folder in folders) if path.exists()).read_text()


def declarations(text):
    """What cffi understands of crivo.h: no comments, no preprocessor, no functions' bodies."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"^static inline .*?^}\n", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r'^extern "C" {\n|^}\n', "", text, flags=re.MULTILINE)
    return text.replace("CRIVO_API ", "")


#: Declared for the C compiler and for cffi.
ARROW = """/* Arrow's C data interface, as its specification has it. */
typedef struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
} ArrowSchema;
typedef struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
} ArrowArray;
typedef struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(struct ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
} ArrowArrayStream;
"""

HELPERS = r"""
#include <crivo.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

""" + ARROW + r"""
/* What the capsule of an object points to; NULL if it is none of this name. */
static void* crivo_py_capsule(void* object, const char* name) {
  const PyGILState_STATE state = PyGILState_Ensure();
  void* const pointer = PyCapsule_GetPointer((PyObject*)object, name);
  if (pointer == NULL) PyErr_Clear();
  PyGILState_Release(state);
  return pointer;
}

/* What Python answers the library, whose threads call the functions below. A thread that enters Python while that ends is
   ended where it stands (until 3.14), which the frames of C++ below it do not outlive: from crivo_py_end() on none goes in,
   and those that come out stop; crivo_py_wait_outside() waits until all have. */
static int crivo_py_progress(void* context, const crivo_progress* progress);
static int crivo_py_next(void* context, crivo_writer* writer);
static void crivo_py_note(void* context, const char* name, const char* value);
static int crivo_py_record(void* context, crivo_bytes key, crivo_bytes record);
static int crivo_py_read_ends(void* context, const char* name, crivo_ends* ends);
static int crivo_py_read_ranges(void* context, const char* name, const crivo_range* ranges, size_t count);

static int crivo_py_inside = 0;
static int crivo_py_ends = 0;

static void crivo_py_stop_at_the_end(void) {
  if (!__atomic_load_n(&crivo_py_ends, __ATOMIC_SEQ_CST)) return;
  __atomic_sub_fetch(&crivo_py_inside, 1, __ATOMIC_SEQ_CST);
  for (;;) pause();
}
static void crivo_py_enter(void) {
  __atomic_add_fetch(&crivo_py_inside, 1, __ATOMIC_SEQ_CST);
  crivo_py_stop_at_the_end();
}
static void crivo_py_leave(void) {
  crivo_py_stop_at_the_end();
  __atomic_sub_fetch(&crivo_py_inside, 1, __ATOMIC_SEQ_CST);
}
static void crivo_py_end(void) {
  __atomic_store_n(&crivo_py_ends, 1, __ATOMIC_SEQ_CST);
}
static void crivo_py_wait_outside(void) {
  while (__atomic_load_n(&crivo_py_inside, __ATOMIC_SEQ_CST) != 0) usleep(1000);
}
/* In a child, which has none of the threads. */
static void crivo_py_forked(void) {
  __atomic_store_n(&crivo_py_inside, 0, __ATOMIC_SEQ_CST);
}

static int crivo_py_ask_progress(void* context, const crivo_progress* progress) {
  crivo_py_enter();
  const int answer = crivo_py_progress(context, progress);
  crivo_py_leave();
  return answer;
}
static int crivo_py_ask_next(void* context, crivo_writer* writer) {
  crivo_py_enter();
  const int answer = crivo_py_next(context, writer);
  crivo_py_leave();
  return answer;
}
static int crivo_py_ask_record(void* context, crivo_bytes key, crivo_bytes record) {
  crivo_py_enter();
  const int answer = crivo_py_record(context, key, record);
  crivo_py_leave();
  return answer;
}
static int crivo_py_ask_ends(void* context, const char* name, crivo_ends* ends) {
  crivo_py_enter();
  const int answer = crivo_py_read_ends(context, name, ends);
  crivo_py_leave();
  return answer;
}
static int crivo_py_ask_ranges(void* context, const char* name, const crivo_range* ranges, size_t count) {
  crivo_py_enter();
  const int answer = crivo_py_read_ranges(context, name, ranges, count);
  crivo_py_leave();
  return answer;
}
static void crivo_py_tell_note(void* context, const char* name, const char* value) {
  crivo_py_enter();
  crivo_py_note(context, name, value);
  crivo_py_leave();
}

/* The text of an item that is `bytes` or `str` (as UTF-8), of which the item keeps the bytes: no data for another. */
static inline crivo_bytes crivo_py_text(PyObject* item) {
  crivo_bytes text = {NULL, 0};
  if (PyBytes_Check(item)) {
    text.data = PyBytes_AsString(item);
    text.size = (size_t)PyBytes_Size(item);
  } else if (PyUnicode_Check(item)) {
    Py_ssize_t size = 0;
    text.data = PyUnicode_AsUTF8AndSize(item, &size);
    text.size = (size_t)size;
    if (text.data == NULL) PyErr_Clear();
  }
  return text;
}

/* Where the texts of the items of a tuple are: the number of items, or -1 - i if item i has none. They live as long as the
   tuple. */
static int64_t crivo_py_texts(void* object, crivo_bytes* texts) {
  const PyGILState_STATE state = PyGILState_Ensure();
  const Py_ssize_t count = PyTuple_Size((PyObject*)object);
  Py_ssize_t i;
  for (i = 0; i < count; ++i) {
    texts[i] = crivo_py_text(PyTuple_GetItem((PyObject*)object, i));
    if (texts[i].data == NULL) break;
  }
  PyGILState_Release(state);
  return i == count ? (int64_t)count : (int64_t)(-1 - i);
}

/* Some keys, one behind the other. */
typedef struct crivo_py_block {
  char* bytes;
  size_t room;
  uint64_t* offsets; /* of each in `bytes`, and the end: most + 1, the first of them 0 */
} crivo_py_block;

/* Copies the texts of items of a tuple or list from `begin` on, `most` at the most and until they are `bytes` long: how many are
   in the block then, -1 if the memory does not suffice, or -2 - i if item i has no text. A copy costs less than to hold the items,
   which is to write into each of them, and the lookup finds it in the processor's caches. */
static int64_t crivo_py_copy(void* object, size_t begin, size_t most, size_t bytes, crivo_py_block* block) {
  enum { kAhead = 24 };
  const PyGILState_STATE state = PyGILState_Ensure();
  PyObject* const items = (PyObject*)object;
  PyObject* (*const item_at)(PyObject*, Py_ssize_t) = PyList_Check(items) ? PyList_GetItem : PyTuple_GetItem;
  const size_t size = (size_t)(PyList_Check(items) ? PyList_Size(items) : PyTuple_Size(items));
  const size_t end = begin + most < size ? begin + most : size;
  size_t used = 0;
  size_t i = begin;
  int64_t result = -1;
  for (; i < end && used < bytes; ++i) {
    if (i + kAhead < size) {
      const char* const ahead = (const char*)item_at(items, (Py_ssize_t)(i + kAhead));
      __builtin_prefetch(ahead);
      __builtin_prefetch(ahead + 64);
    }
    const crivo_bytes text = crivo_py_text(item_at(items, (Py_ssize_t)i));
    if (text.data == NULL) {
      result = -2 - (int64_t)i;
      goto end;
    }
    if (text.size > block->room - used) {
      char* const more = (char*)realloc(block->bytes, 2 * (used + text.size));
      if (more == NULL) goto end;
      block->bytes = more;
      block->room = 2 * (used + text.size);
    }
    memcpy(block->bytes + used, text.data, text.size);
    used += text.size;
    block->offsets[i + 1 - begin] = used;
  }
  result = (int64_t)(i - begin);
end:
  PyGILState_Release(state);
  return result;
}

/* Records of many keys, one behind the other. */
typedef struct crivo_py_records {
  char* bytes;
  size_t size;
  size_t room;
  uint64_t* ends;
  int8_t* answers;
} crivo_py_records;

static int crivo_py_keep(void* context, size_t index, crivo_answer answer, crivo_bytes record) {
  crivo_py_records* const all = (crivo_py_records*)context;
  if (all->size + record.size > all->room) {
    const size_t room = 2 * (all->size + record.size);
    char* const bytes = (char*)realloc(all->bytes, room);
    if (bytes == NULL) return 1;
    all->bytes = bytes;
    all->room = room;
  }
  if (record.size != 0) memcpy(all->bytes + all->size, record.data, record.size);
  all->size += record.size;
  all->ends[index] = all->size;
  all->answers[index] = (int8_t)answer;
  return 0;
}

static crivo_status crivo_py_find_many(crivo_reader* reader, const crivo_keys* keys, crivo_py_records* all) {
  return crivo_reader_find_many(reader, keys, crivo_py_keep, all);
}

/* Puts the records into a list as items `begin` and more, in the place of what they are: -1, or which of the `count` answers is
   the first that is damaged, or -2 if the memory does not suffice. */
static int64_t crivo_py_put(void* list, size_t begin, size_t count, const crivo_py_records* all) {
  const PyGILState_STATE state = PyGILState_Ensure();
  uint64_t at = 0;
  int64_t result = -1;
  for (size_t i = 0; i < count && result == -1; ++i) {
    if (all->answers[i] == CRIVO_ANSWER_FOUND) {
      PyObject* const record = PyBytes_FromStringAndSize(all->bytes + at, (Py_ssize_t)(all->ends[i] - at));
      if (record == NULL || PyList_SetItem((PyObject*)list, (Py_ssize_t)(begin + i), record) != 0) {
        PyErr_Clear();
        result = -2;
      }
    } else if (all->answers[i] == CRIVO_ANSWER_DAMAGED) {
      result = (int64_t)i;
    }
    at = all->ends[i];
  }
  PyGILState_Release(state);
  return result;
}

/* Answers, one behind the other: which key's, a crivo_answer, the sizes of key, text and value as numbers of 64 bits, and those;
   keys only of queries. */
typedef struct crivo_py_answers {
  char* bytes;
  size_t size;
  size_t room;
  size_t most; /* answers of a query */
} crivo_py_answers;

static void crivo_py_append(char** at, crivo_bytes bytes) {
  if (bytes.size != 0) memcpy(*at, bytes.data, bytes.size);
  *at += bytes.size;
}

static int crivo_py_keep_answer(crivo_py_answers* all, const crivo_found* found, crivo_bytes key) {
  const uint64_t head[] = {found->index, (uint64_t)found->answer, key.size, found->text.size, found->value.size};
  const size_t size = sizeof head + key.size + found->text.size + found->value.size;
  if (size > all->room - all->size) {
    const size_t room = 2 * (all->size + size);
    char* const bytes = (char*)realloc(all->bytes, room);
    if (bytes == NULL) return 1;
    all->bytes = bytes;
    all->room = room;
  }
  char* at = all->bytes + all->size;
  crivo_py_append(&at, (crivo_bytes){(const char*)head, sizeof head});
  crivo_py_append(&at, key);
  crivo_py_append(&at, found->text);
  crivo_py_append(&at, found->value);
  all->size += size;
  return 0;
}

static int crivo_py_keep_found(void* context, const crivo_found* found) {
  return crivo_py_keep_answer((crivo_py_answers*)context, found, (crivo_bytes){NULL, 0});
}

static int crivo_py_keep_queried(void* context, const crivo_found* found) {
  crivo_py_answers* const all = (crivo_py_answers*)context;
  if (found->index == all->most) {
    all->most = 0; /* for who asks why it ended */
    return 1;
  }
  return crivo_py_keep_answer(all, found, found->key);
}

static crivo_status crivo_py_find_remote(crivo_remote* remote, const crivo_keys* keys, crivo_py_answers* all) {
  return crivo_remote_find_many(remote, keys, crivo_py_keep_found, all);
}

static crivo_status crivo_py_query_remote(crivo_remote* remote, const char* query, const crivo_keys* values, crivo_py_answers* all) {
  const crivo_status status = crivo_remote_query(remote, query, values, crivo_py_keep_queried, all);
  return status == CRIVO_STATUS_CANCELLED && all->most == 0 ? CRIVO_STATUS_OK : status;
}
"""

ffibuilder = FFI()
ffibuilder.cdef(
    declarations(header())
    + ARROW.replace(ARROW[: ARROW.index("typedef")], "")
    + """
void* crivo_py_capsule(void* object, const char* name);
void free(void* memory);
int64_t crivo_py_texts(void* items, crivo_bytes* texts);
typedef struct crivo_py_block {
  char* bytes;
  size_t room;
  uint64_t* offsets;
} crivo_py_block;
int64_t crivo_py_copy(void* items, size_t begin, size_t most, size_t bytes, crivo_py_block* block);
typedef struct crivo_py_records {
  char* bytes;
  size_t size;
  size_t room;
  uint64_t* ends;
  int8_t* answers;
} crivo_py_records;
crivo_status crivo_py_find_many(crivo_reader* reader, const crivo_keys* keys, crivo_py_records* all);
int64_t crivo_py_put(void* list, size_t begin, size_t count, const crivo_py_records* all);
extern "Python" int crivo_py_progress(void* context, const crivo_progress* progress);
extern "Python" int crivo_py_next(void* context, crivo_writer* writer);
extern "Python" void crivo_py_note(void* context, const char* name, const char* value);
typedef struct crivo_py_answers {
  char* bytes;
  size_t size;
  size_t room;
  size_t most;
} crivo_py_answers;
crivo_status crivo_py_find_remote(crivo_remote* remote, const crivo_keys* keys, crivo_py_answers* all);
crivo_status crivo_py_query_remote(crivo_remote* remote, const char* query, const crivo_keys* values, crivo_py_answers* all);
extern "Python" int crivo_py_read_ends(void* context, const char* name, crivo_ends* ends);
extern "Python" int crivo_py_read_ranges(void* context, const char* name, const crivo_range* ranges, size_t count);
int crivo_py_ask_ends(void* context, const char* name, crivo_ends* ends);
int crivo_py_ask_ranges(void* context, const char* name, const crivo_range* ranges, size_t count);
extern "Python" int crivo_py_record(void* context, crivo_bytes key, crivo_bytes record);
int crivo_py_ask_record(void* context, crivo_bytes key, crivo_bytes record);
int crivo_py_ask_progress(void* context, const crivo_progress* progress);
int crivo_py_ask_next(void* context, crivo_writer* writer);
void crivo_py_tell_note(void* context, const char* name, const char* value);
void crivo_py_end(void);
void crivo_py_wait_outside(void);
void crivo_py_forked(void);
"""
)
macros = [("Py_LIMITED_API", "0x030a0000")]  # setup.py tags the wheel with it
if SYSTEM:
    ffibuilder.set_source(
        "crivo._native", HELPERS, define_macros=macros, extra_compile_args=pkg_config("--cflags", "crivo"),
        extra_link_args=pkg_config("--libs", "crivo"),
    )
else:
    # Signatures need it; a library that was built without them (CRIVO_SIGNATURES) leaves it out.
    libcrypto = subprocess.call([os.environ.get("PKG_CONFIG", "pkg-config"), "--exists", "libcrypto"]) == 0
    build = pathlib.Path(os.environ.get("CRIVO_BUILD", HERE.parent.parent / "build" / "release"))
    ffibuilder.set_source(
        "crivo._native", HELPERS, define_macros=macros, include_dirs=[str(HERE.parent.parent / "include")],
        extra_objects=[str(build / "libcrivo.a")],
        extra_link_args=["-Wl,--exclude-libs,ALL", "-Wl,--gc-sections", "-Wl,-rpath,$ORIGIN", "-lbz2",
                         *pkg_config("--libs", "zlib", "liblzma", "libxxhash", "libzstd", "lmdb"),
                         *(["-Wl,--as-needed", *pkg_config("--libs", "libcrypto"), "-Wl,--no-as-needed"] if libcrypto else []),
                         "-Wl,-Bstatic", "-lstdc++", "-Wl,-Bdynamic", "-static-libgcc", "-lm"],
    )

if __name__ == "__main__":
    ffibuilder.compile(verbose=True)
