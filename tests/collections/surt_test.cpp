// SPDX-License-Identifier: Apache-2.0
// URLs of one meaning have one SURT, as indexes of web archives write it.

#include <gtest/gtest.h>

#include "crivo/build/key_form.hpp"

namespace crivo::keys {
namespace {

TEST(Surt, TurnsHostsAround) {
  EXPECT_EQ(surt("http://www.Example.com:80/A?b=2&a=1#c"), "com,example)/a?a=1&b=2");
  EXPECT_EQ(surt("http://archive.org"), "org,archive)/");
  EXPECT_EQ(surt("http://archive.org/"), "org,archive)/");
  EXPECT_EQ(surt("http://archive.org/goo/"), "org,archive)/goo");
  EXPECT_EQ(surt("http://archive.org/goo/?"), "org,archive)/goo");
  EXPECT_EQ(surt("http://archive.org/goo/?b&a"), "org,archive)/goo?a&b");
  EXPECT_EQ(surt("http://www2.archive.org/x"), "org,archive)/x");
  EXPECT_EQ(surt("http://wwwx.archive.org/x"), "org,archive,wwwx)/x");
  EXPECT_EQ(surt("archive.org"), "org,archive)/");
  EXPECT_EQ(surt("archive.org:8080/x"), "org,archive:8080)/x");
  EXPECT_EQ(surt("https://user:pass@archive.org:443/x"), "org,archive)/x");
  EXPECT_EQ(surt("https://archive.org:80/x"), "org,archive:80)/x");
  EXPECT_EQ(surt("ftp://archive.org:80/x"), "org,archive:80)/x");
  EXPECT_EQ(surt("ftp://archive.org:21/x"), "org,archive)/x");
}

TEST(Surt, LeavesAddressesAndOtherSchemes) {
  EXPECT_EQ(surt("http://192.0.2.1/x"), "192.0.2.1)/x");
  EXPECT_EQ(surt("http://[2001:DB8::1]:8080/x"), "[2001:db8::1]:8080)/x");
  EXPECT_EQ(surt("dns:archive.org"), "dns:archive.org");
  EXPECT_EQ(surt("filedesc:foo.arc"), "filedesc:foo.arc");
  EXPECT_EQ(surt("mailto:Someone@archive.org"), "mailto:Someone@archive.org");
}

TEST(Surt, TakesAnyBytes) {
  for (const char* text :
       {"", ":", "/", "?", "#", "http:", "http:/", "http://", "http://:", "http://@", "http://[",
        "http://www.", "http://www", "...", "http://...", "//x", "\xff"})
    EXPECT_LE(surt(text).size(), std::string_view(text).size() + 2) << text;
}

}  // namespace
}  // namespace crivo::keys
