#pragma once

#error "cub/cub.cuh is not emulated yet: CUB is not part of the emulated GPU; write a kernel."
