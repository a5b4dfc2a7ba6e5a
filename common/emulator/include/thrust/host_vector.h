#pragma once

#error \
    "thrust/host_vector.h is not emulated yet: Thrust is not part of the emulated GPU; write the loop as a kernel, or on the host with <algorithm>."
