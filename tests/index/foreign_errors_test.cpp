// SPDX-License-Identifier: Apache-2.0
// crivo::Error alone leaves the library, also where the standard library throws errors of its own.

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <utility>

#include "base/as_error.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/filter.hpp"
#include "crivo/inspect.hpp"
#include "crivo/map.hpp"
#include "crivo/mphf.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"

namespace crivo::test {
namespace {

/// The user that root's rights do not cover, while it lives; anyone else stays who they are.
class Nobody {
 public:
  Nobody() {
    if (was_ == 0) {
      EXPECT_EQ(::seteuid(65534), 0);
    }
  }
  ~Nobody() { EXPECT_EQ(::seteuid(was_), 0); }
  Nobody(const Nobody&) = delete;
  Nobody& operator=(const Nobody&) = delete;

 private:
  uid_t was_ = ::geteuid();
};

/// Every function that takes a path, with that path.
std::vector<std::function<void()>> calls_with(const std::filesystem::path& path,
                                              const Workshop& shop) {
  const KeyInput keys = shop.input(numbered_keys(3));
  const KeyInput pairs = shop.pairs(numbered_keys(3), numbered_keys(3));
  const KeyInput there{{path.string()}, {}};
  const std::filesystem::path out = shop.at("out");
  return {[=] { (void)Mphf::open(path); },
          [=] { (void)Filter::open(path); },
          [=] { (void)Map::open(path); },
          [=] { (void)Store::open(path); },
          [=] { (void)inspect(path); },
          [=] { verify(path); },
          [=] { (void)verify_keys(path, keys); },
          [=] { build_mphf(keys, path, {}, Workshop::options()); },
          [=] { build_filter(keys, path, {}, Workshop::options()); },
          [=] { build_map(keys, path, {}, Workshop::options()); },
          [=] { build_store(pairs, path, {}, Workshop::options()); },
          [=] { build_mphf(there, out, {}, Workshop::options()); },
          [=] { build_store(there, out, {}, Workshop::options()); },
          [=] { (void)estimate_store(there); },
          [=] { (void)add_to_filter(path, keys); },
          [=] { (void)remove_from_filter(path, keys); },
          [=] {
            (void)unite_filters(std::vector{path, path}, out);
          },
          [=] {
            (void)intersect_filters(std::vector{path, path}, out);
          }};
}

void expect_errors(const std::filesystem::path& path, const Workshop& shop) {
  std::size_t index = 0;
  for (const auto& call : calls_with(path, shop)) {
    SCOPED_TRACE("call " + std::to_string(index++));
    try {
      call();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_TRUE(error.kind() == ErrorKind::io || error.kind() == ErrorKind::usage);
      // The directory is what may be at fault, and is named then.
      EXPECT_TRUE(std::string_view(error.what()).starts_with(path.parent_path().string()))
          << error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << "not ours: " << error.what();
    }
  }
}

TEST(ForeignErrors, SymlinkLoop) {
  const Workshop shop;
  std::filesystem::create_directory(shop.at("a"));
  std::filesystem::create_symlink("loop", shop.at("a/loop"));
  expect_errors(shop.at("a/loop/file"), shop);
}

TEST(ForeignErrors, NameTooLong) {
  const Workshop shop;
  expect_errors(shop.at(std::string(300, 'n')), shop);
}

TEST(ForeignErrors, UnreadableParent) {
  const Workshop shop;
  const std::filesystem::path closed = shop.at("closed");
  std::filesystem::create_directories(closed / "inner");
  std::filesystem::permissions(shop.at("."), std::filesystem::perms::all);
  std::filesystem::permissions(closed, std::filesystem::perms::none);
  {
    const Nobody nobody;
    expect_errors(closed / "inner", shop);
  }
  std::filesystem::permissions(closed, std::filesystem::perms::all);
}

/// What a caller sees of something thrown within the library.
template <typename Thrown>
std::string seen(const Thrown& thrown) {
  return error_of(ErrorKind::io, [&] {
    try {
      throw thrown;
    } catch (...) {
      base::rethrow_as_error();
    }
  });
}

TEST(ForeignErrors, BecomeOurs) {
  EXPECT_EQ(seen(std::bad_alloc()), "out of memory");
  EXPECT_EQ(seen(std::length_error("vector")), "out of memory");
  const auto again = std::make_error_code(std::errc::resource_unavailable_try_again);
  EXPECT_EQ(seen(std::system_error(again)), "Resource temporarily unavailable");
  const auto denied = std::make_error_code(std::errc::permission_denied);
  EXPECT_EQ(seen(std::filesystem::filesystem_error("status", "a/b", denied)),
            "a/b: Permission denied");
  EXPECT_EQ(seen(Error(ErrorKind::io, "our own")), "our own");
}

TEST(ForeignErrors, OfACallerPass) {
  try {
    try {
      throw 42;
    } catch (...) {
      base::rethrow_as_error();
    }
  } catch (int thrown) {
    EXPECT_EQ(thrown, 42);
  }
}

}  // namespace
}  // namespace crivo::test
