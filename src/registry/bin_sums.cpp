#include "registry/bin_sums.hpp"

#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "registry/accumulation.hpp"
#include "registry/reducer.hpp"
#include "registry/staging.hpp"
#include "src/cpu/bin_counts.hpp"
#include "upsweep/bin_totals.hpp"
#include "upsweep/core/piece.hpp"

namespace upsweep::registry {
namespace {

scan_request request_of(const scan_types& types) {
    scan_request request;
    request.op = operation::plus;
    request.types = types;
    return request;
}

// Complex numbers, whose sums have no kernels: by their order.
template <class Acc>
std::size_t sum_in_order(cpu::executor& ex, const cpu::classifier& by, const cpu::source<Acc>& values,
                         std::size_t n, const cpu::sink<Acc>& totals) {
    const cpu::memory_kernels& memory = cpu::memory_kernels_for(ex.simd());
    const std::unique_ptr<Acc[]> own(new Acc[values.direct == nullptr ? n : 0]), made(new Acc[by.bins]);
    if (values.direct == nullptr) values.load(values, memory, 0, n, own.get());
    const Acc* const x = values.direct == nullptr ? own.get() : values.direct;
    const std::size_t placed =
        upsweep::detail::total_by_indices(ex, by, x, n, made.get(), plus{}, std::optional<Acc>());
    totals.store(totals, memory, 0, by.bins, made.get());
    return placed;
}

// Sums that any grouping makes: those of a block are added to what is there.
template <class Acc>
class exact_sums {
  public:
    exact_sums(cpu::executor& ex, std::size_t bins) : ex_(ex), totals_(bins), block_(bins) {}

    std::size_t take(const cpu::classifier& by, const cpu::source<Acc>& values, std::size_t n) {
        const std::size_t placed = upsweep::detail::total_converted<Acc>(
            ex_, by, values, n, cpu::make_sink<Acc>(block_.data()), plus{}, std::nullopt);
        for (std::size_t b = 0; b < totals_.size(); ++b) totals_[b] = plus()(totals_[b], block_[b]);
        return placed;
    }
    void store(const cpu::sink<Acc>& to) const {
        to.store(to, cpu::memory_kernels_for(ex_.simd()), 0, totals_.size(), totals_.data());
    }

  private:
    cpu::executor& ex_;
    std::vector<Acc> totals_, block_;
};

template <class Acc>
class rounding_sums {
  public:
    rounding_sums(cpu::executor& ex, std::size_t bins)
        : all_(ex, cpu::operation_of<Acc, plus>, cpu::bin_odometer_kernels_for<Acc, plus>(ex.simd()), bins) {}

    std::size_t take(const cpu::classifier& by, const cpu::source<Acc>& values, std::size_t n) {
        return all_.take(by, values, n);
    }
    void store(const cpu::sink<Acc>& to) { all_.store(to); }

  private:
    cpu::carried_bin_totals<Acc> all_;
};

// Of complex numbers: a bin is a place in its tree.
template <class Acc>
class sums_in_places {
  public:
    sums_in_places(cpu::executor& ex, std::size_t bins)
        : memory_(cpu::memory_kernels_for(ex.simd())), places_(bins) {}

    std::size_t take(const cpu::classifier& by, const cpu::source<Acc>& values, std::size_t n) {
        std::size_t placed = 0;
        cpu::for_each_piece(by, 0, n, [&](std::size_t first, std::size_t count, const std::uint32_t* found) {
            Acc x[cpu::bin_piece];
            values.load(values, memory_, first, count, x);
            for (std::size_t i = 0; i < count; ++i) {
                if (found[i] == places_.size()) continue;
                places_[found[i]].push(0, x[i], plus());
                ++placed;
            }
        });
        return placed;
    }
    void store(const cpu::sink<Acc>& to) const {
        for (std::size_t b = 0; b < places_.size(); ++b) {
            const Acc total = places_[b].value(plus()).value_or(plus::identity<Acc>());
            to.store(to, memory_, b, 1, &total);
        }
    }

  private:
    const cpu::memory_kernels& memory_;
    std::vector<core::tree_place<Acc>> places_;
};

template <class Acc, class Sums>
class typed_class_sums final : public class_sums {
  public:
    typed_class_sums(cpu::executor& ex, std::size_t bins, const scan_request& request)
        : how_{is_truth(request)}, output_(request.types.output), sums_(ex, bins) {}

    std::size_t take(const cpu::classifier& by, dtype type, const void* values, std::size_t n) override {
        return sums_.take(by, make_source<Acc>(how_, type, values, 1), n);
    }
    void store(void* totals) override { sums_.store(make_sink<Acc>(how_, output_, totals, 1)); }

  private:
    accumulation<Acc> how_;
    dtype output_;
    Sums sums_;
};

}  // namespace

std::size_t sum_classes(cpu::executor& executor, const cpu::classifier& by, const scan_types& types,
                        const void* values, void* totals, std::size_t n) {
    const scan_request request = request_of(types);
    return visit_accumulator<plus>(request, [&]<class Acc>(std::type_identity<Acc>) -> std::size_t {
        const accumulation<Acc> how{is_truth(request)};
        const cpu::source<Acc> source = make_source<Acc>(how, types.input, values, 1);
        const cpu::sink<Acc> sink = make_sink<Acc>(how, types.output, totals, 1);
        if constexpr (upsweep::detail::totals_by_engine<Acc, plus>)
            return upsweep::detail::total_converted<Acc>(executor, by, source, n, sink, plus{}, std::nullopt);
        else
            return sum_in_order(executor, by, source, n, sink);
    });
}

void store_empty_sums(const scan_types& types, void* totals, std::size_t first, std::size_t end) {
    if (first == end) return;
    const value nothing = total_of_nothing(request_of(types));
    const std::size_t size = size_of(nothing.type());
    for (std::size_t b = first; b < end; ++b)
        std::memcpy(static_cast<std::byte*>(totals) + b * size, nothing.data(), size);
}

std::unique_ptr<class_sums> make_class_sums(cpu::executor& executor, std::uint32_t bins,
                                            const scan_types& types) {
    const scan_request request = request_of(types);
    return visit_accumulator<plus>(
        request, [&]<class Acc>(std::type_identity<Acc>) -> std::unique_ptr<class_sums> {
            if constexpr (upsweep::detail::totals_in_tables<Acc, plus>)
                return std::make_unique<typed_class_sums<Acc, exact_sums<Acc>>>(executor, bins, request);
            else if constexpr (upsweep::detail::totals_by_engine<Acc, plus>)
                return std::make_unique<typed_class_sums<Acc, rounding_sums<Acc>>>(executor, bins, request);
            else
                return std::make_unique<typed_class_sums<Acc, sums_in_places<Acc>>>(executor, bins, request);
        });
}

}  // namespace upsweep::registry
