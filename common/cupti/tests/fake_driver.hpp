#pragma once

#include <cstdint>

/// The few functions of the driver that a schedule needs, of a GPU whose work takes no time: it is done when
/// somebody asks, up to the first wait in its stream that is not over.
namespace fake_driver {

using stream = std::uint64_t;

void submit(stream in, const char* work);
/// Work that never ends.
void submit_endless(stream in);
/// The names of what is done, in the order in which it was, each followed by a space.
const char* done();

}  // namespace fake_driver
