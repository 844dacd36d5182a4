/// What an experiment has measured, on disk after every step, so that an interrupted run goes on.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace crivo::experiments {

using Json = nlohmann::json;

/// What all results of one directory have in common.
struct Circumstances {
  std::string scale;
  std::string version;  ///< of the program
};

/// The steps of one experiment by their ids, and the file that keeps them. Not for several threads.
class Results {
 public:
  /// Those that `path` holds; none if there is no such file. Throws Error: usage if they were
  /// measured under other circumstances, corrupt if the file is not one of these, io.
  Results(std::filesystem::path path, Circumstances about);

  bool has(std::string_view id) const { return steps_.contains(id); }
  /// What the step measured. Throws Error(corrupt) if there is no such step.
  const Json& operator[](std::string_view id) const;
  /// The number `field` of a step. Throws Error(corrupt) if there is none.
  double number(std::string_view id, std::string_view field) const;

  /// Adds a step and writes the file anew: whole or not at all, whenever the process may end.
  void put(std::string_view id, Json value);

  /// Whether all steps were measured, which the experiment's end says.
  bool complete() const noexcept { return complete_; }
  void finish();

  const Circumstances& about() const noexcept { return about_; }
  /// The name of the processor that measured the last step.
  const std::string& cpu() const noexcept { return cpu_; }

 private:
  void save() const;
  [[noreturn]] void corrupt(const std::string& problem) const;

  std::filesystem::path path_;
  Circumstances about_;
  std::string cpu_;
  Json steps_ = Json::object();
  bool complete_ = false;
};

}  // namespace crivo::experiments
