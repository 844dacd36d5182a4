/* SPDX-License-Identifier: Apache-2.0 */
/* A nightly job: builds a filter of the lines of some files: `batch OUTPUT KEYS...`. */
#include <crivo.h>
#include <stdio.h>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const crivo_resources resources = {.struct_size = sizeof resources, .memory = (uint64_t)1 << 30};
  const crivo_build_options options = {
      .struct_size = sizeof options, .replace = 1, .resources = &resources};
  const crivo_output output = crivo_to_path(argv[1]);
  crivo_summary built = {.struct_size = sizeof built};
  crivo_input* keys = NULL;
  if (crivo_input_files((const char* const*)argv + 2, (size_t)argc - 2, NULL, &keys) ||
      crivo_build("filter", keys, &output, CRIVO_CHOICES("fpr=0.001"), &options, &built)) {
    fprintf(stderr, "batch: %s\n", crivo_error_message()); /* nothing was written */
    return 1;
  }
  fputs(crivo_warnings(), stderr);
  printf("%llu keys, %s\n", (unsigned long long)built.keys, built.digest);
  crivo_input_free(keys);
  return 0;
}
