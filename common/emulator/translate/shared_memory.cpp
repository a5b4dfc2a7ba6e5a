#include <algorithm>
#include <set>

#include "passes.hpp"
#include "source_file.hpp"

namespace lab::emulator::translate {
namespace {

/// One declaration statement that holds `__shared__`. It becomes the declaration of a type for each variable,
/// and behind it the variables:
///
///     __shared__ float a[N], *b;
///     typedef float lab_type_a[N], *lab_type_b; ... lab_type_a& a = ...; lab_type_b& b = ...;
///
/// Whatever stands before the first name keeps its column.
class shared_translator {
 public:
  shared_translator(const fragment& in, const surroundings& around, std::uint32_t word_token,
                    std::set<std::string>& declared_outside)
      : in_(in), around_(around), word_(word_token), declared_outside_(declared_outside) {}

  /// Returns the last token that belongs to the statement.
  std::uint32_t run() {
    find_statement();
    if (check_place() && read_variables()) rewrite();
    return last_;
  }

 private:
  struct variable {
    std::uint32_t token = 0;  ///< the first of its name, which a macro may paste together
    std::string name;
    bool bounded = false;  ///< an array
  };

  bool reject(std::uint32_t token, const std::string& message) {
    around_.errors.add(in_, token, message);
    return false;
  }

  void find_statement() {
    first_ = word_;
    while (first_ > 0 && !ends_previous(first_ - 1)) first_ = in_.back(first_ - 1);
    last_ = word_;
    while (last_ < in_.size() && !in_.at(last_).is(op(";")) && !in_.at(last_).is(op("}")) &&
           !in_.at(last_).is(op(")")))
      last_ = in_.jump(last_) + 1;
  }

  /// Whether token i belongs to what stands before the declaration.
  bool ends_previous(std::uint32_t i) const {
    const token& t = in_.at(i);
    if (t.is(op(")"))) {
      const std::uint32_t open = in_.back(i);
      return open == i || open == 0 || !is_attribute(open - 1);
    }
    return t.is(op(";")) || t.is(op("{")) || t.is(op("}")) || t.is(op("(")) || t.is(op(":")) ||
           t.is(op(",")) || t.is(word::block_);
  }

  bool is_attribute(std::uint32_t i) const {
    return in_.at(i).is(word::attribute_) || in_.at(i).is(word::align_);
  }
  bool outside_functions() const {
    if (around_.declared == nullptr) return false;
    const scope_kind kind = around_.declared->scope_at(word_).kind;
    return kind == scope_kind::file || kind == scope_kind::namespace_;
  }

  bool check_place() {
    if (last_ < in_.size() && in_.at(last_).is(op(")")))
      return reject(word_, "__shared__ belongs to variables, not to parameters: take it away here.");
    if ((last_ == in_.size() || !in_.at(last_).is(op(";"))) && !in_.macro)
      return reject(word_, "this __shared__ declaration has no end: add the missing ;.");
    if (in_.has_directive(first_, last_))
      return reject(word_,
                    "a line with # splits this __shared__ declaration: write the whole declaration on each "
                    "side of it.");
    if (around_.declared != nullptr && around_.declared->scope_at(word_).kind == scope_kind::class_)
      return reject(word_,
                    "a member cannot be __shared__: declare the variable inside the kernel that uses it.");
    return true;
  }

  bool read_variables() {
    if (const specifier_macro* found = around_.names.specifiers(in_.spelling(word_))) macro_ = *found;
    extern_ = macro_.is_extern;
    for (std::uint32_t i = first_; i < last_; ++i) extern_ = extern_ || in_.at(i).is(word::extern_);
    for (const stretch& part : in_.split_at_commas(first_, last_))
      if (!read_variable(part)) return false;
    if (outside_functions() && !extern_)
      return reject(word_, "'" + variables_[0].name +
                               "' is __shared__ outside of a function, which is not emulated: declare it "
                               "inside the kernel that uses it.");
    return true;
  }

  /// One declarator, the first with what precedes it: the last name before any bounds is the variable's.
  bool read_variable(stretch part) {
    variable v;
    bool typed = part.first != first_, in_class = false;
    for (std::uint32_t i = part.first; i < part.last; ++i) {
      const token& t = in_.at(i);
      const std::uint32_t close = in_.jump(i, part.last);
      if (is_attribute(i)) {
        i = drop_attribute(i);
      } else if (t.is(word::static_) || t.is(word::extern_) || t.is(word::device_)) {
        dropped_.push_back({i, i + 1});
      } else if (t.is(op("{")) && in_class) {
        v.name.clear();
        in_class = false;
        i = close;
      } else if (t.is(op("=")) || t.is(op("{")) || initializes(i, v)) {
        return reject(
            i, "the __shared__ variable '" + v.name +
                   "' cannot have an initial value: let a thread assign it, then call __syncthreads().");
      } else if (t.is(op("[")) && !v.name.empty()) {
        if (close == i + 1 && !v.bounded && !extern_)
          return reject(i, "the __shared__ array '" + v.name +
                               "' needs a size; only extern __shared__ takes it from the launch.");
        v.bounded = true;
        i = close;
      } else if (t.name() && !v.bounded) {
        typed = typed || !v.name.empty();
        i = read_name(i, part.last, v);
      } else if (!opens_declarator(i)) {
        in_class = in_class || t.is(word::class_) || t.is(word::enum_);
        typed = typed || in_class || t.is(word::built_in_type_) || t.is(word::void_) || t.is(word::decltype_);
        i = t.is(word::decltype_) && in_.has(i + 1, op("(")) ? in_.jump(i + 1) : close;
      }
    }
    variables_.push_back(v);
    if (typed && !v.name.empty()) return true;
    return reject(word_, in_.macro
                             ? "this macro holds part of a __shared__ declaration: let it hold a whole one, "
                               "as in __shared__ float name[256]."
                             : "this __shared__ declaration needs a type and a name: write it as in "
                               "__shared__ float tile[256];.");
  }

