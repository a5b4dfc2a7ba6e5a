// What every file for the emulated GPU gets ready-parsed: the runtime's header, as nvcc includes it unasked,
// and the standard headers that course files use. A file that does not compile with these is tried again
// without.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>
