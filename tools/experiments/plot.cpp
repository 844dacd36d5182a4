#include "experiments/plot.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "crivo/error.hpp"

namespace crivo::experiments {
namespace {

/// Told apart by the colour-blind too (Okabe and Ito).
constexpr std::array kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                              "#e69f00", "#56b4e9", "#000000"};

/// A string of gnuplot's: in single quotes, which it doubles.
std::string quoted(const std::string& text) {
  std::string all = "'";
  for (const char c : text) {
    all += c;
    if (c == '\'') all += c;
  }
  return all + "'";
}

const char* style_of(Series::Style style) noexcept {
  switch (style) {
    case Series::Style::points:
      return "points pointtype 7 pointsize 0.6";
    case Series::Style::line:
      return "lines linewidth 1.5";
    case Series::Style::linespoints:
      return "linespoints linewidth 1.5 pointtype 7 pointsize 0.5";
    case Series::Style::error_bars:
      return "yerrorbars linewidth 1.2 pointtype 7 pointsize 0.4";
    case Series::Style::steps:
      break;
  }
  return "histeps linewidth 1.5";
}

/// Blocks of lines `x y error`, one a series, two blank lines between them.
std::string data_of(const Plot& plot) {
  std::string text = "# " + plot.title + "\n";
  for (const Series& series : plot.series) {
    text += "# " + series.title + "\n";
    for (const PlotPoint& point : series.points) {
      std::array<char, 100> line{};
      std::snprintf(line.data(), line.size(), "%.10g %.10g %.10g\n", point.x, point.y, point.error);
      text += line.data();
    }
    text += "\n\n";
  }
  return text;
}

std::string script_of(const Plot& plot) {
  std::string text =
      "set terminal svg size 760,460 font 'sans-serif,13' background 'white'\n"
      "set output " +
      quoted(plot.name + ".svg") + "\nset title " + quoted(plot.title) +
      " noenhanced\nset xlabel " + quoted(plot.x.title) + " noenhanced\nset ylabel " +
      quoted(plot.y.title) + " noenhanced\nset key outside right top noenhanced\nset grid\n";
  if (plot.x.logarithmic) text += "set logscale x\n";
  if (plot.y.logarithmic) text += "set logscale y\n";
  text += "plot";
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    text += (i == 0 ? " " : ", \\\n  ") + quoted(plot.name + ".dat") + " index " +
            std::to_string(i) + " title " + quoted(series.title) + " with " +
            style_of(series.style) + " linecolor rgb " + quoted(kColours[i % kColours.size()]);
  }
  return text + "\n";
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  if (!file) throw Error(ErrorKind::io, path.string() + ": cannot write");
}

/// Runs `gnuplot argument` in `directory`, silently.
void run_gnuplot(const std::filesystem::path& directory, const std::string& argument) {
  const std::string program = "gnuplot";
  std::array arguments{const_cast<char*>(program.c_str()), const_cast<char*>(argument.c_str()),
                       static_cast<char*>(nullptr)};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments.data(), ::environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) {
    throw Error(ErrorKind::io,
                "there is no program gnuplot, which draws the plots; install it (apt-get install "
                "gnuplot-nox)");
  }
  if (error != 0) {
    throw Error(ErrorKind::io, std::string("gnuplot cannot be run: ") + std::strerror(error));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw Error(ErrorKind::io, "gnuplot " + argument + " failed in " + directory.string());
  }
}

}  // namespace

void check_gnuplot() {
  run_gnuplot("/", "--version");
}

void draw(const Plot& plot, const std::filesystem::path& directory) {
  write_file(directory / (plot.name + ".dat"), data_of(plot));
  write_file(directory / (plot.name + ".gp"), script_of(plot));
  run_gnuplot(directory, plot.name + ".gp");
}

}  // namespace crivo::experiments
