// SPDX-License-Identifier: Apache-2.0
/// The command lines of the programs beside crivo: options, --help, and errors as crivo tells them.
///
/// CLI11 does it, whose header takes longer to compile than these programs do: program.cpp alone
/// reads it. (crivo has hundreds of options, and uses CLI11 itself.)
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace crivo::options {

/// An option of a command, of which each call says more.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  /// What --help calls its value, such as FILE, instead of the name of the type.
  Option& value_name(const std::string& name);
  /// --help shows the value that the target had when this was called.
  Option& shows_default();
  /// --help shows this as what it is without the option.
  Option& shows_default(const std::string& text);
  /// It has to be given.
  Option& required();
  /// Each value is one of these words.
  Option& one_of(const std::vector<std::string>& words);
  /// The value is a number from `lowest` to `highest`. T is int, std::uint64_t or double.
  template <typename T>
  Option& range(T lowest, T highest);
  /// One argument may hold several values, with `mark` between them.
  Option& separated_by(char mark);

 private:
  CLI::Option* option_;
};

/// A program's command line, or a subcommand's.
class Command {
 public:
  /// Adds an option under all of its names ("-o,--output") or, under one without dashes, an
  /// argument by its place. Its value comes to stand in `target` when the arguments are read;
  /// without the option that stays as it is. T is std::string, std::filesystem::path, unsigned,
  /// std::uint64_t, double, std::optional<double> or std::vector<std::string>, which takes any
  /// number of values.
  template <typename T>
  Option option(const std::string& names, T& target, const std::string& help);
  /// Adds an option without a value, which makes `target` true.
  void flag(const std::string& names, bool& target, const std::string& help);
  /// Whether the arguments name this subcommand; false before they are read.
  bool given() const;

 protected:
  explicit Command(CLI::App* app) : app_(app) {}
  CLI::App* app_;

 private:
  friend class Program;
};

class Program : public Command {
 public:
  /// `description` and `footer` are what the program's --help begins and ends with.
  Program(const std::string& name, const std::string& description, const std::string& footer = "");
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Adds a subcommand: the first argument may be its name.
  Command subcommand(const std::string& name, const std::string& description);
  /// Adds --version, which writes `text`.
  void version(const std::string& text);

  /// Reads the arguments, then runs `action`, whose exit code it returns; --help and --version are
  /// answered. An error, of the arguments or thrown by `action`, is told by report(), and the exit
  /// code is the one that crivo has for it, or `error_code` for any.
  int run(int argc, char** argv, const std::function<int()>& action,
          std::optional<int> error_code = {});

  /// Writes "NAME: MESSAGE" on standard error, one line whatever the message has.
  void report(std::string_view message) const;

 private:
  std::unique_ptr<CLI::App> owned_;
};

}  // namespace crivo::options
