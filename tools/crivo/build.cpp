// SPDX-License-Identifier: Apache-2.0
#include "crivo/build.hpp"

#include <cmath>
#include <iostream>
#include <limits>
#include <memory>

#include "crivo/build_report.hpp"
#include "crivo/command.hpp"
#include "crivo/common.hpp"
#include "crivo/error.hpp"
#include "crivo/notes.hpp"
#include "crivo/progress_line.hpp"
#include "crivo/shards.hpp"
#include "crivo/text.hpp"
#include "crivo/values.hpp"
#include "crivo/work_options.hpp"

namespace crivo::cli {
namespace {

/// What the four kinds of build share on the command line.
struct BuildCommand {
  void add_to(CLI::App& command, const char* input_name, bool with_fixed) {
    kind = command.get_name();
    command
        .add_option(input_name, input.paths,
                    "input files, read in order as one; - is standard input")
        ->required();
    command.add_option("-o,--output", output, "what to write")
        ->required()
        ->type_name("PATH")
        ->transform(output_path());
    command
        .add_option("--shard", shard,
                    "build part I of N from the directory that crivo partition wrote, which is the "
                    "input then; crivo merge joins the parts")
        ->type_name("I/N")
        ->transform(share_value());
    formats.add_to(command, with_fixed);
    command.add_option("--duplicates", duplicates, "what to do with equal keys: error or ignore")
        ->transform(one_of(policies))
        ->capture_default_str();
    command
        .add_option(
            "--seed", seed,
            "seed of the key hash (the next is used if two keys have the same hash); random, for "
            "keys that strangers chose: a keyed hash (siphash) with a random seed; random:N "
            "builds the same file again")
        ->type_name("N|random[:N]")
        ->transform(seed_value())
        ->capture_default_str();
    work.add_to(command);
    command
        .add_option("--resume", resume_dir,
                    "keep what was read in this directory, so that a build that was killed resumes "
                    "from there when it is run again; removed on success")
        ->type_name("DIR");
    add_allow_empty_set(command, options.allow_empty_set);
    notes.add_to(command);
    command.add_flag("-f,--force", options.replace, "replace an existing output");
    command.add_flag(
        "--dry-run", dry_run,
        "check options and paths, show what the build would need, and leave the output alone");
    reports.add_to(command);
  }

  /// The directory and the share of it that are to be built from. Throws Error(usage) for what a
  /// partition decides.
  Share shard_to_build() const {
    if (input.paths.size() != 1)
      throw Error(ErrorKind::usage, "--shard needs one directory of partitioned keys as the input");
    if (input.format != KeyFormat{} || duplicates != "error" ||
        seed != std::to_string(kDefaultSeed) || dry_run || !resume_dir.empty()) {
      throw Error(
          ErrorKind::usage,
          "--shard cannot be used with --dry-run or --resume, or with options of the input (its "
          "format, --duplicates, --seed): give those to crivo partition");
    }
    const Numbered share = parse_share(shard);
    return {share.index, share.count};
  }

  void resolve() {
    input.format = formats.format();
    const Seed parsed = parse_seed(seed);
    options.seed = parsed.number;
    options.notes = notes.parsed();
    options.keyed_hash = parsed.random;
    options.count_duplicates = duplicates == "count";
    options.ignore_duplicates = duplicates != "error" && duplicates != "count";
    work.put_in(options.resources);
    options.resume_dir = resume_dir;
    options.resources.progress = &progress;
  }

