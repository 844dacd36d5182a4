/* SPDX-License-Identifier: Apache-2.0 */
// Does as its argument says, for test_starter.py.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void leak(void) {
  for (int i = 0; i < 100; ++i) {
    *(volatile char*)malloc(100) = 'x';
  }
}

int main(int count, char** args) {
  const char* const what = count > 1 ? args[1] : "";
  if (strcmp(what, "copy") == 0) {
    for (int c; (c = getchar()) != EOF;) {
      putchar(c);
      fputc(c, stderr);
    }
  } else if (strcmp(what, "leak") == 0) {
    leak();
  } else if (strcmp(what, "crash") == 0) {
    raise(SIGKILL);
  } else if (strcmp(what, "sleep") == 0) {
    sleep(600);
  } else {
    char directory[4096];
    printf("%s %s %s %d", getcwd(directory, sizeof directory), what, args[0],
           getenv("LD_PRELOAD") != NULL);
    return count;
  }
  return 0;
}
