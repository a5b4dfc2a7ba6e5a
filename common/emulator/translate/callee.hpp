#pragma once

#include "fragment.hpp"

/// What stands before `<<<`, or is called.
namespace lab::emulator::translate {

/// A launched or called function as the source names it.
struct callee_name {
  std::string name;             ///< without qualification or template arguments; empty: it is no plain name
  std::uint32_t token = 0;      ///< the name's
  std::string path;             ///< its qualification, `a::b`
  int template_arguments = -1;  ///< -1: no < >
  int arguments = -1;           ///< how many the call passes; -1: not known
};

/// Where the expression that ends before token `end` begins; `end` itself if nothing there can be launched.
///
/// Goes back over names, qualification, template arguments, calls, subscripts and members, as C++ binds them.
std::uint32_t start_of_callee(const fragment& in, std::uint32_t end);

/// The function that tokens [first, last) name.
callee_name name_callee(const fragment& in, std::uint32_t first, std::uint32_t last);

}  // namespace lab::emulator::translate
