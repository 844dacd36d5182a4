// SPDX-License-Identifier: Apache-2.0
#include "program/range_option.hpp"

#include "crivo/error.hpp"

namespace crivo::cli {

void RangeOption::add_to(CLI::App& command, const std::string& what) {
  const auto add = [&](const std::string& name, const std::string& value_name, int values,
                       const std::string& help) {
    return command
        .add_option_function<std::vector<std::string>>(
            "--" + name,
            [this, name](const std::vector<std::string>& given) {
              name_ = name;
              values_ = given;
            },
            help + " (" + what + ")")
        ->type_name(value_name)
        ->type_size(values)
        ->allow_extra_args(false);
  };
  CLI::Option* prefix = add("prefix", "P", 1, "only the keys that begin with P, in order");
  CLI::Option* range = add("range", "A B", 2, "only the keys from A on and below B, in order");
  add("lower-bound", "K", 1, "only the keys from K on, in order")
      ->excludes(prefix)
      ->excludes(range);
  range->excludes(prefix);
}

std::string RangeOption::text() const {
  std::string text = "--" + name_;
  for (const std::string& value : values_) text += " " + quote(value);
  return text;
}

}  // namespace crivo::cli
