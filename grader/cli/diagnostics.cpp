#include "diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <timeline/text.hpp>
#include <tuple>

#include "course.hpp"
#include "hidden.hpp"

namespace lab::cli {
namespace {

using timeline::printable;

struct location {
  std::string file;
  int line = 0;
  int column = 0;
};

struct diagnostic {
  location where;
  std::string message;
};

/// "FILE:LINE[:COLUMN]" before `rest`. By hand: std::regex overflows its stack on the long lines of template
/// errors.
std::optional<location> location_before(const std::string& line, std::size_t end) {
  location found;
  std::vector<int> numbers;
  while (numbers.size() < 2) {
    const auto colon = line.rfind(':', end == 0 ? 0 : end - 1);
    if (colon == std::string::npos || colon + 1 >= end) break;
    const auto digits = line.substr(colon + 1, end - colon - 1);
    if (digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos) break;
    numbers.push_back(std::stoi(digits));
    end = colon;
  }
  if (numbers.empty() || end == 0) return std::nullopt;
  found.line = numbers.back();
  found.column = numbers.size() == 2 ? numbers.front() : 0;
  found.file = line.substr(0, end);
  for (const std::string_view prefix : {"In file included from ", "                 from "}) {
    if (found.file.rfind(prefix, 0) == 0) found.file.erase(0, prefix.size());
  }
  return found;
}

std::optional<location> located(const std::string& line) {
  for (const std::string_view mark : {": ", ",", ":"}) {
    for (auto at = line.find(mark); at != std::string::npos && at < 4096; at = line.find(mark, at + 1)) {
      if (auto found = location_before(line, at)) return found;
    }
  }
  return std::nullopt;
}

std::optional<diagnostic> diagnostic_in(const std::string& line, std::string_view mark) {
  const auto at = line.find(mark);
  if (at == std::string::npos) return std::nullopt;
  return diagnostic{location_before(line, at).value_or(location{}), line.substr(at + mark.size())};
}

std::optional<diagnostic> error_in(const std::string& line) {
  const auto error = diagnostic_in(line, ": error: ");
  return error ? error : diagnostic_in(line, ": fatal error: ");
}

bool inside(const std::string& file, const std::vector<fs::path>& folders) {
  if (file.empty() || file.front() == '<' || file.rfind("/usr/", 0) == 0) return true;
  return std::any_of(folders.begin(), folders.end(),
                     [&](const fs::path& folder) { return file.rfind(folder.string() + "/", 0) == 0; });
}

/// Where in the student's own files an error inside a library's header comes from: g++ says so before the
/// error
/// ("required from here", "In file included from"), clang after it ("requested here").
std::optional<location> cause_of(const std::vector<std::string>& lines, std::size_t error,
                                 const source_in_question& source) {
  std::optional<location> included;
  for (auto at = error; at-- > 0 && !error_in(lines[at]);) {
    const auto where = located(lines[at]);
    if (!where || inside(where->file, source.internal_folders)) continue;
    if (lines[at].find("nclude") == std::string::npos && lines[at].find("from ") != 0) return where;
    if (!included) included = where;
  }
  for (auto at = error + 1; at < lines.size() && !error_in(lines[at]); ++at) {
    const auto where = located(lines[at]);
    if (where && !inside(where->file, source.internal_folders)) return where;
  }
  return included;
}

/// What the translator makes of a launch is no business of the student's.
std::string in_cuda_words(const std::string& message) {
  constexpr std::string_view launcher = "launcher<";
  if (message.size() > 2000) return message.substr(0, 2000) + " ...";
  // An assertion that the translator put there: without what g++ and clang say in front of it.
  if (const auto size = message.find("the size of a __shared__ array"); size != std::string::npos) {
    return message.substr(size, message.find_last_not_of('"') + 1 - size);
  }
  const auto at = message.find(launcher);
  if (at == std::string::npos || message.rfind("no match", 0) != 0) return message;
  const auto begin = at + launcher.size();
  const auto takes = message.substr(begin, message.find('>', begin) - begin);
  const auto passes = message.rfind(" (");  // g++ adds what the launch passes
  if (message.back() != '\'' || passes == std::string::npos || passes < begin) {
    return fmt::format("the kernel takes ({}), and the launch passes something else", takes);
  }
  return fmt::format("the kernel takes ({}), the launch passes {}", takes,
                     message.substr(passes + 1, message.size() - passes - 2));
}

/// 0 where the compiler saw the translation of the line, whose columns are others.
int column_in_source(const location& where, std::string_view text) {
  const auto quote = quoted_line(text, where.line, 0);
  for (const std::string_view translated : {"<<<", ">>>", "__shared__", "asm"}) {
    if (quote.find(translated) != std::string::npos) return 0;
  }
  return where.column;
}

std::string told(const diagnostic& error, const source_in_question& source) {
  const bool own = error.where.file == source.shown_as.string();
  std::string text;
  if (own) {
    text = source.text;
  } else {
    try {
      text = read_file(error.where.file);
    } catch (const told_error&) {
    }
  }
  return error_at(error.where.file, error.where.line, column_in_source(error.where, text),
                  in_cuda_words(error.message), text);
}

/// The text between quotes of whichever kind after `words`.
std::vector<std::string> quoted_after(std::string_view output, const std::vector<std::string_view>& words) {
  std::vector<std::string> found;
  for (const auto& line : lines_of(output)) {
    for (const auto word : words) {
      const auto at = line.find(word);
      if (at == std::string::npos) continue;
      auto symbol = line.substr(at + word.size());
      symbol = symbol.substr(0, symbol.find("; "));  // bfd: "; program.o:..: first defined here"
      const auto keep = [](char c) { return c != '`' && c != '\'' && c != '"'; };
      std::string plain;
      std::copy_if(symbol.begin(), symbol.end(), std::back_inserter(plain), keep);
      if (const auto first_defined = plain.find(": first defined"); first_defined != std::string::npos) {
        plain.erase(first_defined);
      }
      if (std::find(found.begin(), found.end(), plain) == found.end()) found.push_back(plain);
      break;
    }
  }
  return found;
}

std::string plain_name(const std::string& symbol) {
  auto name = symbol.substr(0, symbol.find('('));
  return name.substr(name.find_last_of(" :") == std::string::npos ? 0 : name.find_last_of(" :") + 1);
}

/// The first line of `text` that has `name` as a word outside a comment, 0 when none.
int line_with(const std::string& text, const std::string& name) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  int number = 0;
  for (const auto& line : lines_of(text)) {
    ++number;
    for (auto at = line.find(name); at != std::string::npos; at = line.find(name, at + 1)) {
      const auto end = at + name.size();
      const bool whole = (at == 0 || !in_word(line[at - 1])) && (end == line.size() || !in_word(line[end]));
      if (whole && line.find("//") > at) return number;
    }
  }
  return 0;
}

std::string missing(const std::vector<std::string>& symbols, const source_in_question& source) {
  const auto file = course::shown(source.shown_as);
  const auto contract = source.contract.empty() ? std::string() : read_file(source.contract);
  for (const auto& symbol : symbols) {
    const auto name = plain_name(symbol);
    if (name == "main" || name == "__real_main") {
      return fmt::format(
          "{} has no main(), so there is nothing to run. A lab's file is judged with: ./lab check", file);
    }
    if (const int line = line_with(contract, name)) {
      const auto declared = fmt::format("{}:{}", course::shown(source.contract), line);
      if (const auto hidden = find_hidden(source.text, symbol); hidden.line > 0) {
        return fmt::format("{}:{} defines `{}` {}, so it is not what {} declares. {}", file, hidden.line,
                           name, hidden.how, declared, hidden.what_to_do);
      }
      if (const int here = line_with(source.text, name)) {
        return fmt::format("{}:{} has a `{}`, but {} declares it as `{}`. Give it exactly that signature.",
                           file, here, name, declared, symbol);
      }
      return fmt::format("{} does not define `{}`, which {} declares.", file, symbol, declared);
    }
  }
  const auto& symbol = symbols.front();
  const auto name = plain_name(symbol);
  const int line = line_with(source.text, name);
  if (line == 0) {
    return fmt::format(
        "{} does not link, and not by its own fault: `{}` is missing. Run ./lab, which builds what is stale.",
        file, symbol);
  }
  const auto where = fmt::format("{}:{}", file, line);
  if (name.rfind("cuda", 0) == 0 || name.rfind("cublas", 0) == 0) {
    return fmt::format("{} uses {}, which the emulated GPU does not have yet.", where, name);
  }
  if (const auto hidden = find_hidden(source.text, symbol); hidden.line > 0) {
    return fmt::format("{} uses `{}`, but line {} defines it {}. {}", where, symbol, hidden.line, hidden.how,
                       hidden.what_to_do);
  }
  return fmt::format("{} uses `{}`, which nothing defines.", where, symbol);
}

}  // namespace

