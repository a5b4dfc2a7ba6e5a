#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <unordered_map>

#include "trace/model.hpp"

namespace lab::trace {

/// Turns code addresses of one program into source lines, through its debug information.
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
  const call_stack& at(std::uint64_t return_address);

 private:
  struct session;
  std::unique_ptr<session> session_;
  std::filesystem::path root_;
  std::unordered_map<std::uint64_t, call_stack> known_;
};

}  // namespace lab::trace
