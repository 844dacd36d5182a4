// SPDX-License-Identifier: Apache-2.0
#include "program/work_options.hpp"

#include <limits>

#include "program/option_groups.hpp"
#include "program/values.hpp"

namespace crivo::cli {

void WorkOptions::add_to(CLI::App& command) {
  const InGroup resources(command, kResourcesGroup);
  command.add_option("--threads", threads, "threads; 0 is one per core")
      ->type_name("N")
      ->transform(count_value(0, 1024))
      ->capture_default_str();
  command.add_option("--temp-dir", temp_dir, "for temporary files; default $TMPDIR or /tmp")
      ->type_name("DIR");
  command
      .add_option("--memory", memory_bytes,
                  "memory budget, such as 2G or 512M, kept within 64M; what does not fit goes to "
                  "temporary files; default: three quarters of what is free")
      ->type_name("SIZE")
      ->transform(size_value(1, std::numeric_limits<std::uint64_t>::max() / 4, true));
}

void WorkOptions::put_in(Resources& resources) const {
  resources.threads = threads;
  resources.temp_dir = temp_dir;
  resources.memory = memory_bytes;
}

void add_resume(CLI::App& command, std::filesystem::path& directory) {
  const InGroup resources(command, kResourcesGroup);
  command
      .add_option_function<std::string>(
          "--resume", [&directory](const std::string& path) { directory = path; },
          "keep what was read in this directory, so that a build that was killed resumes from "
          "there when it is run again; removed on success")
      ->type_name("DIR");
}

void add_passes(CLI::App& command, std::string& again, std::uint64_t& passes) {
  const InGroup resources(command, kResourcesGroup);
  command
      .add_option("--passes", passes,
                  "read the input N times, for an N-th of the keys each: temporary files are so "
                  "much smaller")
      ->type_name("N")
      ->transform(count_value(1, 4096));
  command
      .add_option("--again", again,
                  "read what this command writes instead of files; it is run for each of --passes")
      ->type_name("COMMAND");
}

void add_allow_empty_set(CLI::App& command, bool& allow) {
  const InGroup output(command, kOutputGroup);
  command.add_flag("--allow-empty-set", allow, "do not warn if the input has no keys");
}

}  // namespace crivo::cli
