#pragma once

#include <string>
#include <vector>

#include "protocol.hpp"
#include "scenario.hpp"

/// The exercise's end of the channel to the grader; one per process.
namespace lab::exercise::channel {

bool is_open();
bool is_lost();  ///< something could not be sent
struct request {
  std::string scenario;  ///< "" where the grader is gone
  bool stay = false;     ///< another one follows, where there can be one
};
/// Reads the next request; its inputs take the place of the one before.
request receive_request();
/// The inputs of a run without a grader.
void set_inputs(std::vector<received_value> values);
const received_value* find_input(const char* name);

/// Sends a value, or prints it where there is no grader. Silent in a child that the student's code forked;
/// once something could not be sent, is_lost().
void send(message_kind kind, element_type type, const char* name, const void* data, std::size_t size);

}  // namespace lab::exercise::channel
