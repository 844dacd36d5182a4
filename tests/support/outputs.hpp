// SPDX-License-Identifier: Apache-2.0
/// A directory in which outputs are made, and what a test says of it.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "crivo/error.hpp"
#include "support/errors.hpp"
#include "support/read_file.hpp"
#include "support/temp_directory.hpp"

namespace crivo::test {

class Outputs : public testing::Test {
 protected:
  using Names = std::set<std::string>;

  std::filesystem::path at(const std::string& name) const { return directory_.path() / name; }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name), std::ios::binary) << text;
  }
  std::string read(const std::string& name) const { return text_of(at(name)); }
  /// The names in the test's directory, hidden ones too.
  Names names(const std::string& sub = ".") const {
    Names found;
    for (const auto& entry : std::filesystem::directory_iterator(at(sub))) {
      found.insert(entry.path().filename().string());
    }
    return found;
  }
  struct stat status(const std::string& name) const {
    struct stat status {};
    EXPECT_EQ(::lstat(at(name).c_str(), &status), 0) << name;
    return status;
  }
  /// The permissions, with set-user-ID and set-group-ID.
  mode_t mode(const std::string& name) const { return status(name).st_mode & 07777; }

  TempDirectory directory_;
};

/// `work` throws Error(usage) whose message has `part` in it.
template <typename Work>
void expect_usage_error(Work&& work, const std::string& part) {
  const std::string message = error_of(ErrorKind::usage, work);
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

}  // namespace crivo::test
