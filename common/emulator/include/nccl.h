#pragma once

#error "nccl.h is not emulated yet: there is only one emulated GPU."
