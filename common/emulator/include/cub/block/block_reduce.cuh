#pragma once

#error "cub/block/block_reduce.cuh is not emulated yet: CUB is not part of the emulated GPU; write a kernel."
