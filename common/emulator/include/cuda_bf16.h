#pragma once

#error \
    "cuda_bf16.h is not emulated yet: the emulated GPU is a Tesla T4, which has no bfloat16 arithmetic; use cuda_fp16.h."