  std::string kind;
  KeyInput input;
  std::string output;
  std::string shard;
  FormatOptions formats;
  std::string seed = std::to_string(kDefaultSeed);
  std::string duplicates = "error";
  std::vector<std::string> policies{"error", "ignore"};  ///< that it may name
  std::string resume_dir;
  NoteOptions notes;
  WorkOptions work;
  bool dry_run = false;
  BuildOptions options;
  ReportOptions reports;
  Progress progress;
};

/// As exact as an estimate is.
std::string rough_time(double seconds) {
  if (seconds < 1) return "less than a second";
  if (seconds < 100) return "about " + std::to_string(std::llround(seconds)) + " s";
  return "about " + std::to_string(std::llround(seconds / 60)) + " min";
}

int print_estimate(const BuildEstimate& estimate, const ReportOptions& reports) {
  if (!estimate.warning.empty()) print_warning({estimate.warning, "memory"});
  if (reports.json) {
    print_json({{"schema", 1},
                {"keys", estimate.keys},
                {"memory_bytes", estimate.memory_bytes},
                {"minimum_memory_bytes", estimate.minimum_memory_bytes},
                {"temp_bytes", estimate.temp_bytes},
                {"output_bytes", estimate.output_bytes},
                {"partitions", estimate.partitions},
                {"seconds_estimate", estimate.seconds}});
    return 0;
  }
  Output out;
  out.write("keys    " + std::to_string(estimate.keys) + "\n");
  out.write("memory  " + human_bytes(static_cast<double>(estimate.memory_bytes)) + ", at least " +
            human_bytes(static_cast<double>(estimate.minimum_memory_bytes)) + "\n");
  out.write("temp    " + human_bytes(static_cast<double>(estimate.temp_bytes)) + "\n");
  out.write("output  " + human_bytes(static_cast<double>(estimate.output_bytes)) + "\n");
  out.write("parts   " + std::to_string(estimate.partitions) + "\n");
  out.write("time    " + rough_time(estimate.seconds) + "\n");
  out.flush();
  return 0;
}

/// Runs `build_part` of a shard, `build` or `estimate` with a progress line, and prints what came
/// of it.
template <typename Build, typename BuildPart, typename Estimate>
int run(BuildCommand& command, Build&& build, BuildPart&& build_part, Estimate&& estimate) {
  command.resolve();
  if (!command.shard.empty()) {
    const Share shard = command.shard_to_build();
    BuildSummary summary;
    {
      const ProgressLine line(command.progress, command.reports);
      summary = build_part(shard);
    }
    return report_built(summary, command.output, command.reports);
  }
  if (command.dry_run) {
    check_output(command.kind, command.input, command.output, command.options);
    BuildEstimate result;
    {
      const ProgressLine line(command.progress, command.reports, command.input.paths);
      result = estimate();
    }
    return print_estimate(result, command.reports);
  }
  BuildSummary summary;
  {
    const ProgressLine line(command.progress, command.reports, command.input.paths);
    summary = build();
  }
  return report_built(summary, command.output, command.reports);
}

/// Which algorithms have which efforts.
std::string efforts() {
  std::string text;
  for (const std::string_view algorithm : mphf_algorithms()) {
    const unsigned highest = mphf_max_effort(algorithm);
    if (highest == 0) continue;
    text += (text.empty() ? "0 to " : ", 0 to ") + std::to_string(highest) + " with " +
            std::string(algorithm);
  }
  return text;
}

void add_signature(CLI::App& command, unsigned& bits) {
  command
      .add_option(
          "--signature", bits,
          "refuse all but 2^-BITS of the keys outside the set: 0 (refuse none), 8, 16 or 32")
      ->type_name("BITS")
      ->transform(one_of({0, 8, 16, 32}))
      ->capture_default_str();
}

void add_mphf(CLI::App& build, Action& action) {
  struct Options : BuildCommand {
    MphfOptions mphf;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      build.add_subcommand("mphf",
                           "key -> rank in [0, n): a minimal perfect hash function\n\n"
                           "Without --signature any key gets some rank, also one outside the set.\n"
                           "Example: crivo build mphf urls.txt.zst -o urls.crv --signature 16");
  options->add_to(*command, "KEYS", true);
  command
      ->add_option("--algorithm", options->mphf.algorithm,
                   "which MPHF; with mwhc2 and mwhc3 the rank is the key's place in the input")
      ->transform(one_of(mphf_algorithms()))
      ->capture_default_str();
  command
      ->add_option("--effort", options->mphf.effort,
                   "less space for more time in the build: " + efforts())
      ->type_name("N")
      ->transform(count_value(0, std::numeric_limits<unsigned>::max()))
      ->capture_default_str();
  add_signature(*command, options->mphf.signature_bits);
  command
      ->add_option("--hash", options->mphf.hash,
                   "key hash of mwhc2, mwhc3, fch, bmz and bdz; the others use xxh3; --seed random "
                   "replaces xxh3 by siphash")
      ->transform(one_of(key_hashes()))
      ->capture_default_str();
  command->add_flag(
      "--unbiased", options->mphf.unbiased,
      "for these: map hash values to [0, m) evenly, not by the dissertation's mod m, or "
      "mask and xor");
  command->callback([options, &action] {
    action = [options] {
      return run(
          *options,
          [&] {
            return build_mphf(options->input, options->output, options->mphf, options->options);
          },
          [&](const Share& shard) {
            return build_mphf_part(options->input.paths.front(), shard, options->output,
                                   options->mphf, options->options);
          },
          [&] { return estimate_mphf(options->input, options->mphf, options->options); });
    };
  });
}

void add_filter(CLI::App& build, Action& action) {
  struct Options : BuildCommand {
    FilterOptions filter;
  };
  auto options = std::make_shared<Options>();
  options->policies = {"error", "ignore", "count"};
  FilterOptions& filter = options->filter;
  CLI::App* command =
      build.add_subcommand("filter",
                           "key -> \"maybe\", or surely absent\n\n"
                           "Example: crivo build filter urls.txt -o urls.crv --fpr 0.001");
  options->add_to(*command, "KEYS", true);
  command->add_option("--type", filter.type, "which filter")
      ->transform(one_of(filter_types()))
      ->capture_default_str();
  CLI::Option* fpr =
      command
          ->add_option("--fpr", filter.fpr,
                       "the highest false-positive rate to allow: 0.001, 0.1% or 1/1000; "
                       "default 1/256")
          ->type_name("P")
          ->transform(rate_value());
  command
      ->add_option("--bits", filter.bits,
                   "instead of --fpr: fingerprint bits, 1 to 32, for a rate of about 2^-BITS; for "
                   "Bloom filters, bits per key")
      ->type_name("BITS")
      ->transform(decimal_value())
      ->excludes(fpr);
  command
      ->add_option("--capacity", filter.capacity,
                   "total capacity, to add keys later (bloom, counting-bloom, cuckoo)")
      ->type_name("N")
      ->transform(count_value());
  command
      ->add_option("--hashes", filter.hashes,
                   "probes per key; the default has the lowest rate (bloom, counting-bloom)")
      ->type_name("K")
      ->transform(count_value(1, 64));
  command->add_option("--counter-bits", filter.counter_bits, "bits per counter (counting-bloom)")
      ->type_name("BITS")
      ->transform(count_value(1, 32))
      ->capture_default_str();
  command->add_option("--arity", filter.arity, "slots per key: 3 or 4 (fuse)")
      ->type_name("N")
      ->transform(one_of({3, 4}))
      ->capture_default_str();
  command->add_flag("--semi-sorted", filter.semi_sorted,
                    "save a bit per fingerprint; lookups are slower (cuckoo)");
  option_named(*command, "--duplicates")
      ->description(
          "what to do with equal keys: error; ignore keeps one; count adds each one (--type "
          "counting-bloom, see crivo filter count)");
  command->callback([options, &action] {
    action = [options] {
      return run(
          *options,
          [&] {
            return build_filter(options->input, options->output, options->filter, options->options);
          },
          [&](const Share& shard) {
            return build_filter_part(options->input.paths.front(), shard, options->output,
                                     options->filter, options->options);
          },
          [&] { return estimate_filter(options->input, options->filter, options->options); });
    };
  });
}

void add_map(CLI::App& build, Action& action) {
  struct Options : BuildCommand {
    MapOptions map;
    std::string value_type = "unsigned";
  };
  auto options = std::make_shared<Options>();
  MapOptions& map = options->map;
  CLI::App* command = build.add_subcommand(
      "map",
      "key -> its line number, or a value of your own\n\n"
      "Line numbers count from 0. With --values the input is key<TAB>integer lines. Without\n"
      "--signature any key gets some value, also one outside the set.\n"
      "Example: crivo build map terms.tsv -o terms.crv --values --signature 16\n"
      "         crivo build map prices.csv -o prices.crv --values --csv --header --column 1,4\n"
      "           --value-type decimal --scale 2");
  options->add_to(*command, "KEYS", true);
  command->add_flag(
      "--values", map.values,
      "the input is key<TAB>value lines (with --null, key NUL value NUL); a value is a decimal "
      "integer, or what --value-type says");
  CLI::Option* type =
      command
          ->add_option("--value-type", options->value_type,
                       "unsigned (below 2^64), signed (from -2^63), or decimal (such as -12.50)")
          ->transform(one_of({"unsigned", "signed", "decimal"}))
          ->capture_default_str();
  command->add_option("--scale", map.form.scale, "digits after the point of a decimal, 0 to 18")
      ->type_name("N")
      ->transform(count_value(0, kMaxValueScale))
      ->needs(type);
  command
      ->add_option("--value-bits", map.value_bits,
                   "bits per value, 1 to 64; default: as many as the largest needs")
      ->type_name("BITS")
      ->transform(count_value(1, 64));
  command->add_option("--algorithm", map.algorithm, "which static function")
      ->transform(one_of(map_algorithms()))
      ->capture_default_str();
  command->add_option("--arity", map.arity, "slots per value: 3 or 4 (fuse)")
      ->type_name("N")
      ->transform(one_of({3, 4}))
      ->capture_default_str();
  command->add_flag(
      "--compress", map.compress,
      "if some values are frequent: store about their entropy, not their bits (ribbon)");
  add_signature(*command, map.signature_bits);
  command->callback([options, &action] {
    action = [options] {
      for (const ValueType each : {ValueType::signed_integer, ValueType::decimal}) {
        if (options->value_type == value_type_name(each)) options->map.form.type = each;
      }
      return run(
          *options,
          [&] {
            return build_map(options->input, options->output, options->map, options->options);
          },
          [&](const Share& shard) {
            return build_map_part(options->input.paths.front(), shard, options->output,
                                  options->map, options->options);
          },
          [&] { return estimate_map(options->input, options->map, options->options); });
    };
  });
}

void add_store(CLI::App& build, Action& action) {
  struct Options : BuildCommand {
    StoreOptions store;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = build.add_subcommand(
      "store",
      "key -> record, from lines key<TAB>record\n\n"
      "The output is a directory with an index file and, by default, an LMDB environment.\n"
      "Example: crivo build store pages.tsv -o pages && crivo get pages http://a.example/");
  options->policies = {"error", "ignore", "last", "all"};
  options->add_to(*command, "RECORDS", false);
  command->add_option("--algorithm", options->store.algorithm, "which MPHF")
      ->transform(one_of(mphf_algorithms()))
      ->capture_default_str();
  command
      ->add_option("--signature", options->store.signature_bits,
                   "refuse all but 2^-BITS of absent keys without reading a record: 8, 16 or 32")
      ->type_name("BITS")
      ->transform(one_of({8, 16, 32}))
      ->capture_default_str();
  command
      ->add_option("--backend", options->store.backend,
                   "where the records are: lmdb, an LMDB environment, whose records can be "
                   "changed; flat, a sealed file, with the quickest lookups")
      ->transform(one_of(store_backends()))
      ->capture_default_str();
  command
      ->add_option(
          "--codec", options->store.codec,
          "how records are compressed: none; tokens12 or tokens16, each record alone; zstd, "
          "in blocks; auto, the one of the first three that is smallest on a sample")
      ->transform(one_of(store_codecs()))
      ->capture_default_str();
  command
      ->add_option("--block", options->store.block_bytes,
                   "for zstd: bytes of records that are compressed together, 512 to 16K")
      ->type_name("SIZE")
      ->transform(size_value(512, 16384))
      ->capture_default_str();
  option_named(*command, "--duplicates")
      ->description(
          "what to do with equal keys: error; ignore keeps the first record in the order of the "
          "input; last keeps the last; all joins all of them by LF");
  command->callback([options, &action] {
    if (options->duplicates == "last") options->store.repeated = RepeatedRecords::last;
    if (options->duplicates == "all") options->store.repeated = RepeatedRecords::all;
    action = [options] {
      return run(
          *options,
          [&] {
            return build_store(options->input, options->output, options->store, options->options);
          },
          [&](const Share& shard) {
            return build_store_part(options->input.paths.front(), shard, options->output,
                                    options->store, options->options);
          },
          [&] { return estimate_store(options->input, options->store, options->options); });
    };
  });
}

}  // namespace

void add_build(CLI::App& app, Action&) {
  CLI::App* build = app.add_subcommand("build",
                                       "build an index from files of keys or records\n\n"
                                       "crivo build mphf --help, and so on, explains each kind.\n"
                                       "Example: crivo build mphf urls.txt -o urls.crv");
  build->require_subcommand(1);
}

std::span<const Command> build_commands() {
  static constexpr Command kCommands[] = {
      {"mphf", add_mphf}, {"filter", add_filter}, {"map", add_map}, {"store", add_store}};
  return kCommands;
}

}  // namespace crivo::cli
