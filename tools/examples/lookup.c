/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the value of each key of the command line in a map: `lookup lines.crv KEY...`. */
#include <crivo.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  crivo_map* map = NULL;
  if (argc < 2 || crivo_map_open(argv[1], NULL, &map) != CRIVO_STATUS_OK) {
    fprintf(stderr, "lookup: %s\n", argc < 2 ? "which map?" : crivo_error_message());
    return 1;
  }
  for (int i = 2; i < argc; ++i) {
    uint64_t value = 0;
    if (crivo_map_lookup(map, argv[i], strlen(argv[i]), &value) == CRIVO_ANSWER_FOUND)
      printf("%s\t%llu\n", argv[i], (unsigned long long)value);
    else
      printf("%s\tabsent\n", argv[i]);
  }
  crivo_map_close(map);
  return 0;
}
