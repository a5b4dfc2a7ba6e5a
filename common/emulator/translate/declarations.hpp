#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fragment.hpp"

/// What a file declares: scopes, functions and above all kernels.
namespace lab::emulator::translate {

enum class scope_kind : std::uint8_t {
  file,
  namespace_,
  class_,
  function,
  block,   ///< a statement's braces within a function
  opaque,  ///< lambdas, initialisers and whatever else braces may mean
};

struct scope {
  scope_kind kind = scope_kind::file;
  std::uint32_t parent = 0;
  std::int32_t function = -1;  ///< index of the innermost enclosing function
  std::string path;            ///< names of the enclosing namespaces and classes, joined by ::

  bool executes() const {
    return kind == scope_kind::function || kind == scope_kind::block || kind == scope_kind::opaque;
  }
};

/// A function declared at namespace or class scope.
struct function_declaration {
  const source_file* file = nullptr;
  std::uint32_t head = 0;  ///< its first token
  std::uint32_t name_token = 0;
  std::string name;
  std::string path;          ///< the scope it is declared in, with its own qualification
  std::string signature;     ///< parameter types as spelled, names and defaults taken away
  std::string wrong_return;  ///< a kernel's return type, when it certainly is not void
  bool kernel = false;
  bool device = false;
  bool member = false;
  bool plain_type = false;      ///< its return type is built in, so this cannot be a variable
  bool host_only = false;       ///< only built-in and std types precede the name: no macro hides a __device__
  bool specialization = false;  ///< `template <>` or explicit instantiation
  bool is_template = false;
  bool has_pack = false;
  int template_parameters = 0;
  int parameters = 0;
  std::uint64_t pointers = 0;  ///< bit i: parameter i is a pointer
  int defaulted = 0;           ///< parameters with a default argument
  bool variadic = false;
};

struct declarations {
  std::vector<scope> scopes;            ///< the first is the file
  std::vector<std::uint32_t> scope_of;  ///< per token of the program
  std::vector<function_declaration> functions;

  const scope& scope_at(std::uint32_t token) const { return scopes[scope_of[token]]; }
  /// The innermost function around the token, or nullptr.
  const function_declaration* function_at(std::uint32_t token) const {
    const std::int32_t function = scope_at(token).function;
    return function < 0 ? nullptr : &functions[static_cast<std::size_t>(function)];
  }
};

/// Reads the declarations of a file.
declarations read_declarations(const fragment& program);

/// Whether `name` may be a local variable or parameter at token `use`, by how the function uses it until
/// there.
bool may_be_local(const fragment& program, const declarations& declared, std::string_view name,
                  std::uint32_t use);

}  // namespace lab::emulator::translate
