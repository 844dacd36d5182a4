// SPDX-License-Identifier: Apache-2.0
// A file gets its name when it is whole; until then the old one stays as it was.

#include "file/pending_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <optional>
#include <thread>

#include "file/names.hpp"
#include "support/outputs.hpp"

namespace crivo::file {
namespace {

using test::expect_usage_error;

class Pending : public test::Outputs {
 protected:
  OutputTarget target(IfExists if_exists, const std::string& name = "out") const {
    return OutputTarget::file(at(name), if_exists);
  }
  void publish(const std::string& text, const std::string& name = "out") const {
    PendingFile file(target(IfExists::replace, name));
    file.write_at(0, base::as_bytes(text));
    EXPECT_EQ(file.publish(), Warnings{});
  }
};

TEST_F(Pending, HasNoNameUntilPublished) {
  {
    PendingFile file(target(IfExists::refuse));
    file.write_at(3, base::as_bytes("def"));
    file.write_at(0, base::as_bytes("abc"));
    std::ifstream again(file.path_to_open());
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(again), {}), "abcdef");
    EXPECT_FALSE(std::filesystem::exists(at("out")));
    EXPECT_EQ(file.publish(), Warnings{});
    EXPECT_EQ(names(), Names{"out"});
  }
  EXPECT_EQ(names(), Names{"out"});
  EXPECT_EQ(read("out"), "abcdef");
}

TEST_F(Pending, LeavesNothingWhenDropped) {
  write("out", "old");
  {
    PendingFile file(target(IfExists::replace));
    file.write_at(0, base::as_bytes("new"));
  }
  EXPECT_EQ(names(), Names{"out"});
  EXPECT_EQ(read("out"), "old");
}

TEST_F(Pending, RefusesANameThatIsTaken) {
  PendingFile file(target(IfExists::refuse));
  file.write_at(0, base::as_bytes("new"));
  write("out", "old");  // after the work began
  expect_usage_error([&] { (void)file.publish(); }, "exists");
  EXPECT_EQ(read("out"), "old");
}

TEST_F(Pending, ReplacesAFileAtOnce) {
  write("out", "old");
  std::ifstream reader(at("out"));
  publish("new one");
  EXPECT_EQ(read("out"), "new one");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "old");  // who has it keeps it
  EXPECT_EQ(names(), Names{"out"});
  publish("", "other");  // nothing to replace
  EXPECT_EQ(names(), (Names{"other", "out"}));
}

TEST_F(Pending, ReplacesNoDirectory) {
  PendingFile file(target(IfExists::replace));
  std::filesystem::create_directory(at("out"));  // after the work began
  expect_usage_error([&] { (void)file.publish(); }, "is a directory");
  EXPECT_EQ(names(), Names{"out"});
}

TEST_F(Pending, KeepsOwnerAndPermissions) {
  for (const mode_t kept : {0600, 0644, 0640, 0755, 0400}) {
    write("out", "old");
    ASSERT_EQ(::chmod(at("out").c_str(), kept), 0);
    publish("new");
    EXPECT_EQ(mode("out"), kept);
    std::filesystem::remove(at("out"));
  }
  write("out", "old");
  ASSERT_EQ(::chmod(at("out").c_str(), 06755), 0);
  publish("new");
  EXPECT_EQ(mode("out"), 0755U);  // set-user-ID was given to another content
  if (::geteuid() != 0) return;   // only root may give a file away
  ASSERT_EQ(::chown(at("out").c_str(), 1234, 2345), 0);
  publish("newer");
  EXPECT_EQ(status("out").st_uid, 1234U);
  EXPECT_EQ(status("out").st_gid, 2345U);
  EXPECT_EQ(mode("out"), 0755U);
}

TEST_F(Pending, KeepsASymbolicLink) {
  std::filesystem::create_directory(at("sub"));
  write("sub/file", "old");
  std::filesystem::create_symlink("sub/file", at("out"));
  publish("new");
  EXPECT_TRUE(std::filesystem::is_symlink(at("out")));
  EXPECT_EQ(read("sub/file"), "new");
  EXPECT_EQ(names("sub"), Names{"file"});
}

TEST_F(Pending, HasRoomForTheLongestName) {
  const std::string longest(255, 'n');
  publish("first", longest);
  publish("second", longest);
  EXPECT_EQ(read(longest), "second");
  EXPECT_EQ(names(), Names{longest});
}

