#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel_table.hpp"
#include "translate.hpp"

/// What is done to a fragment of a file, and what that reads and writes.
namespace lab::emulator::translate {

/// Replacements of stretches of a text, none inside another.
class edits {
 public:
  /// Puts `text` in place of bytes [begin, end).
  void replace(std::uint32_t begin, std::uint32_t end, std::string text) {
    list_.push_back({begin, end, std::move(text)});
  }
  bool empty() const { return list_.empty(); }
  std::string apply(std::string_view text) const;

 private:
  struct edit {
    std::uint32_t begin;
    std::uint32_t end;
    std::string text;
  };
  std::vector<edit> list_;
};

/// Collects diagnostics, in compiled text only.
class error_list {
 public:
  /// Of text that may not be compiled nothing is rejected: the compiler will see it or it will not.
  void add(const source_file& file, std::uint32_t offset, activity state, std::string message);
  void add(const fragment& in, std::uint32_t token, std::string message) {
    add(*in.file, in.at(token).begin, in.state_at(token), std::move(message));
  }
  bool full() const { return errors_.size() >= most; }
  std::vector<diagnostic> take();

 private:
  static constexpr std::size_t most = 20;
  std::vector<diagnostic> errors_;
};

struct surroundings {
  const kernel_table& names;
  const declarations* declared = nullptr;  ///< of the fragment's file; none in a macro's body
  error_list& errors;
  edits& changes;
};

/// `kernel<<<grid, block>>>(arguments)` becomes an ordinary call.
void translate_launches(const fragment& in, const surroundings& around);

/// Notes behind each kernel how it is launched where only its address is given.
void list_kernels(const fragment& program, const surroundings& around);

/// Declarations of `__shared__` variables become references to the memory of the running block.
void translate_shared_memory(const fragment& in, const surroundings& around);

/// Inline PTX that reads special registers, `asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));`, becomes
/// plain C++. Other PTX is rejected by name; assembly of the host is left to the compiler.
void translate_inline_ptx(const fragment& in, const surroundings& around);

/// Reports what nvcc rejects and the host compiler would take: kernels that return a value, kernels called
/// like functions, device built-ins in host code. In doubt it says nothing.
void report_misuse(const fragment& in, const surroundings& around);

}  // namespace lab::emulator::translate
