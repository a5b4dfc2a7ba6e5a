#pragma once

#error "cub/device/device_reduce.cuh is not emulated yet: CUB is not part of the emulated GPU; write the loop as a kernel."