TEST_F(Pending, RemovesWhatKilledProcessesLeft) {
  const OutputTarget out = target(IfExists::replace);
  const std::string left = temporary_name(out);
  const std::string live = temporary_name(out);
  const std::string of_another = temporary_name(target(IfExists::replace, "other"));
  write(left, "a part");
  write(live, "a part");
  write(of_another, "a part");
  const base::FileDescriptor maker(::open(at(live).c_str(), O_RDONLY));
  ASSERT_TRUE(lock_at_once(maker.get()));
  publish("whole");
  EXPECT_EQ(names(), (Names{live, of_another, "out"}));
}

TEST_F(Pending, TemporaryNamesDiffer) {
  const OutputTarget out = target(IfExists::replace);
  std::set<std::string> made;
  for (int i = 0; i < 1000; ++i) made.insert(temporary_name(out));
  EXPECT_EQ(made.size(), 1000U);
  EXPECT_EQ(made.begin()->size(), 44U);
}

TEST_F(Pending, WaitsForWhoHoldsTheOutput) {
  write("out", "old");
  std::optional<OutputLock> editor(std::in_place, target(IfExists::replace));
  std::future<void> build = std::async(std::launch::async, [&] { publish("built"); });
  PendingFile edited(target(IfExists::replace));
  edited.write_at(0, base::as_bytes("edited " + read("out")));
  EXPECT_EQ(edited.publish(*editor), Warnings{});
  // The build is still to come, since it waited or had not begun.
  editor.reset();
  build.get();
  EXPECT_EQ(read("out"), "built");
}

TEST_F(Pending, EditsOfOneFileFollowOneAnother) {
  write("out", "");
  constexpr int kEdits = 50;
  const auto append = [&](char letter) {
    for (int i = 0; i < kEdits; ++i) {
      const OutputTarget out = target(IfExists::replace);
      const OutputLock lock(out);
      PendingFile file(out);
      file.write_at(0, base::as_bytes(read("out") + letter));
      EXPECT_EQ(file.publish(lock), Warnings{});
    }
  };
  std::jthread first(append, 'a');
  std::jthread second(append, 'b');
  first.join();
  second.join();
  const std::string text = read("out");
  EXPECT_EQ(std::ranges::count(text, 'a'), kEdits);
  EXPECT_EQ(std::ranges::count(text, 'b'), kEdits);
  EXPECT_EQ(names(), Names{"out"});
}

TEST_F(Pending, LeavesWhatAnotherProgramPutThere) {
  write("out", "old");
  const OutputLock lock(target(IfExists::replace));
  PendingFile file(target(IfExists::replace));
  write("theirs", "theirs");
  std::filesystem::rename(at("theirs"), at("out"));
  const std::string message = test::error_of(ErrorKind::io, [&] { (void)file.publish(lock); });
  EXPECT_NE(message.find("replaced it in the meantime"), std::string::npos) << message;
  EXPECT_EQ(read("out"), "theirs");
}

TEST_F(Pending, SaysWhyItIsFull) {
  PendingFile file(target(IfExists::refuse));
  file.write_at(0, base::as_bytes("abc"));
  EXPECT_EQ(file.why_full(), 0);
}

/// Past the page cache too, where the file system allows it: whole pieces, those that a flush cut
/// short, and what is written anew in the middle.
TEST_F(Pending, AppenderWritesAllInOrder) {
  for (const bool bypasses : {false, true}) {
    std::string expected;
    PendingFile file(target(IfExists::replace));
    if (bypasses) file.bypass_cache();
    Appender appender(file);
    for (const std::size_t size :
         {1U, 1U << 19, 1U << 19, 0U, 1U << 20, 2U << 20, (1U << 20) + 1, 3U, 5U << 20}) {
      const std::string piece(size, static_cast<char>('a' + size % 23));
      appender.append(base::as_bytes(piece));
      expected += piece;
      EXPECT_EQ(appender.size(), expected.size());
      if (size == 0 || size == 3) appender.flush();  // as a section that is mapped meanwhile is
    }
    appender.append(base::as_bytes(std::string((2U << 20) - expected.size() % (2U << 20), 'z')));
    expected.resize((expected.size() / (2U << 20) + 1) * (2U << 20), 'z');
    appender.flush();
    file.write_at(7, base::as_bytes("header"));
    expected.replace(7, 6, "header");
    (void)file.publish();
    EXPECT_TRUE(read("out") == expected) << bypasses;
  }
}

}  // namespace
}  // namespace crivo::file
