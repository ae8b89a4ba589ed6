#include "registry/runs.hpp"

#include <span>

#include "upsweep/cpu/segment_numbers.hpp"
#include "upsweep/cpu/tuning.hpp"
#include "upsweep/unique.hpp"

namespace upsweep::registry {
namespace {

void check_runs_on(const device& where) {
    if (where.accelerated() != nullptr)
        throw_error(errc::unsupported, "device " + where.name() + ": runs are found on the CPU only");
}

}  // namespace

std::size_t encode_runs(const device& where, dtype type, const void* in, std::size_t n, void* out,
                        std::int64_t* lengths) {
    check_runs_on(where);
    return visit_equality(type, [&]<class T>(std::type_identity<T>) {
        const std::span from(static_cast<const T*>(in), n);
        const std::span to(static_cast<T*>(out), n);
        if (lengths == nullptr) return unique(where.executor(), from, to);
        return run_length_encode(where.executor(), from, to, std::span(lengths, n));
    });
}

void number_runs(const device& where, dtype type, const void* in, std::size_t n, std::int64_t* out) {
    check_runs_on(where);
    if (n == 0) return;
    visit_equality(type, [&]<class T>(std::type_identity<T>) {
        const by_keys runs(std::span(static_cast<const T*>(in), n));
        cpu::run_segments(where.executor(), cpu::segment_numbers(out), cpu::marks_of(runs, n, false),
                          sizeof *out, cpu::tuning::compact_cost);
    });
}

}  // namespace upsweep::registry
