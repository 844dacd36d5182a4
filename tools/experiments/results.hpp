// SPDX-License-Identifier: Apache-2.0
/// What an experiment has measured, on disk after every step, so that an interrupted run goes on.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "experiments/machine.hpp"

namespace crivo::experiments {

using Json = nlohmann::json;

/// What all results of one directory have in common.
struct Circumstances {
  std::string scale;
  std::string version{};  ///< of the program
  unsigned repeat = 0;    ///< the most repetitions of anything
  std::string words{};    ///< which keys: "generated", or a file's description
  std::string urls{};
  std::string commit{};  ///< that the program was built from: all steps of a file have one
};

/// When and where the steps of a file were measured.
struct Record {
  Machine machine;
  std::string commit;
  std::string first;      ///< time of day of the first step's end,
  std::string last;       ///< and of the last one's
  double seconds = 0;     ///< that the steps took, as time passes
  unsigned steps = 0;     ///< that were measured
  double least_load = 0;  ///< of the steps
  double most_load = 0;
  double load_sum = 0;
};

/// The steps of one experiment by their ids, and the file that keeps them. Not for several threads.
class Results {
 public:
  /// Those that `path` holds; none if there is no such file. Throws Error: usage if they were
  /// measured under other circumstances, corrupt if the file is not one of these, io.
  Results(std::filesystem::path path, Circumstances about);
  /// The same under whatever circumstances: to be reported, not to be added to.
  explicit Results(std::filesystem::path path);

  bool has(std::string_view id) const { return steps_.contains(id); }
  /// The same for a report: where not all steps were measured, one may be missing. Throws
  /// Error(corrupt) if it is missing from results that are complete.
  bool measured(std::string_view id) const { return has(id) || (complete_ && ((*this)[id], true)); }
  bool empty() const noexcept { return steps_.empty(); }
  /// What the step measured. Throws Error(corrupt) if there is no such step.
  const Json& operator[](std::string_view id) const;
  /// The number `field` of a step. Throws Error(corrupt) if there is none.
  double number(std::string_view id, std::string_view field) const;

  /// What measuring the step took, if the file says it: older ones do not.
  std::optional<Taken> taken(std::string_view id) const;

  /// Adds a step, and writes the file anew: whole or not at all, whenever the process may end.
  /// Throws Error(usage) if the others were measured by another commit.
  void put(std::string_view id, Json value, const Taken& taken = {});

  /// Whether all steps were measured, which the experiment's end says.
  bool complete() const noexcept { return complete_; }
  void finish();

  const Circumstances& about() const noexcept { return about_; }
  const Record& record() const noexcept { return record_; }
  bool full() const noexcept { return about_.scale == "full"; }

 private:
  void load(bool any_circumstances);
  void save() const;
  [[noreturn]] void corrupt(const std::string& problem) const;

  std::filesystem::path path_;
  Circumstances about_;
  Record record_;
  Json steps_ = Json::object();
  std::map<std::string, Taken, std::less<>> taken_;
  bool complete_ = false;
};

}  // namespace crivo::experiments
