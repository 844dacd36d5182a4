/* SPDX-License-Identifier: Apache-2.0 */
// Preloaded into a program, stands before its main(): waits for what to run and forks a process for
// each, which goes on in main() as one of its own would. So the loader and what stands before
// main() do their work once, which is most of what a short run takes.
//
// CRIVO_STARTER is the number of a Unix stream socket (starter.py has its other end). A run is
// asked for by
//   u32   bytes of the text below
//   u32   arguments, with the program's name
//   u32   variables
//   text  the working directory, the arguments and the variables (name=value) that the run has
//   beside those of this
//         process, each with a zero behind it
// with the run's standard input, output and error output as rights (SCM_RIGHTS) of the first byte.
// The answers are
//   i32   the process
//   i32   its status, as wait() gives it, when it has ended
// The end of the socket ends the process. Without CRIVO_STARTER the program runs as ever.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int main_function(int, char**, char**);

static main_function* program;
/* Of the run, as long as it lasts: no leak. */
static char* text;
static char** args;

static void receive_text(int from, size_t bytes) {
  text = malloc(bytes);
  for (size_t at = 0; at < bytes;) {
    const ssize_t got = read(from, text + at, bytes - at);
    if (got <= 0) {
      _exit(1);
    }
    at += (size_t)got;
  }
}

static void answer(int to, int32_t value) {
  if (write(to, &value, sizeof value) != sizeof value) {
    _exit(1);
  }
}

/* In the new process. */
static int run(uint32_t count, uint32_t variables, const int* streams) {
  for (int i = 0; i < 3; ++i) {
    dup2(streams[i], i);
    close(streams[i]);
  }
  args = calloc(count + 1, sizeof *args);
  if (chdir(text) != 0) {
    _exit(126);
  }
  char* word = text;
  for (uint32_t i = 0; i < count; ++i) {
    word += strlen(word) + 1;
    args[i] = word;
  }
  for (uint32_t i = 0; i < variables; ++i) {
    word += strlen(word) + 1;
    putenv(word);
  }
  return program((int)count, args, environ);
}

static int serve(int argc, char** argv, char** variables) {
  const char* const number = getenv("CRIVO_STARTER");
  if (number == NULL) {
    return program(argc, argv, variables);
  }
  const int requests = atoi(number);
  unsetenv("CRIVO_STARTER");
  unsetenv("LD_PRELOAD");
  unsetenv("LD_BIND_NOW");
  for (;;) {
    uint32_t head[3];
    int streams[3];
    union {
      struct cmsghdr aligned;
      char space[CMSG_SPACE(sizeof streams)];
    } rights;
    struct iovec part = {head, sizeof head};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = rights.space,
                             .msg_controllen = sizeof rights.space};
    if (recvmsg(requests, &message, MSG_CMSG_CLOEXEC) != sizeof head) {
      _exit(0);
    }
    memcpy(streams, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof streams);
    receive_text(requests, head[0]);
    const pid_t child = fork();
    if (child == 0) {
      close(requests);
      return run(head[1], head[2], streams);
    }
    free(text);
    for (int i = 0; i < 3; ++i) {
      close(streams[i]);
    }
    int status;
    answer(requests, child);
    waitpid(child, &status, 0);
    answer(requests, status);
  }
}

typedef int start_function(main_function*, int, char**, void (*)(void), void (*)(void),
                           void (*)(void), void*);

/* What calls main(). */
int __libc_start_main(main_function* its_main, int argc, char** argv, void (*before)(void),
                      void (*after)(void), void (*loader_end)(void), void* stack_end) {
  start_function* start;
  *(void**)&start = dlsym(RTLD_NEXT, "__libc_start_main");
  program = its_main;
  return start(serve, argc, argv, before, after, loader_end, stack_end);
}
