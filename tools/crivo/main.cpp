// crivo: build index files, look keys up in them, inspect and verify them.

#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

#include "crivo/command.hpp"
#include "crivo/error.hpp"

namespace {

/// One line on standard error, whatever the message holds.
int report(const std::string& message, int code) {
  std::string line = "crivo: " + message;
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  std::cerr << line << '\n';
  return code;
}

int run(int argc, char** argv) {
  CLI::App app{
      "Builds minimal perfect hash functions, filters and record stores over large key sets, in\n"
      "checked files that are mapped for lookups.\n\n"
      "Example:\n"
      "  crivo build mphf urls.txt -o urls.crv && crivo query urls.crv --key http://a.example/\n",
      "crivo"};
  app.set_version_flag("--version", std::string("crivo ") + CRIVO_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 absent key or mismatch, 2 usage, 3 bad input, 4 corrupt or "
      "unsupported\n"
      "file, 5 I/O or resources. Lines and ranks count from 0.");
  crivo::cli::Action action;
  crivo::cli::add_build(app, action);
  crivo::cli::add_query(app, action);
  crivo::cli::add_get(app, action);
  crivo::cli::add_info(app, action);
  crivo::cli::add_verify(app, action);
  crivo::cli::add_filter_command(app, action);
  crivo::cli::add_bench(app, action);
  crivo::cli::add_gen(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help and --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return report(std::string(error.what()) + " (see --help)", exit_code(crivo::ErrorKind::usage));
  }
  return action();
}

}  // namespace

int main(int argc, char** argv) {
  // A file-size limit shall be an error that can be told, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  const int io = exit_code(crivo::ErrorKind::io);
  try {
    return run(argc, argv);
  } catch (const crivo::Error& error) {
    return report(error.what(), exit_code(error.kind()));
  } catch (const std::bad_alloc&) {
    return report("out of memory", io);
  } catch (const std::exception& error) {
    return report(error.what(), io);
  }
}
