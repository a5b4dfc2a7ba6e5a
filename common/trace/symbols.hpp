#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <unordered_map>
#include <vector>

#include "trace/model.hpp"

namespace lab::trace {

/// Turns code addresses of one program into source lines, through its debug information: with libdw, or,
/// where that is not installed, by asking binutils' addr2line (LAB_SYMBOLS in CMakeLists.txt).
class symbols {
 public:
  /// @param root files below it are named relative to it
  explicit symbols(const std::filesystem::path& program, std::filesystem::path root = {});
  ~symbols();
  symbols(const symbols&) = delete;
  symbols& operator=(const symbols&) = delete;

  /// The places of one call, innermost first: the call itself, then where each function it was inlined into
  /// was called. Empty where no source is known (a library); the emulator's and the system's headers, and
  /// what nvcc puts around kernels, are left out.
  /// @param return_address the address after the call
  const call_stack::frames& at(std::uint64_t return_address);

  /// Looks many up at once, for `at` to know. With addr2line, that starts one process instead of one for
  /// each.
  void prepare(const std::vector<std::uint64_t>& return_addresses);

 private:
  struct session;

  /// For each address its line, then the call lines of the functions inlined there, outwards.
  std::vector<call_stack::frames> look_up(const std::vector<std::uint64_t>& addresses);

  std::unique_ptr<session> session_;
  std::filesystem::path root_;
  std::unordered_map<std::uint64_t, call_stack::frames> known_;
};

}  // namespace lab::trace
