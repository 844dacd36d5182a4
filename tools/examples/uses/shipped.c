/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a filter from elsewhere only if its owner signed it: `shipped FILTER PUBLIC-KEY KEY...`. */
#include <crivo.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const crivo_trust trust = {.struct_size = sizeof trust,
                             .public_keys = (const char* const[]){argv[2], NULL},
                             .state = "seen.state"};
  const crivo_open_options options = {
      .struct_size = sizeof options, .mode = CRIVO_MODE_COPY, .trust = &trust};
  crivo_filter* filter = NULL;
  if (crivo_filter_open(argv[1], &options, &filter)) { /* damaged, too old, or somebody else's */
    fprintf(stderr, "shipped: %s\n", crivo_error_message());
    return 1;
  }
  for (int i = 3; i < argc; ++i)
    printf("%s\t%s\n", argv[i],
           crivo_filter_contains(filter, argv[i], strlen(argv[i])) ? "maybe" : "absent");
  crivo_filter_close(filter);
  return 0;
}
