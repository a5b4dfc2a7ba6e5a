#pragma once

#include <cstddef>

/// The two functions of Boost.Context that switch stacks, as its library has them; where that is not
/// installed, our own (LAB_FIBERS in common/emulator/CMakeLists.txt). Declared here, so that its headers need
/// not be there either.
namespace boost::context::detail {

using fcontext_t = void*;

/// What comes with a switch: who has switched, and its word.
struct transfer_t {
  fcontext_t fctx;
  void* data;
};

/// Goes on in `to`, with `data`; returns when something goes on here.
extern "C" transfer_t jump_fcontext(fcontext_t to, void* data);

/// For a stack that ends below `top`: `entry` begins there at the first switch to it. It must not return.
extern "C" fcontext_t make_fcontext(void* top, std::size_t bytes, void (*entry)(transfer_t));

}  // namespace boost::context::detail
