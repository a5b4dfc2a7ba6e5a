#pragma once

#error \
    "nvtx3/nvtx3.hpp is not emulated yet: the emulator records its own timeline; leave the annotations out."
