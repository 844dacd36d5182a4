// SPDX-License-Identifier: Apache-2.0
#include "program/notes.hpp"

#include "crivo/error.hpp"
#include "program/option_groups.hpp"

namespace crivo::cli {

void NoteOptions::add_to(CLI::App& command) {
  const InGroup output(command, kOutputGroup);
  command
      .add_option(
          "--note", given,
          "a name and a value that the file keeps for people and programs; crivo info shows "
          "them. May be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

std::map<std::string, std::string, std::less<>> NoteOptions::parsed() const {
  std::map<std::string, std::string, std::less<>> notes;
  for (const std::string& one : given) {
    const std::size_t end = one.find('=');
    if (end == std::string::npos)
      throw Error(ErrorKind::usage, "--note: " + quote(one) + " has no =; use KEY=VALUE");
    if (!notes.emplace(one.substr(0, end), one.substr(end + 1)).second)
      throw Error(ErrorKind::usage, "--note: " + quote(one.substr(0, end)) + " is given twice");
  }
  return notes;
}

}  // namespace crivo::cli
