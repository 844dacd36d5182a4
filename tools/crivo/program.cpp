#include "crivo/program.hpp"

#include <algorithm>
#include <exception>
#include <iostream>
#include <new>

#include "crivo/common.hpp"
#include "crivo/error.hpp"
#include "util/quote.hpp"

namespace crivo::cli {
namespace {

/// One line on standard error, whatever the message holds.
int report(const std::string& message, int code) {
  std::cerr << "crivo: " + util::escape(message) + "\n";
  return code;
}

/// Prints `text` as the answer to what was asked.
Action print(std::string text) {
  return [text = std::move(text)] {
    Output out;
    out.write(text);
    out.flush();
    return 0;
  };
}

}  // namespace

Action parse(std::vector<std::string> arguments) {
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
      "file, 5 I/O or resources. Lines in messages count from 1, ranks and line numbers as values "
      "from 0.");
  Action action;
  add_build(app, action);
  add_query(app, action);
  add_get(app, action);
  add_info(app, action);
  add_verify(app, action);
  add_filter_command(app, action);
  add_bench(app, action);
  add_gen(app, action);
  try {
    std::ranges::reverse(arguments);  // as the parser takes them
    app.parse(std::move(arguments));
  } catch (const CLI::CallForVersion& version) {
    return print(version.what() + std::string("\n"));
  } catch (const CLI::Success&) {
    return print(app.help());
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::usage, std::string(error.what()) + " (see --help)");
  }
  return action;
}

int run(int argc, const char* const* argv) {
  const int io = exit_code(ErrorKind::io);
  try {
    return parse({argv + std::min(argc, 1), argv + argc})();
  } catch (const Error& error) {
    return report(error.what(), exit_code(error.kind()));
  } catch (const std::bad_alloc&) {
    return report("out of memory", io);
  } catch (const std::exception& error) {
    return report(error.what(), io);
  }
}

}  // namespace crivo::cli
