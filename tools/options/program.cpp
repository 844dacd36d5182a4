// SPDX-License-Identifier: Apache-2.0
#include "options/program.hpp"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>

#include "crivo/error.hpp"
#include "program/exit_code.hpp"

namespace crivo::options {

Option& Option::value_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::shows_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::shows_default(const std::string& text) {
  option_->default_str(text);
  return *this;
}

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

template <typename T>
Option& Option::range(T lowest, T highest) {
  option_->check(CLI::Range(lowest, highest));
  return *this;
}
template Option& Option::range(int, int);
template Option& Option::range(std::uint64_t, std::uint64_t);
template Option& Option::range(double, double);

Option& Option::separated_by(char mark) {
  option_->delimiter(mark);
  return *this;
}

template <typename T>
Option Command::option(const std::string& names, T& target, const std::string& help) {
  return Option(app_->add_option(names, target, help));
}
template Option Command::option(const std::string&, std::string&, const std::string&);
template Option Command::option(const std::string&, std::filesystem::path&, const std::string&);
template Option Command::option(const std::string&, unsigned&, const std::string&);
template Option Command::option(const std::string&, std::uint64_t&, const std::string&);
template Option Command::option(const std::string&, double&, const std::string&);
template Option Command::option(const std::string&, std::optional<double>&, const std::string&);
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&);

void Command::flag(const std::string& names, bool& target, const std::string& help) {
  app_->add_flag(names, target, help);
}

bool Command::given() const {
  return app_->parsed();
}

Program::Program(const std::string& name, const std::string& description, const std::string& footer)
    : Command(nullptr), owned_(std::make_unique<CLI::App>(description, name)) {
  app_ = owned_.get();
  app_->footer(footer);
}

Program::~Program() = default;

Command Program::subcommand(const std::string& name, const std::string& description) {
  return Command(app_->add_subcommand(name, description)->footer(""));  // not the program's
}

void Program::version(const std::string& text) {
  app_->set_version_flag("--version", text);
}

int Program::run(int argc, char** argv, const std::function<int()>& action,
                 std::optional<int> error_code) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit shall be an error that can be told
  const auto fail = [&](const std::string& message, ErrorKind kind) {
    report(message);
    return error_code.value_or(exit_code(kind));
  };
  try {
    app_->parse(argc, argv);
    return action();
  } catch (const CLI::Success& success) {  // --help and --version
    return app_->exit(success);
  } catch (const CLI::ParseError& error) {
    return fail(std::string(error.what()) + " (see --help)", ErrorKind::usage);
  } catch (const Error& error) {
    return fail(error.what(), error.kind());
  } catch (const std::bad_alloc&) {
    return fail("out of memory", ErrorKind::io);
  } catch (const std::exception& error) {
    return fail(error.what(), ErrorKind::io);
  }
}

void Program::report(std::string_view message) const {
  std::cerr << app_->get_name() << ": " << escape(message) << '\n';
}

}  // namespace crivo::options
