#pragma once

#include <analysis/recording.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

/// A small picture of a run: the part of the trace that a message speaks of.
namespace lab::timeline {

enum class span_kind { call, waiting, kernel, copy, other, measured };

/// A labelled stretch of a row; times are milliseconds on the trace's clock.
struct labelled_span {
  span_kind kind = span_kind::other;
  double begin_ms = 0;
  double end_ms = 0;
  std::string label;
  std::string detail;  ///< said after the label where there is room
};

/// What one host thread or one stream did; or, as the last row, what the student's timer covered.
struct row {
  std::string name;
  std::vector<labelled_span> spans;  ///< by begin
};

struct excerpt {
  double begin_ms = 0;
  double end_ms = 0;
  std::vector<row> rows;
};

/// What a timer covered, to be drawn beneath the rest.
struct measured_stretch {
  analysis::span when;
  std::string label;
};

/// The part of the run in the window and a little around it.
excerpt make_excerpt(const analysis::recording& of, const analysis::span& window,
                     const std::vector<measured_stretch>& measured = {});

/// As nlohmann-json wants them: `nlohmann::json json = excerpt;` and `json.get<excerpt>()`.
void to_json(nlohmann::json& to, const excerpt& from);
void from_json(const nlohmann::json& from, excerpt& to);

}  // namespace lab::timeline
