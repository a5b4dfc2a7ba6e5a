#pragma once

#include <sys/time.h>
#include <time.h>

/// The C library's own functions behind those that this library puts in front of them.
namespace lab::cupti::real {

int clock_gettime(clockid_t clock, timespec* time);
int nanosleep(const timespec* wanted, timespec* left);
int clock_nanosleep(clockid_t clock, int flags, const timespec* wanted, timespec* left);

}  // namespace lab::cupti::real
