// SPDX-License-Identifier: Apache-2.0
// Members of JSON objects are found as another parser finds them, and faults are named.

#include "input/json_members.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "input/places.hpp"

namespace crivo::input {
namespace {

constexpr Place kPlace{};

/// What stands under "k", or the message of the fault.
std::string key_of(std::string_view line) {
  try {
    const JsonText key = json_members(line, "k", {}, kPlace).key;
    if (!key.has_escapes) return std::string(key.text);
    std::string text(key.text.size(), '\0');
    text.resize(unescape_json(key.text, text.data(), kPlace));
    return text;
  } catch (const InputFault& fault) {
    return fault.what();
  }
}

TEST(JsonMembers, FindsStringsAndNumbers) {
  EXPECT_EQ(key_of(R"({"k":"a"})"), "a");
  EXPECT_EQ(key_of(R"( { "a" : [ { "k" : 1 } , { } , [ ] ] , "k" : -1.50e+3 } )"), "-1.50e+3");
  EXPECT_EQ(key_of(R"({"a":{"k":"inner"},"\u006B":"\"\\\/\b\f\n\r\t\u00e9\u20ac\ud83d\ude00"})"),
            "\"\\/\b\f\n\r\té€😀");
  EXPECT_EQ(key_of(R"({"k":""})"), "");
}

TEST(JsonMembers, TakesTheWholeObjectOrAnyMember) {
  const std::string line = R"(  {"k":1, "v":{"a":[true,null]}, "s":"x\ty"} )";
  EXPECT_EQ(json_members(line, "k", {}, kPlace).value.text, line.substr(2, line.size() - 3));
  EXPECT_EQ(json_members(line, "k", "v", kPlace).value.text, R"({"a":[true,null]})");
  EXPECT_TRUE(json_members(line, "k", "s", kPlace).value.has_escapes);
  EXPECT_EQ(json_members(line, "k", "k", kPlace).value.text, "1");
}

TEST(JsonMembers, FindsMembersThatMayBeMissing) {
  const std::string text = R"({"a":[1, {"b":"]"} ,[]],"c":null,"d":"x"})";
  EXPECT_EQ(json_member(text, "c", kPlace)->text, "null");
  EXPECT_EQ(json_member(text, "d", kPlace)->text, "x");
  EXPECT_FALSE(json_member(text, "b", kPlace));
  EXPECT_FALSE(json_member("{}", "b", kPlace));
  EXPECT_THROW(json_member(R"({"a":1,"a":2})", "a", kPlace), InputFault);
  EXPECT_THROW(json_member(R"([])", "a", kPlace), InputFault);
  using Items = std::vector<std::string_view>;
  EXPECT_EQ(json_items(json_member(text, "a", kPlace)->text, kPlace),
            (Items{"1", R"({"b":"]"})", "[]"}));
  EXPECT_EQ(json_items(" [ ] ", kPlace), Items{});
  for (const char* const wrong : {"", "[1", "[1,]", "[1] 2", "{}"})
    EXPECT_THROW(json_items(wrong, kPlace), InputFault);
}

TEST(JsonMembers, NamesFaults) {
  EXPECT_EQ(key_of(R"({"k":null})"), "the JSON member \"k\" is no string and no number");
  EXPECT_EQ(key_of(R"({"k":[1]})"), "the JSON member \"k\" is no string and no number");
  EXPECT_EQ(key_of(R"({"j":1})"), "the JSON object has no \"k\"");
  EXPECT_EQ(key_of("{}"), "the JSON object has no \"k\"");
  EXPECT_EQ(key_of(R"({"k":1,"k":2})"), "the JSON object has more than one \"k\"");
  EXPECT_EQ(key_of(R"({"k":"\ud83d"})"), "a JSON string has half of a surrogate pair");
  EXPECT_EQ(key_of("[1]"), "not JSON: expected an object, at byte 1 of the line");
  EXPECT_EQ(key_of(""), "not JSON: expected an object, at byte 1 of the line");
  EXPECT_EQ(key_of(R"({"k":1)"), "not JSON: expected a comma or }, at byte 7 of the line");
  EXPECT_EQ(key_of(R"({"k":01})"), "not JSON: a number that begins with 0, at byte 8 of the line");
  const std::string deep = R"({"k":1,"a":)" + std::string(513, '[');
  EXPECT_EQ(key_of(deep), "not JSON: too many values in one another, at byte 525 of the line");
  EXPECT_EQ(key_of(R"({"k":1,"a":)" + std::string(512, '[') + std::string(512, ']') + "}"), "1");
}

/// Mutants are JSON, or are not, for another parser too.
TEST(JsonMembers, AgreesWithAnotherParser) {
  const std::string seed = R"({"k":"a\n","b":[1,-2.5e3,{"c":null}],"d":{"e":true,"é":false}} )";
  constexpr std::string_view kBytes = "{}[]:,\"\\ue0123.-+Etfn \t\n\xc3\xa9\xff\x01";
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string line = seed;
    for (std::size_t edits = random() % 3 + 1; edits != 0; --edits) {
      const std::size_t at = random() % line.size();
      const char byte = kBytes[random() % kBytes.size()];
      switch (random() % 3) {
        case 0:
          line[at] = byte;
          break;
        case 1:
          line.insert(at, 1, byte);
          break;
        default:
          line.erase(at, random() % 4 + 1);
      }
      if (line.empty()) line = " ";
    }
    const bool is_object =
        nlohmann::json::accept(line) && line[line.find_first_not_of(" \t\n")] == '{';
    EXPECT_EQ(!key_of(line).starts_with("not JSON"), is_object) << line;
  }
}

}  // namespace
}  // namespace crivo::input