std::string error_at(const fs::path& file, int line, int column, std::string_view message,
                     std::string_view text) {
  auto told = course::shown(file);
  if (line > 0) told += fmt::format(":{}", line);
  if (line > 0 && column > 0) told += fmt::format(":{}", column);
  return fmt::format("{}: error: {}{}", told, printable(message), quoted_line(text, line, column));
}

std::string first_compile_error(std::string_view output, const source_in_question& source) {
  const auto lines = lines_of(output);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    auto error = error_in(lines[at]);
    if (!error) continue;
    if (error->where.line == 0) {
      return fmt::format("{}: error: {}", course::shown(source.shown_as), printable(error->message));
    }
    if (!inside(error->where.file, source.internal_folders)) return told(*error, source);
    if (const auto cause = cause_of(lines, at, source)) {
      error->message += fmt::format(" (found in {}, which this line uses)",
                                    fs::path(error->where.file).filename().string());
      error->where = *cause;
      return told(*error, source);
    }
    return fmt::format("{}: error: {} (in {}:{})", course::shown(source.shown_as), printable(error->message),
                       error->where.file, error->where.line);
  }
  return fmt::format("{} does not compile; the compiler said: {}", course::shown(source.shown_as),
                     lines.empty() ? "nothing" : printable(lines.back()));
}

