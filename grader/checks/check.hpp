#pragma once

#include "check_case.hpp"
#include "expectations.hpp"
#include "fresh.hpp"
#include "matchers.hpp"
#include "runs.hpp"

/// What a lab's checks (grader/checks/NN_topic/checks.cpp) are written with.
///
///     #include <checks/check.hpp>
///     using namespace lab::checks;
///
///     CHECK_CASE("the prediction for an 80 ms kernel holds", points(1)) {
///       auto seen = observe_answers("predictions");
///       expect_prediction(seen.number("first_timer_ms"), at_most(1), think_of("when a launch returns"));
///     }
///
///     CHECK_CASE("the event timer reports the kernel's time", points(3)) {
///       for (double kernel_ms : {0.02, fresh("kernel_ms").between(4, 6), 80.0}) {
///         auto seen = observe("time_with_events", {{"kernel_ms", kernel_ms}, {"queued_before_ms", 40.0}});
///         expect(seen.number("reported_ms").from("time_with_events"),
///                within(3_percent, event_floor).of(seen.trace.kernel("spin")),
///                look_at("which stream the two events are recorded on"));
///         expect(!seen.trace.called("cudaDeviceSynchronize"), "the timer waited for the whole device",
///                look_at("cudaEventSynchronize, which waits for one event only"));
///         expect(seen.buffer<float>("result"), equals(expected));
///       }
///     }
///
///     CHECK_CASE("nothing is leaked", points(1), needs("the event timer reports the kernel's time")) {
///       expect_no_leaks(observe("time_with_events", {{"kernel_ms", 1.0}}));
///     }
///
/// A check's name is a sentence true of a right solution. It passes when its body comes to the end without a
/// failed expectation. Outcomes: *fail* by an expectation; *error* where the program crashed, hung, threw,
/// left by exit() or could not be judged; *not run* where a check it needs did not pass. doctest's own CHECK
/// and CHECK_MESSAGE may be used too: they fail the check with their text.
namespace lab::checks {}
