// SPDX-License-Identifier: Apache-2.0
#include "experiments/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>

namespace crivo::experiments {
namespace {

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

std::string memory_size() {
  const auto bytes = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                     static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  return std::to_string(std::lround(bytes / (1 << 30))) + " GiB";
}

std::string system_name() {
  utsname name{};
  if (::uname(&name) != 0) return "unknown system";
  return std::string(name.sysname) + " " + name.release;
}

}  // namespace

Machine this_machine() {
#ifdef __clang__
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "gcc " __VERSION__;
#endif
  return {cpu_name(), std::thread::hardware_concurrency(), memory_size(), system_name(), compiler};
}

double load_average() {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 ? load : 0;
}

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &parts);
  return text.data();
}

}  // namespace crivo::experiments
