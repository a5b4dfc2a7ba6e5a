#include "submissions.hpp"

#include <algorithm>

namespace lab::cupti {
namespace {

bool is_legacy(const submissions::stream_key& stream) {
  return stream.handle == legacy_stream_handle;
}

}  // namespace

submissions::stream_key submissions::key_of(const seen_call& call) {
  if (is_to_own_stream(call)) return {per_thread_stream_handle, call.thread};
  if (is_to_legacy_stream(call)) return {};
  return {call.stream, 0};
}

/// The legacy stream and the blocking ones wait for each other.
bool submissions::waits_for_held(const stream_key& stream) const {
  return std::any_of(streams_behind_.begin(), streams_behind_.end(), [&](const stream_key& behind) {
    const bool same = !(behind < stream) && !(stream < behind);
    return same || (is_legacy(stream) && !is_non_blocking(behind)) ||
           (is_legacy(behind) && !is_non_blocking(stream));
  });
}

submissions::submission submissions::begin(const seen_call& call) {
  submission made{++count_, key_of(call), false, false, false};
  made.is_held = made.number == held_.operation;
  made.is_opener = made.number == held_.until;
  const bool launches_graph = call.what == action::launch_graph;
  const bool waits = (call.what == action::wait_event && events_behind_.count(call.event) > 0) ||
                     (launches_graph && graphs_behind_.count(call.graph) > 0);
  made.is_behind = made.is_held || waits || waits_for_held(made.stream);
  if (made.is_behind) streams_behind_.insert(made.stream);
  if (call.what == action::record_event) {
    made.is_behind ? void(events_behind_.insert(call.event)) : void(events_behind_.erase(call.event));
  }
  if (launches_graph) {
    made.is_behind ? void(graphs_behind_.insert(call.graph)) : void(graphs_behind_.erase(call.graph));
  }
  return made;
}

void submissions::created(const seen_call& call) {
  streams_behind_.erase({call.stream, 0});
  non_blocking_.erase(call.stream);
  gone_.erase(call.stream);
  if ((call.flags & 1) != 0) non_blocking_.insert(call.stream);
}

std::vector<submissions::stream_key> submissions::let_go() {
  std::vector<stream_key> behind;
  for (const auto& stream : streams_behind_) {
    if (gone_.count(stream.handle) == 0) behind.push_back(stream);
  }
  streams_behind_.clear();
  events_behind_.clear();
  graphs_behind_.clear();
  held_ = {};
  return behind;
}

}  // namespace lab::cupti
