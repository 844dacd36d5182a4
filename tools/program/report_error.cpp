// SPDX-License-Identifier: Apache-2.0
#include "program/report_error.hpp"

#include <iostream>
#include <new>
#include <string>

#include "crivo/error.hpp"
#include "http/shown_url.hpp"
#include "program/answers.hpp"
#include "program/exit_code.hpp"
#include "program/json.hpp"
#include "program/remedies.hpp"

namespace crivo::cli {
namespace {

/// Takes no memory.
int report_no_memory(bool json) noexcept {
  constexpr int kCode = exit_code(ErrorKind::io);
  if (json) {
    std::cerr << R"({"schema":1,"error":"out of memory","exit_code":)" << kCode << "}\n";
  } else {
    std::cerr << "crivo: out of memory\n";
  }
  return kCode;
}

std::string json_text(const std::string& message, int code, const ErrorPlace& place) {
  Json json{{"schema", 1}, {"error", message}, {"exit_code", code}};
  if (!place.file.empty()) put_bytes(json, "file", http::without_passwords(place.file));
  if (place.line) json["line"] = *place.line;
  if (!place.section.empty()) json["section"] = place.section;
  if (place.byte) json["byte"] = *place.byte;
  return json.dump();
}

}  // namespace

int report_error(const std::exception& error, bool json) noexcept {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return report_no_memory(json);
  try {
    const auto* known = dynamic_cast<const Error*>(&error);
    const int code = exit_code(known != nullptr ? known->kind() : ErrorKind::io);
    const ErrorPlace place = known != nullptr ? known->place() : ErrorPlace{};
    const std::string message = http::without_passwords(with_remedy(error.what(), place.remedy));
    const std::string line = json ? json_text(message, code, place) : "crivo: " + escape(message);
    std::cerr << line + "\n";
    return code;
  } catch (const std::exception&) {  // no memory even for the message
    return report_no_memory(json);
  }
}

}  // namespace crivo::cli
