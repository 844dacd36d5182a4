#include "file/pending_directory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>

#include "file/leftovers.hpp"
#include "support/outputs.hpp"

namespace crivo::file {
namespace {

using test::expect_usage_error;

class PendingFolder : public test::Outputs {
 protected:
  OutputTarget target(IfExists if_exists, const std::string& name = "store") const {
    return OutputTarget::directory(at(name), if_exists, {"a", "b", "lock"});
  }
  /// `between` is done when all is written, and before it is published.
  void publish(IfExists if_exists, const std::string& text,
               const std::function<void()>& between = {}, const std::string& name = "store") {
    const OutputTarget out = target(if_exists, name);
    PendingFile a(out);
    PendingFile b(out);
    a.write_at(0, base::as_bytes("a " + text));
    b.write_at(0, base::as_bytes("b " + text));
    if (between) between();
    EXPECT_EQ(PendingDirectory(out, {{"a", &a}, {"b", &b}}).publish(), Warnings{});
  }
  void expect_store(const std::string& text) {
    EXPECT_EQ(names(), Names{"store"});
    EXPECT_EQ(read("store/a"), "a " + text);
    EXPECT_EQ(read("store/b"), "b " + text);
    EXPECT_EQ(names("store"), (Names{"a", "b"}));
  }
};
using PendingDirectoryTest = PendingFolder;

TEST_F(PendingDirectoryTest, IsPublishedWhole) {
  publish(IfExists::refuse, "1");
  expect_store("1");
}

TEST_F(PendingDirectoryTest, RefusesANameThatIsTaken) {
  expect_usage_error(
      [&] { publish(IfExists::refuse, "2", [&] { publish(IfExists::refuse, "1"); }); }, "exists");
  expect_store("1");
}

TEST_F(PendingDirectoryTest, ExchangesTheOldOne) {
  publish(IfExists::replace, "1");
  publish(IfExists::replace, "2");
  expect_store("2");
  write("store/lock", "another's");
  publish(IfExists::replace, "3");
  expect_store("3");
}

TEST_F(PendingDirectoryTest, ReplacesNothingThatIsNotOurs) {
  publish(IfExists::refuse, "1");
  const auto keep_a_diary = [&] { write("store/diary", "mine"); };
  expect_usage_error([&] { publish(IfExists::replace, "2", keep_a_diary); },
                     "holds diary, which is not ours");
  EXPECT_EQ(names(), Names{"store"});
  EXPECT_EQ(read("store/a"), "a 1");
  EXPECT_EQ(read("store/diary"), "mine");
}

TEST_F(PendingDirectoryTest, ReplacesNoFile) {
  expect_usage_error([&] { publish(IfExists::replace, "2", [&] { write("store", "a file"); }); },
                     "no directory");
  EXPECT_EQ(names(), Names{"store"});
}

TEST_F(PendingDirectoryTest, TakesAnEmptyDirectory) {
  std::filesystem::create_directory(at("store"));
  write("plain", "");
  publish(IfExists::replace, "1");
  EXPECT_EQ(mode("store/a"), mode("plain"));
  std::filesystem::remove(at("plain"));
  expect_store("1");
}

TEST_F(PendingDirectoryTest, TakesAPlaceThatWasFreeAtFirst) {
  publish(IfExists::replace, "2", [&] { publish(IfExists::replace, "1"); });
  expect_store("2");
}

TEST_F(PendingDirectoryTest, KeepsOwnerAndPermissions) {
  publish(IfExists::refuse, "1");
  ASSERT_EQ(::chmod(at("store/a").c_str(), 0640), 0);
  ASSERT_EQ(::chmod(at("store/b").c_str(), 04600), 0);
  ASSERT_EQ(::chmod(at("store").c_str(), 0500), 0);
  const bool root = ::geteuid() == 0;
  if (root) {
    for (const char* name : {"store", "store/a", "store/b"}) {
      ASSERT_EQ(::chown(at(name).c_str(), 1234, 2345), 0);
    }
  }
  publish(IfExists::replace, "2");
  expect_store("2");
  EXPECT_EQ(mode("store/a"), 0640U);
  EXPECT_EQ(mode("store/b"), 0600U);
  EXPECT_EQ(mode("store"), 0500U);
  for (const char* name : {"store", "store/a", "store/b"}) {
    EXPECT_EQ(status(name).st_uid, root ? 1234 : ::geteuid());
  }
  ASSERT_EQ(::chmod(at("store").c_str(), 0700), 0);
}

TEST_F(PendingDirectoryTest, KeepsASymbolicLink) {
  publish(IfExists::refuse, "1");
  std::filesystem::create_symlink("store", at("link"));
  publish(IfExists::replace, "2", {}, "link");
  EXPECT_TRUE(std::filesystem::is_symlink(at("link")));
  std::filesystem::remove(at("link"));
  expect_store("2");
}

TEST_F(PendingDirectoryTest, RemovesWhatKilledProcessesLeft) {
  publish(IfExists::refuse, "1");
  const std::string old = temporary_name(target(IfExists::replace));
  const std::string foreign = temporary_name(target(IfExists::replace));
  for (const std::string& name : {old, foreign}) {
    std::filesystem::create_directory(at(name));
    write(name + "/a", "the old one's");
    write(name + "/lock", "too");
  }
  write(foreign + "/diary", "mine");
  ASSERT_EQ(::chmod(at(old).c_str(), 0500), 0);
  publish(IfExists::replace, "2");
  EXPECT_EQ(names(), (Names{foreign, "store"}));
  EXPECT_EQ(read(foreign + "/diary"), "mine");
}

}  // namespace
}  // namespace crivo::file
