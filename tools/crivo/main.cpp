// crivo: build index files, look keys up in them, inspect and verify them.

#include <csignal>

#include "crivo/program.hpp"

int main(int argc, char** argv) {
  // A file-size limit shall be an error that can be told, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  return crivo::cli::run(argc, argv);
}