  /// `(*rows)[3]`
  bool opens_declarator(std::uint32_t i) const {
    return in_.at(i).is(op("(")) &&
           (in_.has(i + 1, op("*")) || in_.has(i + 1, op("&")) || in_.has(i + 1, op("(")));
  }
  /// `x(3)`; but not the argument list of a macro, after which the declaration goes on
  bool initializes(std::uint32_t i, const variable& v) const {
    return in_.at(i).is(op("(")) && !v.name.empty() && !opens_declarator(i) && !in_.at(i - 1).is(op(")")) &&
           in_.jump(i) + 1 >= last_;
  }

  std::uint32_t read_name(std::uint32_t i, std::uint32_t last, variable& v) const {
    v.token = i;
    while (i + 2 < last && in_.at(i + 1).is(op("##"))) i += 2;
    v.name = in_.one_line(v.token, i + 1);
    return i;
  }

  /// `__align__(16)`, `alignas(T)`, `__attribute__((aligned(16)))`: keeps the number, returns the last token.
  std::uint32_t drop_attribute(std::uint32_t i) {
    const std::uint32_t close = in_.has(i + 1, op("(")) ? in_.jump(i + 1) : i;
    dropped_.push_back({i, close + 1});
    const auto align = [&](std::uint32_t open) {
      alignments_ += " alignas(" + in_.one_line(open + 1, in_.jump(open)) + ")";
    };
    if (in_.at(i).is(word::align_)) {
      if (close != i) align(i + 1);
      return close;
    }
    for (std::uint32_t k = i + 2; k + 1 < close; ++k)
      if ((in_.spelling(k) == "aligned" || in_.spelling(k) == "__aligned__") && in_.has(k + 1, op("(")))
        align(k + 1);
    return close;
  }

  void rewrite() {
    for (const stretch& s : dropped_) replace(s.first, s.last, "");
    replace(word_, word_ + 1, macro_.is_volatile ? "volatile typedef" : "typedef");
    std::string behind;
    if (!alignments_.empty() && !extern_)
      behind = "; struct" + alignments_ + " " + named("lab_aligned_", variables_[0]) + " {}";
    for (const variable& v : variables_) {
      const std::uint32_t begin = in_.at(v.token).begin;
      around_.changes.replace(begin, begin, prefix("lab_type_", v));
      behind += outside_functions() ? outside(v) : inside(v);
    }
    const std::uint32_t end = in_.at(last_ - 1).end;
    around_.changes.replace(end, end, behind);
  }

  /// Puts `text` in place of tokens [first, last), as wide and on as many lines.
  void replace(std::uint32_t first, std::uint32_t last, std::string text) {
    const std::uint32_t begin = in_.at(first).begin, end = in_.at(last - 1).end;
    const std::string lines = in_.line_ends(begin, end);
    if (lines.empty() && text.size() < end - begin) text.resize(end - begin, ' ');
    around_.changes.replace(begin, end, text + lines);
  }

  std::string inside(const variable& v) const {
    const std::string type = named("lab_type_", v);
    std::string memory = "::lab::emulator::dynamic_shared()", site;
    if (!extern_) {
      // as an extension, the compilers would take a size that is only known at run time
      if (v.bounded)
        site = "static_assert(__builtin_constant_p(sizeof(" + type +
               ")), \"the size of a __shared__ array must be known when it is compiled: use a constant, or "
               "extern "
               "__shared__ and the third value of the launch.\"); ";
      site += "static ::lab::emulator::shared_site " + named("lab_shared_", v) + "; ";
      memory = "::lab::emulator::shared_variable(" + named("lab_shared_", v) + ", sizeof(" + type + "), " +
               alignment(type) + ")";
    }
    return "; " + site + type + "& " + v.name + " = *static_cast<" + type + "*>(" + memory + ")";
  }

  std::string alignment(const std::string& type) const {
    const std::string own = "alignof(" + type + ")";
    const std::string wanted = "alignof(" + named("lab_aligned_", variables_[0]) + ")";
    return alignments_.empty() ? own : own + " > " + wanted + " ? " + own + " : " + wanted;
  }

  /// `extern __shared__ T s[];` at namespace scope, where it may be declared again.
  std::string outside(const variable& v) {
    if (!declared_outside_.insert(around_.declared->scope_at(word_).path + "::" + v.name).second) return "";
    return "; [[maybe_unused]] static const ::lab::emulator::dynamic_shared_array<" + named("lab_type_", v) +
           "> " + v.name + "{}";
  }

  std::string prefix(const char* word, const variable& v) const {
    return std::string(word) + (in_.parameter(v.token) >= 0 ? " ## " : "");
  }
  std::string named(const char* word, const variable& v) const { return prefix(word, v) + v.name; }

  const fragment& in_;
  const surroundings& around_;
  std::uint32_t word_;
  std::set<std::string>& declared_outside_;
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;  ///< the semicolon, or one behind the statement
  specifier_macro macro_;   ///< that the word stands for, if it does
  bool extern_ = false;
  std::string alignments_;
  std::vector<stretch> dropped_;
  std::vector<variable> variables_;
};

}  // namespace

void translate_shared_memory(const fragment& in, const surroundings& around) {
  std::set<std::string> declared_outside;
  for (std::uint32_t i = 0; i < in.size() && !around.errors.full(); ++i)
    if (in.at(i).is(word::shared_)) i = std::max(i, shared_translator(in, around, i, declared_outside).run());
}

}  // namespace lab::emulator::translate
