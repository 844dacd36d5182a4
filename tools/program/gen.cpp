// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <string_view>

#include "crivo/error.hpp"
#include "gen/generator.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/progress_line.hpp"
#include "program/values.hpp"

namespace crivo::cli {
namespace {

struct GenOptions {
  std::string kind;
  std::uint64_t count = 0;
  std::uint64_t seed = 0;
  std::uint64_t skip = 0;
  bool null = false;
  bool binary = false;
  unsigned threads = 0;
  ReportOptions reports;
};

int generate(const GenOptions& options) {
  const gen::Kind kind = options.kind == "urls"    ? gen::Kind::urls
                         : options.kind == "words" ? gen::Kind::words
                                                   : gen::Kind::ints;
  const gen::Form form = options.binary ? gen::Form::binary
                         : options.null ? gen::Form::nul
                                        : gen::Form::lines;
  const std::unique_ptr<gen::Generator> generator = gen::make_generator(kind, options.seed, form);
  if (options.skip > generator->capacity() ||
      options.count > generator->capacity() - options.skip) {
    throw Error(ErrorKind::usage, "there are only " + std::to_string(generator->capacity()) + " " +
                                      options.kind + " in a sequence");
  }
  Output out;
  Progress progress;
  progress.begin("generate", options.count);
  const ProgressLine line(progress, options.reports, {}, Meanwhile::answers);
  gen::generate(*generator, options.skip, options.count, options.threads,
                [&](std::string_view bytes, std::uint64_t keys) {
                  out.write(bytes);
                  progress.add(keys);
                });
  out.flush();
  return 0;
}

}  // namespace

void add_gen(CLI::App& app, Action& action) {
  auto options = std::make_shared<GenOptions>();
  CLI::App* command = app.add_subcommand(
      "gen",
      "write reproducible keys, for tests and benchmarks\n\n"
      "The same kind and seed always give the same sequence of distinct keys. --skip N leaves\nout "
      "its first N: these are absent keys for tests.\nExample: crivo gen urls -n 1000000 | crivo "
      "build mphf - -o urls.crv");
  command
      ->add_option("KIND", options->kind,
                   "urls (like a crawl's), words (like a text collection's "
                   "vocabulary) or ints (64-bit integers)")
      ->required()
      ->transform(one_of({"urls", "words", "ints"}));
  command->add_option("-n,--count", options->count, "how many keys")
      ->required()
      ->type_name("N")
      ->transform(count_value());
  command->add_option("--seed", options->seed, "which sequence")
      ->type_name("N")
      ->transform(count_value())
      ->capture_default_str();
  command->add_option("--skip", options->skip, "leave out the first K keys of the sequence")
      ->type_name("K")
      ->transform(count_value())
      ->capture_default_str();
  CLI::Option* null_flag =
      command->add_flag("-0,--null", options->null, "NUL after each key, not LF");
  command->add_flag("--binary", options->binary, "ints as 8 bytes each, little-endian (--fixed 8)")
      ->excludes(null_flag);
  command->add_option("--threads", options->threads, "threads; 0 is one per core")
      ->type_name("N")
      ->transform(count_value(0, 1024))
      ->capture_default_str();
  options->reports.add_to(*command);
  command->callback([options, &action] { action = [options] { return generate(*options); }; });
}

}  // namespace crivo::cli
