#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "commands/commands.hpp"

namespace lab::cli {

/// A command line in words: what was asked for.
struct request {
  check_options check;
  run_options run;
  timeline_options timeline;
  course_options course;
  std::string lab;
  std::string check_name;
  std::string note;
  bool anyway = false;
};

/// Declares every command and its options; parsing fills `wanted`, which must live as long as `app`. The
/// names of values (LAB, CHECK, FILE.cu, FILE.patch, or a list to choose from) are also what completion goes
/// by.
void add_commands(CLI::App& app, request& wanted);

}  // namespace lab::cli
