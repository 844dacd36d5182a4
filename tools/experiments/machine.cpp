// SPDX-License-Identifier: Apache-2.0
#include "experiments/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
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

CpuClock cpu_clock() {
  CpuClock now;
  now.wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  std::timespec own{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  now.own = static_cast<double>(own.tv_sec) + static_cast<double>(own.tv_nsec) / 1e9;
  now.all = now.own;
  // user, nice, system, idle, iowait, irq, softirq, steal: all but the two in which it waits.
  std::ifstream stat("/proc/stat");
  std::string name;
  std::array<double, 8> ticks{};
  stat >> name;
  for (double& one : ticks) stat >> one;
  if (!stat || name != "cpu") return now;
  const double busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7];
  now.all = busy / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return now;
}

Taken taken_between(const CpuClock& begin, const CpuClock& end) noexcept {
  const double seconds = end.wall - begin.wall;
  const double own = end.own - begin.own;
  const double others = std::max(0.0, end.all - begin.all - own);
  constexpr double kTold = 0.1;  // the machine's times are in hundredths of a second
  return {.seconds = seconds,
          .cpu_seconds = own,
          .load = 1 + (seconds >= kTold ? others / seconds : 0)};
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
