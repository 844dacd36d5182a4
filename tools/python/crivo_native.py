# SPDX-License-Identifier: Apache-2.0
"""What cffi compiles: crivo.h as it stands, and the few loops over Python's objects that would be slow in Python.

The library is the static one of a build directory, which CRIVO_BUILD names (build/release of the tree by default); with
CRIVO_SYSTEM=1 the shared one that pkg-config knows, as a distribution has it.
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
    return shlex.split(subprocess.check_output(["pkg-config", *words], text=True))


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


HELPERS = r"""
#include <crivo.h>
#include <stdlib.h>
#include <string.h>

/* Where the bytes of the items of a tuple or list are, of `bytes` or `str` (as UTF-8): the number of items, or -1 - i if
   item i is neither. The items live as long as what holds them. */
static int64_t crivo_py_texts(void* object, crivo_bytes* texts) {
  const PyGILState_STATE state = PyGILState_Ensure();
  PyObject* const* const items = PySequence_Fast_ITEMS((PyObject*)object);
  const Py_ssize_t count = PySequence_Fast_GET_SIZE((PyObject*)object);
  Py_ssize_t i;
  for (i = 0; i < count; ++i) {
    PyObject* const item = items[i];
    if (i + 24 < count) __builtin_prefetch((const char*)items[i + 24] + 64);  /* taking the item read what is before */
    if (PyBytes_Check(item)) {
      texts[i].data = PyBytes_AS_STRING(item);
      texts[i].size = (size_t)PyBytes_GET_SIZE(item);
    } else if (PyUnicode_Check(item)) {
      Py_ssize_t size;
      texts[i].data = PyUnicode_AsUTF8AndSize(item, &size);
      if (texts[i].data == NULL) {
        PyErr_Clear();
        break;
      }
      texts[i].size = (size_t)size;
    } else {
      break;
    }
  }
  PyGILState_Release(state);
  return i == count ? (int64_t)count : (int64_t)(-1 - i);
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
static void crivo_py_free(crivo_py_records* all) { free(all->bytes); }
"""

ffibuilder = FFI()
ffibuilder.cdef(
    declarations(header())
    + """
int64_t crivo_py_texts(void* items, crivo_bytes* texts);
typedef struct crivo_py_records {
  char* bytes;
  size_t size;
  size_t room;
  uint64_t* ends;
  int8_t* answers;
} crivo_py_records;
crivo_status crivo_py_find_many(crivo_reader* reader, const crivo_keys* keys, crivo_py_records* all);
void crivo_py_free(crivo_py_records* all);
extern "Python" int crivo_py_progress(void* context, const crivo_progress* progress);
extern "Python" int crivo_py_next(void* context, crivo_writer* writer);
"""
)
macros = [("_CFFI_NO_LIMITED_API", None)]
if SYSTEM:
    ffibuilder.set_source(
        "crivo._native", HELPERS, define_macros=macros, extra_compile_args=pkg_config("--cflags", "crivo"),
        extra_link_args=pkg_config("--libs", "crivo"),
    )
else:
    build = pathlib.Path(os.environ.get("CRIVO_BUILD", HERE.parent.parent / "build" / "release"))
    ffibuilder.set_source(
        "crivo._native", HELPERS, define_macros=macros, include_dirs=[str(HERE.parent.parent / "include")],
        extra_objects=[str(build / "libcrivo.a")],
        extra_link_args=["-Wl,--exclude-libs,ALL", "-Wl,--gc-sections", "-lbz2", "-lstdc++", "-lm",
                         *pkg_config("--libs", "zlib", "liblzma", "libxxhash", "libzstd", "lmdb")],
    )

if __name__ == "__main__":
    ffibuilder.compile(verbose=True)
