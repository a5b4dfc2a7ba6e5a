#include "tokens.hpp"

#include <cctype>
#include <cstring>
#include <utility>

namespace lab::emulator::translate {
namespace {

const std::unordered_map<std::string_view, word>& words() {
  static const auto table = [] {
    const std::pair<word, std::vector<std::string_view>> groups[] = {
        {word::global_, {"__global__"}},
        {word::device_, {"__device__"}},
        {word::host_, {"__host__"}},
        {word::shared_, {"__shared__"}},
        {word::static_, {"static"}},
        {word::extern_, {"extern"}},
        {word::inline_, {"inline", "__inline__", "__forceinline__", "__noinline__", "__grid_constant__"}},
        {word::friend_, {"friend"}},
        {word::constexpr_, {"constexpr"}},
        {word::const_, {"const"}},
        {word::volatile_, {"volatile"}},
        {word::restrict_, {"__restrict__", "__restrict"}},
        {word::attribute_,
         {"__attribute__", "__attribute", "__declspec", "__launch_bounds__", "__cluster_dims__",
          "__maxnreg__", "__block_size__"}},
        {word::align_, {"__align__", "alignas"}},
        {word::decltype_, {"decltype", "__typeof__", "typeof"}},
        {word::noexcept_, {"noexcept"}},
        {word::requires_, {"requires"}},
        {word::void_, {"void"}},
        {word::built_in_type_,
         {"bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "char16_t",
          "char32_t", "wchar_t", "__int128"}},
        {word::auto_, {"auto"}},
        {word::class_, {"class", "struct", "union"}},
        {word::enum_, {"enum"}},
        {word::namespace_, {"namespace"}},
        {word::template_, {"template"}},
        {word::operator_, {"operator"}},
        {word::alias_, {"typedef", "using"}},
        {word::access_, {"public", "private", "protected"}},
        {word::final_, {"final", "override"}},
        {word::block_, {"else", "do", "try"}},
        {word::control_, {"if", "for", "while", "switch", "catch"}},
        {word::asm_, {"asm", "__asm__", "__asm"}},
        {word::other_,
         {"__managed__", "__constant__", "thread_local", "register", "mutable", "explicit", "typename",
          "return", "throw", "case", "goto", "new", "delete", "sizeof"}},
    };
    std::unordered_map<std::string_view, word> spelled;
    for (const auto& [meaning, spellings] : groups)
      for (const std::string_view spelling : spellings) spelled[spelling] = meaning;
    return spelled;
  }();
  return table;
}

directive_kind kind_of_directive(std::string_view name) {
  static const std::unordered_map<std::string_view, directive_kind> table = {
      {"define", directive_kind::define}, {"include", directive_kind::include},
      {"if", directive_kind::if_},        {"ifdef", directive_kind::ifdef},
      {"ifndef", directive_kind::ifndef}, {"elif", directive_kind::elif},
      {"else", directive_kind::else_},    {"endif", directive_kind::endif},
  };
  const auto found = table.find(name);
  return found == table.end() ? directive_kind::other : found->second;
}

bool starts_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool continues_identifier(char c) {
  return starts_identifier(c) || std::isdigit(static_cast<unsigned char>(c));
}

/// Whether the bytes are UTF-8; overlong forms are left to the compiler.
bool valid_utf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[i]);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xf0 && lead < 0xf8 ? 4
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                                                             : 0;
    if (length == 0 || i + length > bytes.size()) return false;
    for (std::size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(bytes[i + k]) & 0xc0) != 0x80) return false;
    i += length;
  }
  return true;
}

// Longest first. `>` never joins another `>`, because it may close a template.
constexpr std::string_view punctuators[] = {
    "<<<", "<<=", "->*", "...", "<=>", "::", "->", ".*", "##", "<<", "<=", ">=", "&&", "||", "==", "!=",
    "+=",  "-=",  "*=",  "/=",  "%=",  "&=", "|=", "^=", "++", "--", "<:", ":>", "<%", "%>", "%:"};
constexpr std::pair<std::string_view, std::uint32_t> digraphs[] = {
    {"<:", op("[")}, {":>", op("]")}, {"<%", op("{")}, {"%>", op("}")}, {"%:", op("#")}};

class tokenizer {
 public:
  explicit tokenizer(std::string_view text) : text_(text) {}

