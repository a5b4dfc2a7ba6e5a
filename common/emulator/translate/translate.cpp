#include "translate.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "project.hpp"

namespace lab::emulator::translate {
namespace {

result failure(const std::filesystem::path& source, const options& how, std::string message) {
  result failed;
  failed.read_files.push_back(source);
  failed.errors.push_back(
      {how.source_name.empty() ? source.string() : how.source_name, 0, 0, std::move(message)});
  return failed;
}

class descriptor {
 public:
  explicit descriptor(int value) : value_(value) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (value_ >= 0) close(value_);
  }
  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

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
  descriptor in(open(source.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.get() < 0)
    return failure(source, how, std::string("this file cannot be read: ") + std::strerror(errno) + ".");
  // one byte more than is allowed, so that check_text sees what is too large
  std::string text;
  char chunk[1 << 16];
  while (text.size() <= largest_source) {
    const ssize_t got = read(in.get(), chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return failure(source, how, std::string("this file cannot be read: ") + std::strerror(errno) + ".");
    if (got == 0) break;
    text.append(chunk, static_cast<std::size_t>(got));
  }
  return translate_text(std::move(text), source, how);
}

result translate_text(std::string text, const std::filesystem::path& source, const options& how) {
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
  const auto fail = [&](int code, bool made) {
    if (made) unlink(temporary.c_str());
    throw std::system_error(code, std::generic_category(), path.string());
  };
  descriptor out(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (out.get() < 0) fail(errno, false);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t put = ::write(out.get(), text.data() + done, text.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(errno, true);
    done += static_cast<std::size_t>(put);
  }
  if (close(out.release()) != 0) fail(errno, true);
  if (rename(temporary.c_str(), path.c_str()) != 0) fail(errno, true);
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
