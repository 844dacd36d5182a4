// SPDX-License-Identifier: Apache-2.0
#include "foreign/build/issuer_keys.hpp"

#include <optional>

#include "crivo/error.hpp"
#include "file/content_id.hpp"
#include "foreign/hex.hpp"
#include "input/places.hpp"

namespace crivo::foreign {

std::uint32_t IssuerNumbers::number_of(unsigned thread, std::string_view digits,
                                       const input::Place& place) {
  Seen& seen = seen_[thread];
  if (digits == seen.last && !digits.empty()) return seen.last_number;
  seen.last = digits;
  const auto known = seen.numbers.find(digits);
  if (known != seen.numbers.end()) return seen.last_number = known->second;
  const std::optional<Issuer> issuer = bytes_of_hex<kIssuerBytes>(digits);
  if (!issuer) {
    seen.last.clear();
    throw input::InputFault(place,
                            "the issuer is not 64 hexadecimal digits, those of the SHA-256 of "
                            "its public key: " +
                                quote(digits));
  }
  {
    const std::scoped_lock lock(mutex_);
    const auto [at, is_new] =
        numbers_.emplace(*issuer, static_cast<std::uint32_t>(issuers_.size()));
    if (is_new) issuers_.push_back(*issuer);
    seen.last_number = at->second;
  }
  seen.numbers.emplace(digits, seen.last_number);
  return seen.last_number;
}

void Certificates::for_each(const base::BuildContext& context, const Visit& visit) const {
  input::for_each_grouped_text(
      input_, grouping_, context, [&](unsigned thread, const input::GroupedText& text) {
        if (text.key.empty() || text.key.size() > kMaxSerialBytes) {
          throw input::InputFault(text.place, "the serial number has " +
                                                  std::to_string(text.key.size()) +
                                                  " bytes, and a clubcard holds 1 to 255");
        }
        visit(thread, issuers_.number_of(thread, text.group, text.place), text.key, text.place);
      });
}

void Certificates::fail_repeated(std::uint32_t issuer, std::string_view serial,
                                 const base::BuildContext& context) const {
  const std::string problem = "duplicate certificate " + file::to_hex(issuers_[issuer]) + " " +
                              file::to_hex(base::as_bytes(serial));
  constexpr const char* kRemedy = "ignore_duplicates";
  if (input::regular_input_bytes(input_)) {
    bool is_second = false;
    const base::BuildContext alone{1, context.progress, context.scratch};
    for_each(alone,
             [&](unsigned, std::uint32_t number, std::string_view each, const input::Place& place) {
               if (number != issuer || each != serial) return;
               if (std::exchange(is_second, true)) throw input::InputFault(place, problem, kRemedy);
             });
  }
  throw Error(ErrorKind::bad_input, input::input_name(input_, 0) + ": " + problem,
              {.remedy = kRemedy});
}

}  // namespace crivo::foreign
