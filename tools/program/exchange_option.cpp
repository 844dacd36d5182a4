// SPDX-License-Identifier: Apache-2.0
#include "program/exchange_option.hpp"

#include "program/option_groups.hpp"

namespace crivo::cli {

void add_exchange(CLI::App& command, ExchangeCommands& commands, const std::string& what) {
  const InGroup resources(command, kResourcesGroup);
  CLI::Option* get = command
                         .add_option("--get", commands.get,
                                     "if there is no shared directory: a shell command that writes "
                                     "the file $CRIVO_NAME to its standard output")
                         ->type_name("CMD");
  command
      .add_option("--put", commands.put,
                  "a shell command that keeps its standard input under that name: " + what +
                      ", which is then read back by --get and compared")
      ->type_name("CMD")
      ->needs(get);
}

}  // namespace crivo::cli
