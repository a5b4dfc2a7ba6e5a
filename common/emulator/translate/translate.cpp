#include "translate.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>

#include "project.hpp"

namespace lab::emulator::translate {
namespace {

result failure(const std::filesystem::path& source, const options& how, std::string message,
               place where = {}) {
  result failed;
  failed.read_files.push_back(source);
  failed.errors.push_back({name_of(source, how), where.line, where.column, std::move(message)});
  return failed;
}

}  // namespace

std::string to_string(const diagnostic& error) {
  std::string where = error.file;
  if (error.line > 0) where += ":" + std::to_string(error.line) + ":" + std::to_string(error.column);
  return where + ": error: " + error.message;
}

result translate_file(const std::filesystem::path& source, const options& how) {
  std::error_code error;
  const auto status = std::filesystem::status(source, error);
  if (!std::filesystem::exists(status)) return failure(source, how, "there is no such file.");
  if (!std::filesystem::is_regular_file(status))
    return failure(source, how, "this is not a file of text: give the name of a CUDA source file.");
  std::string text;
  if (!read_text(source, text))
    return failure(source, how, std::string("this file cannot be read: ") + std::strerror(errno) + ".");
  return translate_text(std::move(text), source, how);
}

result translate_text(std::string text, const std::filesystem::path& source, const options& how) {
  if (unreadable bad = check_text(text); !bad.message.empty())
    return failure(source, how, std::move(bad.message), bad.where);
  return project(std::move(text), source, how).run();
}

void write(const result& translated, const std::filesystem::path& output) {
  for (const translated_include& header : translated.includes)
    write_file(output.parent_path() / header.file_name, header.text);
  write_file(output, translated.text);
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  static std::atomic<unsigned> number{0};
  const std::string temporary =
      path.string() + "." + std::to_string(getpid()) + "." + std::to_string(number++) + ".tmp";
  std::ofstream out(temporary, std::ios::binary);
  out << text;
  out.close();
  if (out && std::rename(temporary.c_str(), path.c_str()) == 0) return;
  const int code = errno;
  std::remove(temporary.c_str());
  throw std::system_error(code, std::generic_category(), path.string());
}

std::string dependency_rule(const result& translated, const std::filesystem::path& output) {
  const auto name = [](const std::filesystem::path& path) {
    std::string quoted;
    for (const char c : path.string()) {
      if (c == ' ' || c == '#' || c == '\\') quoted += '\\';
      if (c == '$') quoted += '$';
      quoted += c;
    }
    return quoted;
  };
  std::string rule = name(output) + ":";
  for (const std::filesystem::path& file : translated.read_files) rule += " \\\n  " + name(file);
  return rule + "\n";
}

}  // namespace lab::emulator::translate
