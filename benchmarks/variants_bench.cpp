// What a variant costs beside the plain case, which stands in the place of the peer: reverse against forward,
// and float16 against float of the same n.
#include "support/contenders.hpp"
#include "support/session.hpp"
#include "upsweep/types.hpp"

using namespace bench;

namespace {

const std::vector<std::size_t> full_sizes = {1000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
const std::vector<std::size_t> quick_sizes = {1000, 100'000, 10'000'000};

template <class T>
void add_plain_case(std::vector<contender>& list, executors& upsweeps, const T* in, T* out, std::size_t n,
                    const char* title) {
    list.push_back({title, role::peer, upsweeps.all.threads(), repeated([=, &upsweeps] {
                        upsweep::inclusive_scan(upsweeps.all, std::span<const T>(in, n),
                                                std::span<T>(out, n));
                    })});
}

template <class T>
void measure_reverse(session& current, team& threads, executors& upsweeps, std::size_t n) {
    const cell which{"reverse", type_name<T>(), n, 2 * n * sizeof(T)};
    if (!current.fits(4 * n * sizeof(T)) || !current.wants(which)) return;
    const buffer from(n * sizeof(T), 0, threads);
    const buffer to(n * sizeof(T), 1, threads);
    const T* in = from.as<const T>();
    T* out = to.as<T>();
    fill(from.as<T>(), n);

    std::vector<contender> list;
    add_copies(list, threads, from, to, n * sizeof(T));
    add_plain_case(list, upsweeps, in, out, n, "upsweep, forward");
    upsweeps.add_to(list, [=](upsweep::cpu::executor& executor) {
        upsweep::scan_options<T> options;
        options.reverse = true;
        upsweep::inclusive_scan(executor, std::span<const T>(in, n), std::span<T>(out, n), upsweep::plus{},
                                options);
    });
    // What reversing must leave, checked by the forward sums of the input read backwards.
    std::vector<T> backwards(std::reverse_iterator(in + n), std::reverse_iterator(in));
    const expectation<T> expected(scan_work::inclusive, backwards.data(), n);
    for (contender& one : list)
        if (one.kind == role::upsweep)
            one.correct = [&, run = one.repeat] {
                std::memset(out, 0x5a, n * sizeof(T));
                run(1);
                std::vector<T> turned(std::reverse_iterator(out + n), std::reverse_iterator(out));
                return expected.matches(turned.data());
            };
    current.measure(which, std::move(list));
}

void measure_float16(session& current, team& threads, executors& upsweeps, std::size_t n) {
    using upsweep::float16;
    const cell which{"inclusive", "float16", n, 2 * n * sizeof(float16)};
    if (!current.fits(16 * n) || !current.wants(which)) return;
    const buffer from(n * sizeof(float16), 0, threads);
    const buffer to(n * sizeof(float16), 1, threads);
    const buffer plain_from(n * sizeof(float), 2, threads);
    const buffer plain_to(n * sizeof(float), 3, threads);
    fill(plain_from.as<float>(), n);
    const auto* in = from.as<const float16>();
    auto* out = to.as<float16>();
    // Every 4096th element is 1/16 and the rest 0: sums of 1e8 elements stay below 65504, where float16 ends.
    for (std::size_t i = 0; i < n; ++i) from.as<float16>()[i] = float16(i % 4096 == 0 ? 0.0625f : 0.0f);

    std::vector<contender> list;
    add_copies(list, threads, from, to, n * sizeof(float16));
    add_plain_case(list, upsweeps, plain_from.as<const float>(), plain_to.as<float>(), n, "upsweep, float");
    upsweeps.add_to(list, [=](upsweep::cpu::executor& executor) {
        upsweep::inclusive_scan(executor, std::span<const float16>(in, n), std::span<float16>(out, n));
    });
    for (contender& one : list)
        if (one.kind == role::upsweep)
            one.correct = [=, run = one.repeat] {
                std::fill_n(out, n, float16(-1.0f));
                run(1);
                // Multiples of 1/16 below 2^20 are exact in float, so each output is one rounding of the true
                // sum.
                for (std::size_t i = 0; i < n; ++i)
                    if (out[i].bits != float16(0.0625f * static_cast<float>(i / 4096 + 1)).bits) return false;
                return true;
            };
    current.measure(which, std::move(list));
}

}  // namespace

int main(int argc, char** argv) {
    return run_session(argc, argv, [](session& current) {
        team threads(current.threads());
        executors upsweeps(current.threads());
        for (const std::size_t n : current.quick() ? quick_sizes : full_sizes) {
            measure_reverse<float>(current, threads, upsweeps, n);
            measure_float16(current, threads, upsweeps, n);
            if (current.quick()) continue;
            measure_reverse<double>(current, threads, upsweeps, n);
            measure_reverse<std::int8_t>(current, threads, upsweeps, n);
            measure_reverse<std::int32_t>(current, threads, upsweeps, n);
        }
    });
}