  token_list run() {
    if (text_.substr(0, 3) == "\xef\xbb\xbf") at_ = 3;
    while (at_ < text_.size()) step();
    if (in_directive_) end_directive();
    return std::move(list_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  /// The position behind a backslash-newline at `p`, or `p`. Blanks between the two are allowed, as compilers
  /// do.
  std::size_t behind_splice(std::size_t p) const {
    if (p >= text_.size() || text_[p] != '\\') return p;
    std::size_t q = p + 1;
    while (q < text_.size() && (text_[q] == ' ' || text_[q] == '\t' || text_[q] == '\r')) ++q;
    return q < text_.size() && text_[q] == '\n' ? q + 1 : p;
  }

  void step() {
    const char c = text_[at_];
    if (c == '\n') return newline();
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') return blank(at_ + 1);
    if (const std::size_t next = behind_splice(at_); next != at_) return blank(next);
    if (c == '/' && peek(1) == '/') return line_comment();
    if (c == '/' && peek(1) == '*') return block_comment();
    if (c == '#' && line_start_ && !in_directive_) return begin_directive();
    line_start_ = false;
    if (expects_header_name_ && (c == '<' || c == '"') && header_name(c == '<' ? '>' : '"')) return;
    expects_header_name_ = false;
    if (starts_identifier(c)) return identifier();
    if (std::isdigit(static_cast<unsigned char>(c)) ||
        (c == '.' && std::isdigit(static_cast<unsigned char>(peek(1)))))
      return number();
    if (c == '"' || c == '\'') return quoted(at_);
    punctuator();
  }

  void blank(std::size_t next) {
    at_ = next;
    space_ = true;
  }

  void newline() {
    if (in_directive_) end_directive();
    blank(at_ + 1);
    line_start_ = true;
  }

  void line_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') {
      const std::size_t next = behind_splice(at_);
      at_ = next != at_ ? next : at_ + 1;
    }
    space_ = true;
  }

  void block_comment() {
    const std::size_t close = text_.find("*/", at_ + 2);
    if (close == std::string_view::npos) {
      problem(at_, "this comment is never closed: add */ where it ends.", true);
      return blank(text_.size());
    }
    blank(close + 2);
  }

  void begin_directive() {
    directive d;
    d.begin = static_cast<std::uint32_t>(at_);
    d.code_index = static_cast<std::uint32_t>(list_.code.size());
    d.first = static_cast<std::uint32_t>(list_.directive_tokens.size());
    list_.directives.push_back(d);
    in_directive_ = expects_directive_name_ = true;
    line_start_ = false;
    blank(at_ + 1);
  }

  void end_directive() {
    list_.directives.back().last = static_cast<std::uint32_t>(list_.directive_tokens.size());
    in_directive_ = expects_directive_name_ = expects_header_name_ = false;
  }

  bool header_name(char close) {
    const std::size_t end = text_.find_first_of(close == '>' ? ">\n" : "\"\n", at_ + 1);
    if (end == std::string_view::npos || text_[end] == '\n') return false;
    expects_header_name_ = false;
    add(token_kind::header_name, end + 1);
    return true;
  }

  void identifier() {
    std::size_t end = at_;
    bool spliced = false, wide = false;
    while (end < text_.size()) {
      if (continues_identifier(text_[end])) {
        wide |= static_cast<unsigned char>(text_[end]) >= 0x80;
        ++end;
      } else if (const std::size_t next = behind_splice(end);
                 next != end && next < text_.size() && continues_identifier(text_[next])) {
        spliced = true;
        end = next;
      } else {
        break;
      }
    }
    const std::string_view spelled = text_.substr(at_, end - at_);
    if (end < text_.size() && (text_[end] == '"' || text_[end] == '\'')) {
      if (text_[end] == '"' &&
          (spelled == "R" || spelled == "u8R" || spelled == "uR" || spelled == "UR" || spelled == "LR"))
        return raw_string(end);
      if (spelled == "L" || spelled == "u8" || spelled == "u" || spelled == "U") return quoted(end);
    }
    if (wide && !valid_utf8(spelled))
      problem(at_,
              "the bytes here are neither UTF-8 nor inside a string or comment: save the file as UTF-8.");
    add(token_kind::identifier, end, spliced);
  }

  void number() {
    std::size_t end = at_;
    while (end < text_.size()) {
      const char c = text_[end];
      const char next = end + 1 < text_.size() ? text_[end + 1] : '\0';
      const bool signed_exponent = std::strchr("eEpP", c) != nullptr && (next == '+' || next == '-');
      if (c != '\0' && (signed_exponent || (c == '\'' && continues_identifier(next)))) {
        end += 2;
      } else if (continues_identifier(c) || c == '.') {
        ++end;
      } else {
        break;
      }
    }
    add(token_kind::number, end);
  }