std::vector<std::string> own_warnings(std::string_view output, const source_in_question& source,
                                      std::size_t most) {
  // By line, but a forgotten return first: it explains what else is odd. A template warns once for each
  // instantiation.
  std::map<std::tuple<bool, int, std::string>, int> columns;
  for (const auto& line : lines_of(output)) {
    const auto warning = diagnostic_in(line, ": warning: ");
    if (!warning || warning->where.file != source.shown_as.string()) continue;
    const bool returns = warning->message.find("-Wreturn-type") == std::string::npos;
    columns.try_emplace({returns, warning->where.line, warning->message},
                        column_in_source(warning->where, source.text));
  }
  std::vector<std::string> texts;
  for (const auto& [warning, column] : columns) {
    if (texts.size() == most) break;
    const auto& [returns, line, message] = warning;
    texts.push_back(fmt::format("{}{}: warning: {}{}", line, column > 0 ? fmt::format(":{}", column) : "",
                                printable(in_cuda_words(message)), quoted_line(source.text, line, column)));
  }
  return texts;
}

std::string link_error(std::string_view output, const source_in_question& source) {
  const auto file = course::shown(source.shown_as);
  const auto doubled = quoted_after(output, {"multiple definition of ", "duplicate symbol: "});
  if (!doubled.empty()) {
    const auto name = plain_name(doubled.front());
    const int line = line_with(source.text, name);
    const auto where = line > 0 ? fmt::format("{}:{}", file, line) : file;
    if (name == "main") {
      return fmt::format(
          "{} defines main(), but the grader's driver has the main() and calls your functions. Remove yours; "
          "to run a whole program, use ./lab run FILE.cu.",
          where);
    }
    return fmt::format("{} defines `{}`, which the lab defines already. Remove or rename yours.", where,
                       doubled.front());
  }
  const auto undefined = quoted_after(output, {"undefined reference to ", "undefined symbol: "});
  if (!undefined.empty()) return missing(undefined, source);
  const auto lines = lines_of(output);
  return fmt::format("{} compiles but does not link; the linker said: {}", file,
                     lines.empty() ? "nothing" : printable(lines.front()));
}

std::string quoted_line(std::string_view text, int number, int column) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.substr(0, byte_order_mark.size()) == byte_order_mark) text.remove_prefix(byte_order_mark.size());
  for (int line = 1; line < number && !text.empty(); ++line) {
    const auto end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  auto line = text.substr(0, text.find('\n'));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (number <= 0 || line.empty() || line.size() > 400 || printable(line) != line) return "";
  std::string quote = fmt::format("\n{:5} | {}", number, line);
  if (column <= 0 || static_cast<std::size_t>(column) > line.size() + 1) return quote;
  std::string indent;
  for (const char c : line.substr(0, static_cast<std::size_t>(column) - 1)) {
    const bool continues = (static_cast<unsigned char>(c) & 0xc0) == 0x80;
    if (!continues) indent += c == '\t' ? '\t' : ' ';
  }
  return quote + fmt::format("\n      | {}^", indent);
}

}  // namespace lab::cli
