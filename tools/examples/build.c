/* SPDX-License-Identifier: Apache-2.0 */
/* Builds an MPHF of the words on the command line, in memory, and asks it for each of them.
 *
 *   cc -std=c11 build.c $(pkg-config --cflags --libs crivo) -o build && ./build one two three
 */
#include <crivo.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  crivo_bytes words[100];
  size_t count = 0;
  for (; count < 100 && count + 1 < (size_t)argc; ++count)
    words[count] = (crivo_bytes){argv[count + 1], strlen(argv[count + 1])};
  const crivo_keys keys = crivo_keys_each(words, count);
  crivo_input* input = NULL;
  crivo_buffer* file = NULL;
  crivo_mphf* mphf = NULL;
  if (crivo_input_keys(&keys, &input) || crivo_buffer_new(&file)) return 1;
  const crivo_output output = crivo_to_buffer(file);
  if (crivo_build("mphf", input, &output, CRIVO_CHOICES("signature_bits=16"), NULL, NULL) ||
      crivo_mphf_open_bytes(crivo_buffer_bytes(file).data, crivo_buffer_bytes(file).size, NULL,
                            &mphf)) {
    fprintf(stderr, "build: %s\n", crivo_error_message());
    return 1;
  }
  for (size_t i = 0; i < count; ++i)
    printf("%s\t%llu\n", argv[i + 1],
           (unsigned long long)crivo_mphf_lookup(mphf, words[i].data, words[i].size));
  crivo_mphf_close(mphf);
  crivo_buffer_free(file);
  crivo_input_free(input);
  return 0;
}
