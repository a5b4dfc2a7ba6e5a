#pragma once

#include <analysis/hazards.hpp>
#include <analysis/recording.hpp>
#include <string>
#include <vector>

/// A run as something to be drawn: lanes, what lies in them, and what joins or measures it. Knows nothing of
/// pixels: the page, the SVG and the trace for other viewers are all made from it.
namespace lab::timeline {

enum class lane_kind {
  thread,  ///< of the host
  stream,
  engine,  ///< what of the device is at work: derived from the work's kind and direction
};

struct lane {
  lane_kind kind = lane_kind::thread;
  std::string name;
  std::string note;  ///< "non-blocking"
};

enum class mark {
  call,
  blocked,  ///< the part of a call in which the thread waited for the device
  pause,    ///< the thread slept, or waited for another one
  clock_read,
  access,  ///< host code uses memory; only where a hazard speaks of it
  kernel,
  copy,
  set,
  graph,
  host_function,
  memory,  ///< allocated or freed in stream order
  record,
  wait,
};
inline constexpr std::size_t mark_kinds = 13;
const char* mark_name(mark kind);  ///< "kernel"

using item_number = std::uint32_t;
inline constexpr item_number no_item = ~item_number{0};

struct item {
  mark kind = mark::call;
  std::uint32_t lane = 0;
  int engine = -1;  ///< the lane of the engine that it keeps busy
  trace::time_ns begin = 0;
  trace::time_ns end = 0;
  std::string name;
  std::string label;            ///< to be written on it: shorter than the name, with an error
  std::string detail;           ///< what the name does not say: bytes, an error, the event waited for
  std::string where;            ///< "student.cu:41"; "" where it is not the student's
  item_number cause = no_item;  ///< the call that submitted the work, or that the thread was blocked in
  bool open = false;            ///< it had not ended, or not begun, when the record did
  bool failed = false;
};

enum class arrow_kind {
  stream_waits,  ///< from the record to the wait of another stream
  host_waits,    ///< from the record to the call that waits for it
};

struct arrow {
  arrow_kind kind = arrow_kind::stream_waits;
  item_number from = 0;
  item_number to = 0;
};

/// An interval that the program itself measured.
struct bracket {
  std::uint32_t lane = 0;  ///< the thread that read the clock, or the stream of the second record
  trace::time_ns begin = 0;
  trace::time_ns end = 0;
  std::string label;   ///< "clock 0.006 ms"
  std::string where;   ///< "student.cu:41 to student.cu:43"
  std::string inside;  ///< what the device did in it, in a sentence
};

/// Two uses of the same memory that nothing orders.
struct hazard_link {
  item_number first = 0;
  item_number second = 0;
  std::string what;  ///< "race", "perhaps: race"
  std::string text;  ///< as the grader says it
};

struct total {
  std::string name;
  std::string value;
};

struct model {
  std::string title;
  std::string caption;  ///< what to look for; may be empty
  std::string device;
  bool emulated = true;
  std::vector<std::string> notices;  ///< why this is not the whole run, or what went wrong in it
  std::vector<lane> lanes;           ///< threads, streams, engines
  std::vector<item> items;           ///< by lane, then by begin
  std::vector<arrow> arrows;
  std::vector<bracket> brackets;
  std::vector<hazard_link> hazards;
  std::vector<analysis::span> gaps;  ///< between the first work and the last one in which the device did none
  std::vector<total> totals;
  analysis::span focus;  ///< what the student's file made, which is what is shown first
  analysis::span whole;
};

/// @param title the file's name
/// @param caption what to look for in the picture
model make_timeline(const analysis::recording& of, const std::string& title, const std::string& caption = "");

/// A picture of no run, which says why.
model without_record(const std::string& title, const std::string& why);

}  // namespace lab::timeline
