# Warnings for our own code; linked privately, so that nobody who uses a target inherits them.
add_library(lab_warnings INTERFACE)
target_compile_options(lab_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror)
