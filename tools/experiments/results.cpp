// SPDX-License-Identifier: Apache-2.0
#include "experiments/results.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "crivo/error.hpp"

namespace crivo::experiments {
namespace {

/// What every file of a directory says alike, but for the commit, which is the record's.
Json to_json(const Circumstances& about) {
  return {{"scale", about.scale},
          {"version", about.version},
          {"repeat", about.repeat},
          {"words", about.words},
          {"urls", about.urls}};
}

Circumstances circumstances_of(const Json& json) {
  Circumstances about;
  json.at("scale").get_to(about.scale);
  json.at("version").get_to(about.version);
  json.at("repeat").get_to(about.repeat);
  json.at("words").get_to(about.words);
  json.at("urls").get_to(about.urls);
  return about;
}

Json to_json(const Record& record) {
  const Machine& machine = record.machine;
  return {{"cpu", machine.cpu},
          {"cores", machine.cores},
          {"memory", machine.memory},
          {"system", machine.system},
          {"compiler", machine.compiler},
          {"commit", record.commit},
          {"first", record.first},
          {"last", record.last},
          {"seconds", record.seconds},
          {"steps", record.steps},
          {"least_load", record.least_load},
          {"most_load", record.most_load},
          {"load_sum", record.load_sum}};
}

/// An object with a field a line, so that a file that is kept in a repository can be read and
/// compared.
std::string lines_of(const Json& object) {
  std::string text = "{";
  const char* separator = "\n";
  for (const auto& [name, value] : object.items()) {
    text += separator + Json(name).dump() + ":" + value.dump();
    separator = ",\n";
  }
  return text + "\n}";
}

Record record_of(const Json& json) {
  Record record;
  json.at("cpu").get_to(record.machine.cpu);
  json.at("cores").get_to(record.machine.cores);
  json.at("memory").get_to(record.machine.memory);
  json.at("system").get_to(record.machine.system);
  json.at("compiler").get_to(record.machine.compiler);
  json.at("commit").get_to(record.commit);
  json.at("first").get_to(record.first);
  json.at("last").get_to(record.last);
  json.at("seconds").get_to(record.seconds);
  json.at("steps").get_to(record.steps);
  json.at("least_load").get_to(record.least_load);
  json.at("most_load").get_to(record.most_load);
  json.at("load_sum").get_to(record.load_sum);
  return record;
}

}  // namespace

Results::Results(std::filesystem::path path, Circumstances about)
    : path_(std::move(path)), about_(std::move(about)) {
  load(false);
}

Results::Results(std::filesystem::path path) : path_(std::move(path)) {
  load(true);
}

void Results::load(bool any_circumstances) {
  std::error_code error;
  if (!std::filesystem::exists(path_, error) && !error) return;
  std::ifstream file(path_, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) throw Error(ErrorKind::io, path_.string() + ": cannot read");
  try {
    const Json json = Json::parse(text);
    const Json& measured = json.at("about");
    if (any_circumstances) about_ = circumstances_of(measured);
    const Json wanted = to_json(about_);
    for (const auto& [field, value] : wanted.items()) {
      if (measured.at(field) == value) continue;
      throw Error(ErrorKind::usage, path_.string() + ": holds results of " + field + " " +
                                        measured.at(field).dump() + ", not " + value.dump() +
                                        "; name another directory with -o, or remove this one");
    }
    record_ = record_of(json.at("record"));
    complete_ = json.at("complete").get<bool>();
    steps_ = json.at("steps").get<Json::object_t>();
    const Json taken = json.value("taken", Json::object());
    for (const auto& [id, one] : taken.items()) {
      taken_[id] = {one.at("seconds"), one.at("cpu_seconds"), one.at("load")};
    }
  } catch (const Json::exception&) {
    corrupt("no results of this program; remove it to measure anew");
  }
}

const Json& Results::operator[](std::string_view id) const {
  const auto found = steps_.find(id);
  if (found == steps_.end()) corrupt("there is no step '" + std::string(id) + "'");
  return *found;
}

double Results::number(std::string_view id, std::string_view field) const {
  const Json& step = (*this)[id];
  const auto found = step.find(field);
  if (found == step.end() || !found->is_number()) {
    corrupt("the step '" + std::string(id) + "' has no number '" + std::string(field) + "'");
  }
  return found->get<double>();
}

std::optional<Taken> Results::taken(std::string_view id) const {
  const auto found = taken_.find(id);
  if (found == taken_.end()) return std::nullopt;
  return found->second;
}

void Results::put(std::string_view id, Json value, const Taken& taken) {
  if (record_.steps == 0) {
    record_.machine = this_machine();
    record_.commit = about_.commit;
    record_.first = time_of_day();
    record_.least_load = taken.load;
  } else if (record_.commit != about_.commit) {
    throw Error(ErrorKind::usage, path_.string() + ": was measured by commit " + record_.commit +
                                      ", and this is " + about_.commit +
                                      "; remove it to measure all of it by one");
  }
  record_.last = time_of_day();
  record_.seconds += taken.seconds;
  record_.least_load = std::min(record_.least_load, taken.load);
  record_.most_load = std::max(record_.most_load, taken.load);
  record_.load_sum += taken.load;
  ++record_.steps;
  steps_[std::string(id)] = std::move(value);
  taken_[std::string(id)] = taken;
  save();
}

void Results::finish() {
  complete_ = true;
  save();
}

void Results::save() const {
  Json taken = Json::object();
  for (const auto& [id, one] : taken_) {
    taken[id] = {{"seconds", one.seconds}, {"cpu_seconds", one.cpu_seconds}, {"load", one.load}};
  }
  const std::string text =
      "{\"about\":" + to_json(about_).dump() + ",\n\"record\":" + to_json(record_).dump() +
      ",\n\"complete\":" + (complete_ ? "true" : "false") + ",\n\"steps\":" + lines_of(steps_) +
      ",\n\"taken\":" + lines_of(taken) + "}\n";
  std::filesystem::path temporary = path_;
  temporary += ".new";
  {
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file << text << std::flush;
    if (!file) throw Error(ErrorKind::io, temporary.string() + ": cannot write");
  }
  std::error_code error;
  std::filesystem::rename(temporary, path_, error);
  if (error) throw Error(ErrorKind::io, path_.string() + ": " + error.message());
}

void Results::corrupt(const std::string& problem) const {
  throw Error(ErrorKind::corrupt, path_.string() + ": " + problem);
}

}  // namespace crivo::experiments
