#pragma once

/// Where the CUDA headers hand over to the runtime.
namespace lab::emulator {

/// A failed assert. In a kernel: prints what CUDA prints, the launch fails with cudaErrorAssert, and control
/// does not come back to the kernel. On the host: what assert does anywhere, it ends the process with
/// SIGABRT.
[[noreturn]] void assertion_failed(const char* expression, const char* file, unsigned int line,
                                   const char* function);

}  // namespace lab::emulator
