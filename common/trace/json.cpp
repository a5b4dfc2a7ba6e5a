#include "trace/json.hpp"

#include <iterator>

namespace lab::trace {

namespace {

using nlohmann::json;

constexpr const char* kind_names[] = {"kernel",        "copy",     "memset", "event_record", "event_wait",
                                      "host_function", "allocate", "free",   "graph"};
static_assert(std::size(kind_names) == static_cast<std::size_t>(operation_kind::graph) + 1,
              "each kind of work has a name");
constexpr const char* direction_names[] = {"none", "host_to_device", "device_to_host", "device_to_device",
                                           "host_to_host"};
constexpr const char* memory_names[] = {"device", "pinned", "registered", "pageable", "managed"};
constexpr const char* sync_names[] = {"release", "acquire"};
constexpr const char* clock_names[] = {"monotonic", "realtime", "cpu_time"};
constexpr const char* pause_names[] = {"slept", "waited_for_thread", "preempted"};
static_assert(std::size(pause_names) == static_cast<std::size_t>(pause_kind::preempted) + 1,
              "each kind of pause has a name");
constexpr const char* finding_names[] = {"device_fault",
                                         "host_touched_device",
                                         "uninitialised_read",
                                         "destroyed_handle",
                                         "not_emulated",
                                         "deadlock",
                                         "budget",
                                         "crash",
                                         "freed_while_registered",
                                         "incomplete_record",
                                         "not_recorded",
                                         "order_not_kept"};
static_assert(std::size(finding_names) == static_cast<std::size_t>(finding_kind::order_not_kept) + 1,
              "each kind of finding has a name");

template <class Enum, std::size_t N>
const char* name_of(Enum value, const char* const (&names)[N]) {
  auto index = static_cast<std::size_t>(value);
  return index < N ? names[index] : "unknown";
}

json stack_json(const call_stack& stack) {
  json result = json::array();
  for (const auto& frame : stack) {
    result.push_back({{"file", frame.file}, {"line", frame.line}, {"function", frame.function}});
  }
  return result;
}

void put(json& object, const char* key, id value) {
  if (value != 0) object[key] = value;
}

json call_json(const host_call& call) {
  json result{{"id", call.id},         {"thread", call.thread},
              {"name", call.name},     {"begin", call.begin},
              {"end", call.end},       {"blocked", call.blocked},
              {"begun", call.begun},   {"returned", call.returned},
              {"status", call.status}, {"stack", stack_json(call.stack)}};
  if (!call.error.empty()) result["error"] = call.error;
  if (call.stream) result["stream"] = *call.stream;
  put(result, "event", call.event);
  put(result, "stop_event", call.stop_event);
  put(result, "allocation", call.allocation);
  put(result, "operation", call.operation);
  if (call.milliseconds) result["milliseconds"] = *call.milliseconds;
  put(result, "start_record", call.start_record);
  put(result, "stop_record", call.stop_record);
  return result;
}

json range_json(const access_range& range) {
  json result{
      {"allocation", range.allocation}, {"begin", range.begin}, {"end", range.end}, {"write", range.write}};
  if (range.atomic) result["atomic"] = true;
  if (range.assumed) result["assumed"] = true;
  return result;
}

json operation_json(const operation& operation) {
  json result{{"id", operation.id},
              {"kind", name_of(operation.kind, kind_names)},
              {"stream", operation.stream},
              {"name", operation.name},
              {"submitted_by", operation.submitted_by},
              {"submitted", operation.submitted},
              {"begin", operation.begin},
              {"end", operation.end},
              {"failed", operation.failed}};
  if (operation.direction != copy_direction::none) {
    result["direction"] = name_of(operation.direction, direction_names);
  }
  if (operation.bytes != 0) result["bytes"] = operation.bytes;
  put(result, "event", operation.event);
  put(result, "waits_for", operation.waits_for);
  if (operation.begun != 0) {
    result["thread"] = operation.thread;
    result["begun"] = operation.begun;
    result["returned"] = operation.returned;
  }
  for (const auto& range : operation.accesses) result["accesses"].push_back(range_json(range));
  return result;
}

}  // namespace

json to_json(const run& run) {
  json result{{"device", {{"name", run.device.name}, {"emulated", run.device.emulated}}},
              {"complete", run.complete}};
  for (const char* key : {"calls", "operations", "streams", "events", "allocations", "clock_reads", "pauses",
                          "host_accesses", "host_syncs", "findings"}) {
    result[key] = json::array();
  }
  for (const auto& call : run.calls) result["calls"].push_back(call_json(call));
  for (const auto& operation : run.operations) result["operations"].push_back(operation_json(operation));
  for (const auto& s : run.streams) {
    result["streams"].push_back({{"id", s.id},
                                 {"non_blocking", s.non_blocking},
                                 {"created_by", s.created_by},
                                 {"destroyed_by", s.destroyed_by}});
    if (s.created_by == 0) result["streams"].back()["thread"] = s.thread;
  }
  for (const auto& e : run.events) {
    result["events"].push_back({{"id", e.id},
                                {"timing", e.timing},
                                {"blocking_sync", e.blocking_sync},
                                {"created_by", e.created_by},
                                {"destroyed_by", e.destroyed_by}});
  }
  for (const auto& a : run.allocations) {
    result["allocations"].push_back({{"id", a.id},
                                     {"kind", name_of(a.kind, memory_names)},
                                     {"bytes", a.bytes},
                                     {"allocated_by", a.allocated_by},
                                     {"freed_by", a.freed_by}});
    if (a.in_stream_order) result["allocations"].back()["in_stream_order"] = true;
    if (!a.name.empty()) result["allocations"].back()["name"] = a.name;
  }
  for (const auto& read : run.clock_reads) {
    result["clock_reads"].push_back({{"thread", read.thread},
                                     {"clock", name_of(read.clock, clock_names)},
                                     {"at", read.at},
                                     {"value", read.value},
                                     {"stack", stack_json(read.stack)}});
  }
  for (const auto& pause : run.pauses) {
    result["pauses"].push_back({{"thread", pause.thread},
                                {"kind", name_of(pause.kind, pause_names)},
                                {"begin", pause.begin},
                                {"end", pause.end},
                                {"stack", stack_json(pause.stack)}});
  }
  for (const auto& access : run.host_accesses) {
    result["host_accesses"].push_back({{"thread", access.thread},
                                       {"when", access.when},
                                       {"bytes", range_json(access.bytes)},
                                       {"stack", stack_json(access.stack)}});
  }
  for (const auto& sync : run.host_syncs) {
    result["host_syncs"].push_back({{"thread", sync.thread},
                                    {"when", sync.when},
                                    {"kind", name_of(sync.kind, sync_names)},
                                    {"object", sync.object}});
  }
  for (const auto& finding : run.findings) {
    json entry{{"kind", name_of(finding.kind, finding_names)},
               {"message", finding.message},
               {"stack", stack_json(finding.stack)}};
    put(entry, "call", finding.call);
    put(entry, "operation", finding.operation);
    result["findings"].push_back(entry);
  }
  return result;
}

}  // namespace lab::trace
