// Inclusive sums that restart: segments of 1 to 199 elements (100 on average), given by offsets, head flags
// and keys.
#include "peers/special_loops.hpp"
#include "support/contenders.hpp"
#include "support/session.hpp"
#include "upsweep/segmented_scan.hpp"

using namespace bench;

namespace {

struct segments {
    std::vector<std::int64_t> offsets;  // m + 1 of them
    std::vector<std::uint8_t> heads;    // n
    std::vector<std::int32_t> keys;     // n
};

segments make_segments(std::size_t n) {
    segments result;
    result.heads.resize(n);
    result.keys.resize(n);
    std::minstd_rand random(7);
    for (std::size_t first = 0; first < n;) {
        const std::size_t last = std::min(n, first + 1 + random() % 199);
        std::fill(result.keys.begin() + static_cast<std::ptrdiff_t>(first),
                  result.keys.begin() + static_cast<std::ptrdiff_t>(last),
                  static_cast<std::int32_t>(result.offsets.size()));
        result.offsets.push_back(static_cast<std::int64_t>(first));
        result.heads[first] = 1;
        first = last;
    }
    result.offsets.push_back(static_cast<std::int64_t>(n));
    return result;
}

template <class T>
void measure(session& current, team& threads, executors& upsweeps, std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    const auto describe = [&](const char* by, std::size_t extra) {
        return cell{std::string("segmented by ") + by, type_name<T>(), n, 2 * bytes + extra};
    };
    const cell by_offsets = describe("offsets", n / 100 * sizeof(std::int64_t));
    const cell by_heads = describe("head flags", n);
    const cell by_keys = describe("keys", n * sizeof(std::int32_t));
    const bool wanted[] = {current.wants(by_offsets), current.wants(by_heads), current.wants(by_keys)};
    if (!current.fits(8 * bytes) || std::none_of(wanted, wanted + 3, [](bool value) { return value; }))
        return;

    // Twice as long as the input, for copies that move the share of flags and keys too.
    const buffer from(2 * bytes, 0, threads);
    const buffer to(2 * bytes, 1, threads);
    const T* in = from.as<const T>();
    T* out = to.as<T>();
    fill(from.as<T>(), 2 * n);
    const segments parts = make_segments(n);
    const std::uint8_t* heads = parts.heads.data();
    const std::int32_t* keys = parts.keys.data();
    std::vector<T> expected(n);
    head_flags_loop(in, expected.data(), heads, n);

    const auto run = [&](const cell& which, auto loop, auto scan) {
        std::vector<contender> list;
        add_copies(list, threads, from, to, which.bytes / 2);
        list.push_back({"plain loop", role::peer, 1, repeated(loop)});
        upsweeps.add_to(list, scan);
        for (contender& one : list)
            if (one.kind != role::copy)
                one.correct = [&, repeat = one.repeat] {
                    std::memset(out, 0x5a, bytes);
                    repeat(1);
                    // Sums of at most 199 elements: grouping moves a float by less than 1e-4 of it.
                    for (std::size_t i = 0; i < n; ++i)
                        if (!(std::abs(static_cast<double>(out[i]) - static_cast<double>(expected[i])) <=
                              1e-4 * (1 + static_cast<double>(expected[i]))))
                            return false;
                    return true;
                };
        current.measure(which, std::move(list));
    };
    const std::span<const T> source(in, n);
    const std::span<T> target(out, n);
    if (wanted[0])
        run(
            by_offsets, [&] { offsets_loop(in, out, parts.offsets.data(), parts.offsets.size() - 1); },
            [&](upsweep::cpu::executor& executor) {
                upsweep::inclusive_segmented_scan(
                    executor, upsweep::by_offsets{std::span<const std::int64_t>(parts.offsets)}, source,
                    target);
            });
    if (wanted[1])
        run(
            by_heads, [=] { head_flags_loop(in, out, heads, n); },
            [&](upsweep::cpu::executor& executor) {
                upsweep::inclusive_segmented_scan(
                    executor, upsweep::by_head_flags{std::span<const std::uint8_t>(parts.heads)}, source,
                    target);
            });
    if (wanted[2])
        run(
            by_keys, [=] { keys_loop(in, out, keys, n); },
            [&](upsweep::cpu::executor& executor) {
                upsweep::inclusive_segmented_scan(
                    executor, upsweep::by_keys{std::span<const std::int32_t>(parts.keys)}, source, target);
            });
}

}  // namespace

int main(int argc, char** argv) {
    return run_session(argc, argv, [](session& current) {
        team threads(current.threads());
        executors upsweeps(current.threads());
        for (const std::size_t n : {std::size_t{10'000}, std::size_t{1'000'000}, std::size_t{10'000'000}}) {
            if (current.quick() && n != 1'000'000) continue;
            measure<float>(current, threads, upsweeps, n);
            measure<std::int32_t>(current, threads, upsweeps, n);
        }
    });
}