  void quoted(std::size_t open) {
    const char quote = text_[open];
    std::size_t end = open + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      const std::size_t next = behind_splice(end);
      if (next != end) {
        end = next;
      } else {
        end += text_[end] == '\\' && end + 1 < text_.size() && text_[end + 1] != '\n' ? 2 : 1;
      }
    }
    if (end < text_.size() && text_[end] == quote) {
      ++end;
    } else {
      problem(open, quote == '"' ? "this string is not closed on its line: add the missing \"."
                                 : "this character is not closed on its line: add the missing '.");
    }
    if (end > text_.size()) end = text_.size();
    add(quote == '"' ? token_kind::text : token_kind::character, end);
  }

  void raw_string(std::size_t open) {
    const std::size_t parenthesis = text_.find_first_of("(\"\n \\)", open + 1);
    if (parenthesis == std::string_view::npos || text_[parenthesis] != '(' || parenthesis - open > 17)
      return quoted(open);
    const std::string close = ")" + std::string(text_.substr(open + 1, parenthesis - open - 1)) + "\"";
    const std::size_t end = text_.find(close, parenthesis);
    if (end == std::string_view::npos) {
      problem(open, "this raw string is never closed: add " + close + " where it ends.", true);
      return add(token_kind::text, text_.size());
    }
    add(token_kind::text, end + close.size());
  }

  void punctuator() {
    const std::string_view rest = text_.substr(at_, 3);
    std::string_view found = rest.substr(0, 1);
    for (const std::string_view candidate : punctuators) {
      if (rest.substr(0, candidate.size()) != candidate) continue;
      // [lex.pptoken]: `<::` is `<` `::`, unless another `:` or `>` follows
      if (candidate == "<:" && peek(2) == ':' && peek(3) != ':' && peek(3) != '>') continue;
      found = candidate;
      break;
    }
    std::uint32_t code = op(found);
    for (const auto& [spelling, meaning] : digraphs)
      if (spelling == found) code = meaning;
    add(token_kind::punctuator, at_ + found.size());
    last_->punctuator = code;
  }

  void add(token_kind kind, std::size_t end, bool spliced = false) {
    token t;
    t.begin = static_cast<std::uint32_t>(at_);
    t.end = static_cast<std::uint32_t>(end);
    t.kind = kind;
    t.space_before = space_;
    t.spliced = spliced;
    at_ = end;
    space_ = false;
    const std::string_view spelled = spliced ? remember_spliced(t) : text_.substr(t.begin, t.end - t.begin);
    if (expects_directive_name_) return name_directive(kind == token_kind::identifier ? spelled : "");
    if (kind == token_kind::identifier) {
      const auto found = words().find(spelled);
      if (found != words().end()) t.meaning = found->second;
    }
    auto& tokens = in_directive_ ? list_.directive_tokens : list_.code;
    tokens.push_back(t);
    last_ = &tokens.back();
  }

  /// The directive's own name is not kept as a token: its kind says it.
  void name_directive(std::string_view name) {
    expects_directive_name_ = false;
    directive& d = list_.directives.back();
    d.kind = kind_of_directive(name);
    expects_header_name_ = d.kind == directive_kind::include;
    last_ = &discarded_;
  }

  std::string_view remember_spliced(const token& t) {
    std::string clean;
    for (std::size_t p = t.begin; p < t.end;) {
      const std::size_t next = behind_splice(p);
      if (next == p)
        clean += text_[p++];
      else
        p = next;
    }
    return list_.spliced[t.begin] = std::move(clean);
  }

  void problem(std::size_t offset, std::string message, bool everywhere = false) {
    if (list_.problems.size() >= 100) return;
    // compilers only warn of these in a # line; what uses a macro with one fails there
    if (in_directive_ && !everywhere) return;
    lexical_problem p;
    p.offset = static_cast<std::uint32_t>(offset);
    p.code_index = static_cast<std::uint32_t>(list_.code.size());
    p.everywhere = everywhere;
    p.message = std::move(message);
    list_.problems.push_back(std::move(p));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool space_ = false;
  bool line_start_ = true;
  bool in_directive_ = false;
  bool expects_directive_name_ = false;
  bool expects_header_name_ = false;
  token discarded_;
  token* last_ = nullptr;
  token_list list_;
};

}  // namespace

std::string_view token_list::spelling(const token& t, std::string_view text) const {
  if (t.spliced) return spliced.at(t.begin);
  return text.substr(t.begin, t.end - t.begin);
}

token_list tokenize(std::string_view text) {
  return tokenizer(text).run();
}

}  // namespace lab::emulator::translate
