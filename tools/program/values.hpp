// SPDX-License-Identifier: Apache-2.0
/// Values of options as people write them: numbers, sizes, rates, names from a list, paths.
///
/// Each function makes a check for an option's transform(): it puts the plain number in the place
/// of the text, or refuses it in a few words. One set of suffixes holds for every option.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crivo::cli {

/// A whole number, with k, M or G for 10^3, 10^6 or 10^9 after it or an exponent: 12, 10k, 1.5M,
/// 1e6. Throws Error(usage): empty, negative, no number, no whole number, above 2^64 - 1.
std::uint64_t parse_count(std::string_view text);

/// Likewise a number of bytes, where K, M, G and T (or k; KiB, KB) are 2^10, 2^20, 2^30 and 2^40. A
/// budget may be rounded up to whole bytes: 8.3M.
std::uint64_t parse_size(std::string_view text, bool rounds_up = false);

/// A fraction: 0.01, 1e-2, 1% or 1/100. Throws Error(usage): empty, negative, no number. A rate
/// above 1 passes.
double parse_rate(std::string_view text);

/// Checks for parse_count(), parse_size() and parse_rate() and the range.
CLI::Validator count_value(std::uint64_t lowest = 0,
                           std::uint64_t highest = std::numeric_limits<std::uint64_t>::max());
CLI::Validator size_value(std::uint64_t lowest, std::uint64_t highest, bool rounds_up = false);
CLI::Validator rate_value();
/// A seed of keys: a count, or "random" for a keyed hash under a number drawn from the system;
/// "random:N" is one that was drawn before.
struct Seed {
  std::uint64_t number = 0;
  bool random = false;
};
/// Throws Error(usage): neither.
Seed parse_seed(std::string_view text);
/// The check for parse_seed(). What "random" draws is put in its place, unless nothing is to be
/// drawn yet.
CLI::Validator seed_value(bool draws = true);
/// One of some, counted from 0: I/N.
struct Numbered {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
};
/// Throws Error(usage): no two whole numbers, or the first is not below the second.
Numbered parse_share(std::string_view text);
/// The check for parse_share().
CLI::Validator share_value();
/// A number that need not be whole.
CLI::Validator decimal_value();
/// The number or name of a column, and perhaps of another after a comma: 2, or 2,5, or sku,price.
CLI::Validator columns_value();
/// A name that is not empty.
CLI::Validator name_value();
/// A time of UTC: parse_time().
CLI::Validator time_value();
/// One byte, or "\t".
CLI::Validator byte_value();
/// The bytes that stand in hexadecimal digits. Throws Error(usage): other digits, or an odd number.
std::string parse_hex(std::string_view text);
/// One of a few whole numbers.
CLI::Validator one_of(std::span<const unsigned> numbers);
/// One of a few names; for another the nearest is proposed.
CLI::Validator one_of(const std::vector<std::string>& names);
CLI::Validator one_of(std::span<const std::string_view> names);

/// A file to be mapped: not "-".
CLI::Validator mapped_path();
/// The same, or a URL.
CLI::Validator mapped_path_or_url();
/// A file or directory to be written: not "-".
CLI::Validator output_path();

/// Which of `names` a mistyped `word` may have meant; empty if none is near.
std::string nearest(std::string_view word, std::span<const std::string> names);

/// "a, b or c".
std::string list_of(const std::vector<std::string>& names);

/// `text` in double quotes for a message, cut short where it is long.
std::string shown(std::string_view text);

}  // namespace crivo::cli
