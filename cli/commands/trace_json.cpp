// A trace as JSON: steps with cells and actions, then the events they were read off.
#include "cli/commands/trace_job.hpp"
#include "cli/json.hpp"

namespace upsweep::cli {
namespace {

using registry::trace_report;

void tell_values(json_writer& json, const char* key, const std::vector<registry::value>& values) {
    json.key(key).begin_array();
    for (const registry::value& each : values) json.element(each);
    json.end_array();
}

void tell_step(json_writer& json, const trace_report& report, const registry::trace_step& step) {
    json.begin_object().key("label").text(step.label).key("barriers").integer(step.barriers);
    json.key("array").text(report.arrays[step.array].name).key("cells").begin_array();
    for (const auto& cell : step.cells) {
        if (cell)
            json.element(*cell);
        else
            json.null();
    }
    json.end_array().key("actions").begin_array();
    for (const registry::trace_action& action : step.actions) {
        json.begin_object().key("thread").integer(action.thread);
        json.key("to").text(cell_text(report, action.to)).key("from").begin_array();
        json.text(cell_text(report, action.left));
        if (action.right) json.text(cell_text(report, *action.right));
        json.end_array().end_object();
    }
    json.end_array().end_object();
}

void tell_event(json_writer& json, const trace_report& report, const registry::trace_event& event) {
    json.begin_object().key("what").text(event.what).key("thread").integer(event.thread);
    json.key("barriers").integer(event.barriers);
    if (event.cell) json.key("cell").text(cell_text(report, *event.cell));
    if (event.lane) json.key("lane").integer(*event.lane);
    if (event.held) json.key("value").element(*event.held);
    json.end_object();
}

}  // namespace

std::string trace_json(const registry::trace_request& request, const trace_report& report) {
    const registry::trace_algorithm_info& about = info(request.algorithm);
    json_writer json;
    json.begin_object().key("algorithm").text(about.name);
    if (about.is_partition)
        json.key("pivot").text(request.pivot);
    else
        json.key("op").text(registry::name(request.op));
    if (about.is_scan) json.key("exclusive").boolean(request.exclusive);
    json.key("dtype").text(registry::name(request.type)).key("n").integer(request.elements.size());
    if (about.is_emulated)
        json.key("threads").integer(report.threads).key("warp_width").integer(request.warp_width);
    tell_values(json, "elements", request.elements);
    json.key("initial");
    if (request.initial)
        json.element(*request.initial);
    else
        json.null();
    tell_values(json, "result", report.result);
    if (report.left_count) json.key("left_count").integer(*report.left_count);

    const registry::trace_counts& counts = report.counts;
    json.key("combines").integer(counts.combines).key("depth").integer(counts.depth);
    json.key("barriers").integer(counts.barriers).key("shuffles").integer(counts.shuffles);
    json.key("ballots").integer(counts.ballots);
    json.key("reads").integer(counts.reads).key("writes").integer(counts.writes);
    json.key("bank_requests").integer(counts.requests).key("bank_passes").integer(counts.passes);
    json.key("steps").begin_array();
    for (const registry::trace_step& step : report.steps) tell_step(json, report, step);
    json.end_array().key("events").begin_array();
    for (const registry::trace_event& event : report.events) tell_event(json, report, event);
    json.end_array().end_object();
    return json.result() + "\n";
}

}  // namespace upsweep::cli
