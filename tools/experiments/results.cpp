#include "experiments/results.hpp"

#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "crivo/error.hpp"

namespace crivo::experiments {
namespace {

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

}  // namespace

Results::Results(std::filesystem::path path, Circumstances about)
    : path_(std::move(path)), about_(std::move(about)) {
  std::error_code error;
  if (!std::filesystem::exists(path_, error) && !error) return;
  std::ifstream file(path_, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) throw Error(ErrorKind::io, path_.string() + ": cannot read");
  try {
    const Json json = Json::parse(text);
    const auto scale = json.at("scale").get<std::string>();
    const auto version = json.at("version").get<std::string>();
    if (scale != about_.scale || version != about_.version) {
      throw Error(ErrorKind::usage, path_.string() + ": holds results of version " + version +
                                        " at scale " + scale +
                                        "; name another directory with -o, or remove this one");
    }
    cpu_ = json.at("cpu").get<std::string>();
    complete_ = json.at("complete").get<bool>();
    steps_ = json.at("steps").get<Json::object_t>();
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

void Results::put(std::string_view id, Json value) {
  steps_[std::string(id)] = std::move(value);
  if (cpu_.empty()) cpu_ = cpu_name();
  save();
}

void Results::finish() {
  complete_ = true;
  save();
}

void Results::save() const {
  const Json json{{"scale", about_.scale},
                  {"version", about_.version},
                  {"cpu", cpu_},
                  {"complete", complete_},
                  {"steps", steps_}};
  std::filesystem::path temporary = path_;
  temporary += ".new";
  {
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file << json.dump(1) << '\n' << std::flush;
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
