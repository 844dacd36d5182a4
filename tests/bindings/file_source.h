/* SPDX-License-Identifier: Apache-2.0 */
/* A crivo_source of a file of this machine, and those beside it, for tests in C and C++. */
#pragma once

#include <crivo.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What the source reads, and what is wrong with it. */
typedef struct file_source {
  const char* path;
  const char* signature; /* of what must be signed */
  int problem;           /* that read_ranges returns */
  int flips;             /* it writes a byte in the middle of each range wrong */
  int calls;             /* that were made */
} file_source;

static FILE* open_file(const file_source* of, const char* name) {
  char path[1024];
  const char* const last = strrchr(of->path, '/');
  if (name == NULL) return fopen(of->path, "rb");
  snprintf(path, sizeof path, "%.*s/%s", (int)(last - of->path), of->path, name);
  return fopen(path, "rb");
}

static int read_part(FILE* file, uint64_t offset, uint64_t length, void* data) {
  if (fseek(file, (long)offset, SEEK_SET) != 0) return EIO;
  return fread(data, 1, (size_t)length, file) == length ? 0 : EIO;
}

static int read_file_ends(void* context, const char* name, crivo_ends* ends) {
  file_source* const of = (file_source*)context;
  ++of->calls;
  FILE* const file = open_file(of, name);
  if (file == NULL) return errno;
  fseek(file, 0, SEEK_END);
  const uint64_t length = (uint64_t)ftell(file);
  const uint64_t head = length < ends->head_size ? length : ends->head_size;
  const uint64_t tail = length < ends->tail_size ? length : ends->tail_size;
  int problem = read_part(file, 0, head, ends->head);
  if (problem == 0) problem = read_part(file, length - tail, tail, ends->tail);
  fclose(file);
  ends->length = length;
  if (ends->signature_room != 0 && of->signature != NULL) {
    ends->signature_size = strlen(of->signature);
    memcpy(ends->signature, of->signature, ends->signature_size);
  }
  return problem;
}

static int read_file_ranges(void* context, const char* name, const crivo_range* ranges,
                            size_t count) {
  file_source* const of = (file_source*)context;
  ++of->calls;
  if (of->problem != 0) return of->problem;
  FILE* const file = open_file(of, name);
  if (file == NULL) return errno;
  int problem = 0;
  for (size_t i = 0; i < count && problem == 0; ++i) {
    problem = read_part(file, ranges[i].offset, ranges[i].length, ranges[i].data);
    if (of->flips) ((char*)ranges[i].data)[ranges[i].length / 2] ^= 1;
  }
  fclose(file);
  return problem;
}

static crivo_source source_of(file_source* of) {
  crivo_source source;
  memset(&source, 0, sizeof source);
  source.struct_size = sizeof source;
  source.read_ends = read_file_ends;
  source.read_ranges = read_file_ranges;
  source.context = of;
  return source;
}
