// SPDX-License-Identifier: Apache-2.0
// Which files are mapped and which are read.
#include "file/mapped_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/temp_directory.hpp"

namespace crivo::file {
namespace {

void write(const std::filesystem::path& path, std::size_t size, char letter) {
  // In place, as no program should: the file stays the one that is open.
  std::ofstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  if (!file) file.open(path, std::ios::binary);
  file << std::string(size, letter);
}

char last_letter(const MappedFile& file) {
  return static_cast<char>(file.bytes().back());
}

TEST(MappedFile, MoreSmallFilesCanBeOpenThanAProcessMayHaveMappings) {
  const test::TempDirectory directory;
  const auto path = directory.path() / "small";
  write(path, 200, 'a');
  std::vector<MappedFile> open;
  for (int i = 0; i < 65'600; ++i) open.emplace_back(path, Loading::mapped);
  EXPECT_EQ(last_letter(open.front()), 'a');
  EXPECT_EQ(last_letter(open.back()), 'a');
}

TEST(MappedFile, ChangesShowInMappingsAloneAndSmallFilesAreReadWhereTheyNeedNotShow) {
  const test::TempDirectory directory;
  for (const std::size_t size : {std::size_t{1}, kReadBytes, kReadBytes + 1}) {
    for (const Loading loading :
         {Loading::mapped, Loading::preload, Loading::copy, Loading::for_a_pass, Loading::live}) {
      const auto path = directory.path() / std::to_string(size);
      write(path, size, 'a');
      MappedFile file(path, loading);
      ASSERT_EQ(file.bytes().size(), size);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file.bytes().data()) % 64, 0U);
      write(path, size, 'b');
      const bool mapped =
          loading == Loading::live || (size > kReadBytes && loading != Loading::copy);
      EXPECT_EQ(last_letter(file), mapped ? 'b' : 'a') << size;
      const MappedFile moved = std::move(file);
      if (loading != Loading::copy) moved.forget();
      EXPECT_EQ(last_letter(moved), mapped ? 'b' : 'a') << size;
      std::filesystem::remove(path);
    }
  }
}

}  // namespace
}  // namespace crivo::file
