#pragma once

#error "nvToolsExt.h is not emulated yet: the emulator records its own timeline; leave the annotations out."
