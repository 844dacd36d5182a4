// SPDX-License-Identifier: Apache-2.0
// Which names an output may have is told before any work is done.

#include "file/output_target.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "support/outputs.hpp"

namespace crivo::file {
namespace {

using test::expect_usage_error;

class Target : public test::Outputs {
 protected:
  /// Refuses these files of the test's directory as inputs of the target.
  void refuse(const OutputTarget& target, const std::vector<std::string>& names) const {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back(at(name).string());
    target.refuse_inputs(paths);
  }
};

TEST_F(Target, IsFreeOrMayBeReplaced) {
  EXPECT_FALSE(OutputTarget::file(at("out"), IfExists::refuse).look());
  write("out", "old");
  expect_usage_error([&] { OutputTarget::file(at("out"), IfExists::refuse); }, "already exists");
  EXPECT_TRUE(OutputTarget::file(at("out"), IfExists::replace).look());
}

TEST_F(Target, NamesThatAreNone) {
  for (const std::string name : {".", "..", ""}) {
    expect_usage_error([&] { OutputTarget::file(at(name), IfExists::replace); },
                       "is not a name for an output");
    expect_usage_error([&] { OutputTarget::directory(at(name), IfExists::replace, {}); },
                       "is not a name for an output");
  }
  test::error_of(ErrorKind::io, [&] { OutputTarget::file(at("none") / "out", IfExists::refuse); });
  const std::string longest(255, 'n');
  EXPECT_EQ(OutputTarget::file(at(longest), IfExists::refuse).name(), longest);
  expect_usage_error([&] { OutputTarget::file(at(longest + "n"), IfExists::refuse); },
                     "the name is too long");
}

TEST_F(Target, IsNothingButARegularFile) {
  std::filesystem::create_directory(at("directory"));
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  at("socket").string().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::close(fd);
  for (const auto& path : {at("directory"), at("fifo"), at("socket"), Target::at("/dev/null")}) {
    const char* const said = path == at("directory") ? "is a directory" : "a pipe or a device";
    expect_usage_error([&] { OutputTarget::file(path, IfExists::replace); }, said);
    std::filesystem::remove(at("link"));
    std::filesystem::create_symlink(path, at("link"));
    expect_usage_error([&] { OutputTarget::file(at("link"), IfExists::replace); }, said);
  }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(Target, FollowsASymbolicLink) {
  std::filesystem::create_directory(at("sub"));
  write("sub/file", "old");
  std::filesystem::create_symlink("sub/file", at("link"));
  std::filesystem::create_symlink("link", at("twice"));
  const auto target = OutputTarget::file(at("twice"), IfExists::replace);
  EXPECT_EQ(target.name(), "file");
  EXPECT_EQ(target.path(), at("twice"));
  EXPECT_TRUE(std::filesystem::equivalent(target.place(), at("sub/file")));
  expect_usage_error([&] { OutputTarget::file(at("link"), IfExists::refuse); }, "exists");
  std::filesystem::create_symlink("nowhere", at("dangling"));
  expect_usage_error([&] { OutputTarget::file(at("dangling"), IfExists::replace); },
                     "broken symbolic link");
  std::filesystem::create_symlink("circle", at("circle"));
  expect_usage_error([&] { OutputTarget::file(at("circle"), IfExists::replace); },
                     "symbolic link to itself");
}

TEST_F(Target, IsNoneOfTheInputs) {
  write("out", "keys");
  write("other", "keys");
  std::filesystem::create_hard_link(at("out"), at("hard"));
  std::filesystem::create_symlink("out", at("soft"));
  const OutputTarget out = OutputTarget::file(at("out"), IfExists::replace);
  for (const std::string name : {"out", "hard", "soft"}) {
    expect_usage_error([&] { refuse(out, {"other", name}); }, "is also an input");
    expect_usage_error(
        [&] {
          refuse(OutputTarget::file(at(name), IfExists::replace), {"none", "out"});
        },
        "is also an input");
  }
  EXPECT_TRUE(out.is_among({at("other").string(), at("hard").string()}));
  EXPECT_FALSE(out.is_among({at("other").string(), at("none").string()}));
  refuse(out, {"other", "none"});
  refuse(OutputTarget::file(at("free"), IfExists::refuse), {"out", "free"});
}

TEST_F(Target, ADirectoryHoldsNothingButItsMembers) {
  const std::vector<std::string> members{"a", "b"};
  const auto target = [&] {
    return OutputTarget::directory(at("store"), IfExists::replace, members);
  };
  const auto look = [&] { return target().look(); };
  EXPECT_FALSE(look());
  std::filesystem::create_directory(at("store"));
  EXPECT_TRUE(look());
  write("store/a", "a");
  EXPECT_TRUE(look());
  refuse(target(), {"store/b"});
  expect_usage_error([&] { refuse(target(), {"store/b", "store/a"}); }, "holds a, an input");
  expect_usage_error([&] { refuse(target(), {"store"}); }, "is also an input");
  std::filesystem::create_symlink("a", at("store/b"));
  expect_usage_error([&] { look(); }, "holds b, which is not from Crivo");
  std::filesystem::remove(at("store/b"));
  std::filesystem::create_directory(at("store/b"));
  write("store/b/diary", "mine");
  expect_usage_error([&] { look(); }, "holds b, which is not from Crivo");
  EXPECT_EQ(read("store/b/diary"), "mine");
  std::filesystem::create_symlink("store", at("link"));
  std::filesystem::remove_all(at("store/b"));
  EXPECT_EQ(OutputTarget::directory(at("link"), IfExists::replace, members).name(), "store");
  write("file", "");
  expect_usage_error([&] { OutputTarget::directory(at("file"), IfExists::replace, members); },
                     "not a directory");
}

}  // namespace
}  // namespace crivo::file
