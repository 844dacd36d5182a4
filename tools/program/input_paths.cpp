// SPDX-License-Identifier: Apache-2.0
#include "program/input_paths.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "crivo/error.hpp"
#include "program/option_groups.hpp"

namespace crivo::cli {
namespace {

[[noreturn]] void fail_at(const std::string& path, const char* what, int error) {
  throw Error(ErrorKind::io, path + ": " + what + ": " + std::strerror(error), {.file = path});
}

struct CloseList {
  void operator()(std::FILE* file) const noexcept {
    if (file != stdin) (void)std::fclose(file);
  }
};

/// Throws Error(bad_input) for more than 64 MiB, which a device sends without an end.
std::string whole_list(const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  const std::unique_ptr<std::FILE, CloseList> file(path == "-" ? stdin
                                                               : std::fopen(path.c_str(), "re"));
  if (file == nullptr) fail_at(path, "cannot open", errno);
  std::string text;
  std::array<char, 1 << 16> buffer;
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), size);
    if (text.size() > kMostBytes)
      throw Error(ErrorKind::bad_input, path + ": the list of files has more than 64 MiB",
                  {.file = path});
  }
  if (std::ferror(file.get()) != 0) fail_at(path, "cannot read", errno);
  return text;
}

/// The files that a list names, each on a line or, where one is there, before a NUL.
std::vector<std::string> listed_files(const std::string& path) {
  const std::string text = whole_list(path);
  const char end = text.find('\0') == std::string::npos ? '\n' : '\0';
  std::vector<std::string> files;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t behind = std::min(text.find(end, begin), text.size());
    if (behind != begin) files.push_back(text.substr(begin, behind - begin));
    begin = behind + 1;
  }
  if (files.empty()) throw Error(ErrorKind::usage, path + ": lists no files", {.file = path});
  return files;
}

void add_files_in(const std::filesystem::path& folder, std::vector<std::string>& files) {
  std::error_code error;
  std::vector<std::filesystem::path> entries;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (!at->path().filename().native().starts_with('.')) entries.push_back(at->path());
  }
  if (error) fail_at(folder.string(), "cannot read", error.value());
  std::ranges::sort(entries);
  for (const std::filesystem::path& entry : entries) {
    struct stat status {};
    if (::lstat(entry.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
      add_files_in(entry, files);
    } else if (::stat(entry.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
      files.push_back(entry.string());
    }
  }
}

}  // namespace

CLI::Option* add_input_paths(CLI::App& command, const std::string& name,
                             std::vector<std::string>& paths, const std::string& help) {
  CLI::Option* option = command.add_option(name, paths, help);
  add_files_from(command, paths);
  return option;
}

void add_files_from(CLI::App& command, std::vector<std::string>& paths) {
  const InGroup group(command, kInputGroup);
  command
      .add_option_function<std::string>(
          "--files-from",
          [&paths](const std::string& list) {
            for (std::string& file : listed_files(list)) paths.push_back(std::move(file));
            if (list == "-" && std::ranges::find(paths, "-") != paths.end())
              throw Error(ErrorKind::usage, "standard input (-) can be read only once");
          },
          "input files that FILE lists, a line each or as find -print0 does; - is standard input")
      ->type_name("FILE");
}

void require_inputs(std::vector<std::string>& paths, const std::string& name) {
  if (!paths.empty()) return;
  struct stat status {};
  const bool is_sent =
      ::fstat(STDIN_FILENO, &status) == 0 &&
      (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || S_ISREG(status.st_mode));
  if (!is_sent)
    throw Error(ErrorKind::usage, name + " is required: files, or a pipe to standard input");
  paths.emplace_back("-");
}

std::vector<std::string> with_files_in_folders(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    struct stat status {};
    if (path == "-" || ::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
      files.push_back(path);
      continue;
    }
    const std::size_t before = files.size();
    add_files_in(path, files);
    if (files.size() == before)
      throw Error(ErrorKind::usage, path + ": is a directory without files", {.file = path});
  }
  return files;
}

}  // namespace crivo::cli
