#include "file/pending_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <set>

#include "crivo/error.hpp"
#include "support/temp_directory.hpp"

namespace crivo::file {
namespace {

class Pending : public testing::Test {
 protected:
  std::filesystem::path at(const std::string& name) const { return directory_.path() / name; }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name), std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream in(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// The names in the test's directory, hidden ones too.
  std::set<std::string> names(const std::string& sub = ".") const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(at(sub))) {
      found.insert(entry.path().filename().string());
    }
    return found;
  }
  using Names = std::set<std::string>;

  test::TempDirectory directory_;
};

template <typename Work>
void expect_usage_error(Work&& work, const std::string& part) {
  try {
    work();
    ADD_FAILURE() << "no error: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST_F(Pending, HasNoNameUntilPublished) {
  {
    PendingFile file(at("out"));
    file.write_at(3, as_bytes("def"));
    file.write_at(0, as_bytes("abc"));
    std::ifstream again(file.path_to_open());
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(again), {}), "abcdef");
    EXPECT_FALSE(std::filesystem::exists(at("out")));
    file.publish(at("out"), IfExists::refuse);
    EXPECT_EQ(names(), Names{"out"});
  }
  EXPECT_EQ(names(), Names{"out"});
  EXPECT_EQ(read("out"), "abcdef");
}

TEST_F(Pending, LeavesNothingWhenDropped) {
  write("out", "old");
  {
    PendingFile file(at("out"));
    file.write_at(0, as_bytes("new"));
  }
  EXPECT_EQ(names(), Names{"out"});
  EXPECT_EQ(read("out"), "old");
}

TEST_F(Pending, RefusesANameThatIsTaken) {
  write("out", "old");
  expect_usage_error([&] { check_output_file(at("out"), IfExists::refuse); }, "exists");
  PendingFile file(at("out"));
  file.write_at(0, as_bytes("new"));
  expect_usage_error([&] { file.publish(at("out"), IfExists::refuse); }, "exists");
  EXPECT_EQ(read("out"), "old");
}

TEST_F(Pending, ReplacesAFileAtOnce) {
  write("out", "old");
  check_output_file(at("out"), IfExists::replace);
  std::ifstream reader(at("out"));
  PendingFile file(at("out"));
  file.write_at(0, as_bytes("new one"));
  file.publish(at("out"), IfExists::replace);
  EXPECT_EQ(read("out"), "new one");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "old");  // who has it keeps it
  EXPECT_EQ(names(), Names{"out"});
  PendingFile first(at("other"));
  first.publish(at("other"), IfExists::replace);  // nothing to replace
  EXPECT_EQ(names(), (Names{"other", "out"}));
}

TEST_F(Pending, ReplacesNoDirectory) {
  std::filesystem::create_directory(at("out"));
  expect_usage_error([&] { check_output_file(at("out"), IfExists::replace); }, "no regular file");
  expect_usage_error([&] { PendingFile(at("out")).publish(at("out"), IfExists::replace); },
                     "no regular file");
  EXPECT_EQ(names(), Names{"out"});
}

TEST_F(Pending, NamesThatAreNone) {
  for (const std::string name : {".", "..", ""}) {
    expect_usage_error([&] { check_output_file(at(name), IfExists::replace); },
                       "cannot be the name of an output");
    expect_usage_error([&] { check_output_directory(at(name), IfExists::replace, {}); },
                       "cannot be the name of an output");
  }
  EXPECT_THROW(PendingFile(at("none") / "out"), Error);
}

class PendingDirectory : public Pending {
 protected:
  void publish(IfExists if_exists, const std::string& text) {
    PendingFile a(at("store"));
    PendingFile b(at("store"));
    a.write_at(0, as_bytes("a " + text));
    b.write_at(0, as_bytes("b " + text));
    publish_directory(at("store"), if_exists, {"a", "b", "lock"}, {{"a", &a}, {"b", &b}});
  }
  void expect_store(const std::string& text) {
    EXPECT_EQ(names(), Names{"store"});
    EXPECT_EQ(read("store/a"), "a " + text);
    EXPECT_EQ(read("store/b"), "b " + text);
    EXPECT_EQ(names("store"), (Names{"a", "b"}));
  }
};

TEST_F(PendingDirectory, IsPublishedWhole) {
  publish(IfExists::refuse, "1");
  expect_store("1");
}

TEST_F(PendingDirectory, RefusesANameThatIsTaken) {
  publish(IfExists::refuse, "1");
  expect_usage_error([&] { publish(IfExists::refuse, "2"); }, "exists");
  expect_store("1");
}

TEST_F(PendingDirectory, ExchangesTheOldOne) {
  publish(IfExists::replace, "1");
  publish(IfExists::replace, "2");
  expect_store("2");
  write("store/lock", "another's");
  publish(IfExists::replace, "3");
  expect_store("3");
}

TEST_F(PendingDirectory, ReplacesNothingThatIsNotOurs) {
  publish(IfExists::refuse, "1");
  write("store/diary", "mine");
  expect_usage_error([&] { publish(IfExists::replace, "2"); }, "holds diary, which is not ours");
  EXPECT_EQ(names(), Names{"store"});
  EXPECT_EQ(read("store/a"), "a 1");
  EXPECT_EQ(read("store/diary"), "mine");
}

TEST_F(PendingDirectory, ReplacesNoFile) {
  write("store", "a file");
  expect_usage_error([&] { publish(IfExists::replace, "2"); }, "no directory");
  EXPECT_EQ(names(), Names{"store"});
}

TEST_F(PendingDirectory, TakesAnEmptyDirectory) {
  std::filesystem::create_directory(at("store"));
  publish(IfExists::replace, "1");
  expect_store("1");
}

TEST_F(Pending, AppenderWritesAllInOrder) {
  std::string expected;
  PendingFile file(at("out"));
  Appender appender(file);
  for (const std::size_t size :
       {1U, 1U << 19, 1U << 19, 0U, 1U << 20, (1U << 20) + 1, 3U, 5U << 20}) {
    const std::string piece(size, static_cast<char>('a' + size % 23));
    appender.append(as_bytes(piece));
    expected += piece;
    EXPECT_EQ(appender.size(), expected.size());
  }
  appender.flush();
  file.publish(at("out"), IfExists::refuse);
  EXPECT_TRUE(read("out") == expected);
}

}  // namespace
}  // namespace crivo::file
