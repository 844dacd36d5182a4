// SPDX-License-Identifier: Apache-2.0
/// What the commands that change chains of layers share: crivo rows and crivo filterset.
#pragma once

#include <string>
#include <utility>

#include "crivo/build/edit.hpp"
#include "program/common.hpp"
#include "program/notes.hpp"
#include "program/progress_line.hpp"
#include "program/work_options.hpp"

namespace crivo::cli {

struct LayersCommand {
  std::string noun;  ///< of what layers name: "file" or "group"
  std::string path;
  std::string output;  ///< empty: `path`
  KeyInput input;
  FormatOptions formats;
  LayersEdit edit;
  NoteOptions notes;
  WorkOptions work;
  BuildOptions options;
  ReportOptions reports;

  explicit LayersCommand(std::string what) : noun(std::move(what)) {}
  virtual ~LayersCommand() = default;
  void add_path(CLI::App& command, const char* help);
  void add_pairs(CLI::App& command, const char* help);
  /// Adds --remove, for names that go in the same step.
  void add_removed(CLI::App& command);
  /// Adds NAME, for names that go.
  void add_names(CLI::App& command);
  void add_output(CLI::App& command);
  /// Adds the options of every change.
  void add_rest(CLI::App& command);

  /// Runs a change with a progress line, and tells what it did.
  template <typename Change>
  int run(Change&& change) {
    resolve();
    Progress progress;
    options.resources.progress = &progress;
    LayersChange done;
    {
      const ProgressLine line(progress, reports, input.paths);
      done = change();
    }
    return report(done);
  }

 private:
  /// Gives the input its format.
  virtual void put_format() { input.format = formats.format(); }
  void resolve();
  int report(const LayersChange& done) const;
};

}  // namespace crivo::cli
