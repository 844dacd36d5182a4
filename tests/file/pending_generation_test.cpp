// SPDX-License-Identifier: Apache-2.0
// A directory of files is published whole, or not at all, and leaves nothing behind.

#include "file/build/pending_generation.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>

#include "file/names.hpp"
#include "support/outputs.hpp"

namespace crivo::file {
namespace {

using test::expect_usage_error;

/// A generation here is the pointer `a`, whose text says which `b` belongs to it.
class PendingGenerationTest : public test::Outputs {
 protected:
  /// "b-<16 digits>.x".
  static std::string name_of_b(const std::string& text) {
    Digest id{};
    id[0] = std::byte(text.front());
    return generation_name("b.x", id);
  }
  OutputTarget target(IfExists if_exists, const std::string& name = "store") const {
    return OutputTarget::directory(at(name), if_exists, {"a", "b.x", "lock"});
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
    EXPECT_EQ(PendingGeneration(out, {{name_of_b(text), &b}, {"a", &a}}).publish(), Warnings{});
  }
  void expect_store(const std::string& text) {
    EXPECT_EQ(names(), Names{"store"});
    EXPECT_EQ(read("store/a"), "a " + text);
    EXPECT_EQ(read("store/" + name_of_b(text)), "b " + text);
    EXPECT_EQ(names("store"), (Names{"a", name_of_b(text)}));
  }
};

TEST(GenerationNames, HaveTheirFamily) {
  Digest id{};
  id[0] = std::byte{0xab};
  EXPECT_EQ(generation_name("data.mdb", id), "data-ab00000000000000.mdb");
  EXPECT_EQ(generation_name("data.mdb-lock", id), "data-ab00000000000000.mdb-lock");
  for (const char* family : {"data.mdb", "data.mdb-lock", "a"}) {
    EXPECT_EQ(family_of(family), family);
    EXPECT_EQ(family_of(generation_name(family, id)), family);
  }
  for (const char* name : {"data-ab0000000000000.mdb", "data-AB00000000000000.mdb",
                           "data_ab00000000000000.mdb", "data.mdb-ab00000000000000", ""}) {
    EXPECT_EQ(family_of(name), name);
  }
}

TEST_F(PendingGenerationTest, IsPublishedWhole) {
  publish(IfExists::refuse, "1");
  expect_store("1");
}

TEST_F(PendingGenerationTest, RefusesANameThatIsTaken) {
  expect_usage_error(
      [&] { publish(IfExists::refuse, "2", [&] { publish(IfExists::refuse, "1"); }); }, "exists");
  expect_store("1");
}

TEST_F(PendingGenerationTest, TakesThePlaceOfTheOldOne) {
  publish(IfExists::replace, "1");
  publish(IfExists::replace, "2");
  expect_store("2");
  write("store/lock", "another's");
  publish(IfExists::replace, "3");
  expect_store("3");
}

/// The directory stays; who has the old files open goes on with them.
TEST_F(PendingGenerationTest, KeepsTheDirectory) {
  publish(IfExists::replace, "1");
  const ino_t directory = status("store").st_ino;
  std::ifstream old(at("store/" + name_of_b("1")));
  publish(IfExists::replace, "2");
  EXPECT_EQ(status("store").st_ino, directory);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(old), {}), "b 1");
}

/// A build of what is there already: its files have the same names.
TEST_F(PendingGenerationTest, TakesThePlaceOfAnEqualOne) {
  publish(IfExists::replace, "1");
  write("store/" + name_of_b("1"), "damaged");
  publish(IfExists::replace, "1");
  expect_store("1");
}

/// A process was killed between the data's name and the pointer's.
TEST_F(PendingGenerationTest, RemovesTheDataOfWhatWasNotToBe) {
  publish(IfExists::replace, "1");
  write("store/" + name_of_b("3"), "b 3");
  publish(IfExists::replace, "2");
  expect_store("2");
  write("store/" + name_of_b("3"), "b in part");
  publish(IfExists::replace, "3");
  expect_store("3");
}

TEST_F(PendingGenerationTest, ReplacesNothingThatIsNotOurs) {
  publish(IfExists::refuse, "1");
  const auto keep_a_diary = [&] { write("store/diary", "mine"); };
  expect_usage_error([&] { publish(IfExists::replace, "2", keep_a_diary); },
                     "holds diary, which is not from Crivo");
  EXPECT_EQ(names(), Names{"store"});
  EXPECT_EQ(read("store/a"), "a 1");
  EXPECT_EQ(read("store/diary"), "mine");
}

TEST_F(PendingGenerationTest, ReplacesNoFile) {
  expect_usage_error([&] { publish(IfExists::replace, "2", [&] { write("store", "a file"); }); },
                     "not a directory");
  EXPECT_EQ(names(), Names{"store"});
}

TEST_F(PendingGenerationTest, TakesAnEmptyDirectory) {
  std::filesystem::create_directory(at("store"));
  write("plain", "");
  publish(IfExists::replace, "1");
  EXPECT_EQ(mode("store/a"), mode("plain"));
  std::filesystem::remove(at("plain"));
  expect_store("1");
}

TEST_F(PendingGenerationTest, TakesAPlaceThatWasFreeAtFirst) {
  publish(IfExists::replace, "2", [&] { publish(IfExists::replace, "1"); });
  expect_store("2");
}

TEST_F(PendingGenerationTest, KeepsOwnerAndPermissions) {
  publish(IfExists::refuse, "1");
  ASSERT_EQ(::chmod(at("store/a").c_str(), 0640), 0);
  ASSERT_EQ(::chmod(at("store/" + name_of_b("1")).c_str(), 04600), 0);
  ASSERT_EQ(::chmod(at("store").c_str(), 0710), 0);
  const bool root = ::geteuid() == 0;
  if (root) {
    for (const std::string& name :
         {std::string("store"), std::string("store/a"), "store/" + name_of_b("1")}) {
      ASSERT_EQ(::chown(at(name).c_str(), 1234, 2345), 0);
    }
  }
  publish(IfExists::replace, "2");
  expect_store("2");
  EXPECT_EQ(mode("store/a"), 0640U);
  EXPECT_EQ(mode("store/" + name_of_b("2")), 0600U);
  EXPECT_EQ(mode("store"), 0710U);
  for (const std::string& name :
       {std::string("store"), std::string("store/a"), "store/" + name_of_b("2")}) {
    EXPECT_EQ(status(name).st_uid, root ? 1234 : ::geteuid());
  }
  ASSERT_EQ(::chmod(at("store").c_str(), 0700), 0);
}

TEST_F(PendingGenerationTest, KeepsASymbolicLink) {
  publish(IfExists::refuse, "1");
  std::filesystem::create_symlink("store", at("link"));
  publish(IfExists::replace, "2", {}, "link");
  EXPECT_TRUE(std::filesystem::is_symlink(at("link")));
  std::filesystem::remove(at("link"));
  expect_store("2");
}

TEST_F(PendingGenerationTest, RemovesWhatKilledProcessesLeft) {
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
