// Ranges of text and edges turned into numbers, and the binners on them.
#include "registry/binner.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

#include "registry/bin_edges.hpp"
#include "registry/bin_sums.hpp"
#include "registry/value.hpp"
#include "registry/visit.hpp"
#include "upsweep/bins.hpp"
#include "upsweep/core/bin_arguments.hpp"
#include "upsweep/error.hpp"

namespace upsweep::registry {
namespace {

// The numbers that elements are looked at as, and their dtype.
template <class Element>
using number_of =
    std::conditional_t<is_half<Element>, float,
                       std::conditional_t<std::integral<Element> && sizeof(Element) < sizeof(std::int64_t),
                                          std::int64_t, Element>>;
template <class Number>
constexpr dtype type_of() {
    if (std::is_same_v<Number, float>) return dtype::float32;
    if (std::is_same_v<Number, double>) return dtype::float64;
    return std::is_signed_v<Number> ? dtype::int64 : dtype::uint64;
}
template <class Number>
std::string text_of(Number number) {
    return format_value(type_of<Number>(), &number);
}

// Equal bins of a range.
template <class Element>
class equal_bins {
    using number = number_of<Element>;

  public:
    explicit equal_bins(const bin_limits& limits)
        : range_{parse_value(limits.lo, type_of<number>()).template as<number>(),
                 parse_value(limits.hi, type_of<number>()).template as<number>(), limits.count,
                 limits.clamp} {
        upsweep::detail::check_bins(range_);
    }

    [[nodiscard]] std::size_t size() const { return range_.count; }
    [[nodiscard]] std::size_t used() const { return size(); }
    [[nodiscard]] auto classes(const cpu::executor& ex, const Element* in, std::size_t) const {
        return upsweep::detail::in_range<Element, number>(ex, in, range_);
    }
    [[nodiscard]] value edge(std::uint64_t bin) const {
        return value::of(type_of<number>(), edge_number(bin));
    }
    [[nodiscard]] double edge_position(std::uint64_t bin) const {
        return static_cast<double>(edge_number(bin));
    }

  private:
    [[nodiscard]] number edge_number(std::uint64_t bin) const {
        if constexpr (std::integral<number>) {
            if (bin == range_.count) return range_.hi;
            // ceil(bin * width / count) = floor + whether something is left; modulo 2^64, as the sum is.
            const std::uint64_t width =
                static_cast<std::uint64_t>(range_.hi) - static_cast<std::uint64_t>(range_.lo);
            const std::uint64_t count = range_.count;
            const std::uint64_t rest = bin * (width % count);
            const std::uint64_t step = bin * (width / count) + rest / count + (rest % count != 0 ? 1 : 0);
            return static_cast<number>(static_cast<std::uint64_t>(range_.lo) + step);
        } else {
            const double lo = range_.lo, hi = range_.hi;
            return static_cast<number>(
                bin == range_.count ? hi : lo + (hi - lo) * static_cast<double>(bin) / range_.count);
        }
    }

    bin_range<number> range_;
};

template <class Element>
class bins_between {
    using number = number_of<Element>;

  public:
    explicit bins_between(const bin_limits& limits)
        : given_(limits.edges), edges_(edges_among<number>(limits)) {}

    [[nodiscard]] std::size_t size() const { return given_.size() - 1; }
    // The bins that there are elements for, the first ones.
    [[nodiscard]] std::size_t used() const { return edges_.empty() ? 0 : edges_.size() - 1; }
    [[nodiscard]] auto classes(const cpu::executor& ex, const Element* in, std::size_t n) const {
        return upsweep::detail::between_edges<Element, number>(ex, in, n, bin_edges<number>{edges_});
    }
    [[nodiscard]] value edge(std::uint64_t bin) const { return given_[bin]; }
    [[nodiscard]] double edge_position(std::uint64_t bin) const {
        double position = 0;
        visit_edge(given_[bin], [&](auto edge) { position = static_cast<double>(edge); });
        return position;
    }

  private:
    std::vector<value> given_;
    std::vector<number> edges_;
};

template <class Element, class Bins>
class typed_bin_sums final : public bin_sums {
  public:
    typed_bin_sums(cpu::executor& executor, const Bins& bins, const scan_types& types)
        : executor_(executor), bins_(bins), types_(types) {
        if (bins.used() == 0) return;
        sums_ = make_class_sums(executor, static_cast<std::uint32_t>(bins.used()), types);
    }

    std::size_t take(const void* in, dtype type, const void* values, std::size_t n) override {
        if (sums_ == nullptr) return 0;
        const auto by = bins_.classes(executor_, static_cast<const Element*>(in), n);
        return sums_->take(by.classifier(), type, values, n);
    }
    void store(void* totals) override {
        if (sums_ != nullptr) sums_->store(totals);
        store_empty_sums(types_, totals, bins_.used(), bins_.size());
    }

  private:
    cpu::executor& executor_;
    const Bins& bins_;
    scan_types types_;
    std::unique_ptr<class_sums> sums_;  // of the bins that there are elements for, if any
};

template <class Element, class Bins>
class typed_binner final : public binner {
  public:
    typed_binner(cpu::executor& executor, const bin_limits& limits) : executor_(executor), bins_(limits) {}

    std::size_t count(const void* in, std::uint64_t* counts, std::size_t n) const override {
        std::fill(counts + bins_.used(), counts + bins_.size(), 0);
        if (bins_.used() == 0) return 0;
        const auto by = bins_.classes(executor_, static_cast<const Element*>(in), n);
        return cpu::run_histogram(executor_, by.classifier(), n, counts);
    }
    std::size_t extract(const void* in, void* out, std::uint64_t* offsets, std::size_t n) const override {
        return move(in,
                    upsweep::detail::elements_to(static_cast<Element*>(out), static_cast<const Element*>(in)),
                    offsets, n);
    }
    std::size_t extract_indices(const void* in, std::int64_t first, std::int64_t* out, std::uint64_t* offsets,
                                std::size_t n) const override {
        const std::size_t placed = move(in, upsweep::detail::indices_to(out, n), offsets, n);
        for (std::size_t i = 0; i < placed; ++i) out[i] += first;
        return placed;
    }
    std::size_t sum(const void* in, const scan_types& types, const void* values, void* totals,
                    std::size_t n) const override {
        std::size_t placed = 0;
        if (bins_.used() != 0) {
            const auto by = bins_.classes(executor_, static_cast<const Element*>(in), n);
            placed = sum_classes(executor_, by.classifier(), types, values, totals, n);
        }
        store_empty_sums(types, totals, bins_.used(), bins_.size());
        return placed;
    }
    [[nodiscard]] std::unique_ptr<bin_sums> make_sums(const scan_types& types) const override {
        return std::make_unique<typed_bin_sums<Element, Bins>>(executor_, bins_, types);
    }

    [[nodiscard]] value edge(std::uint64_t bin) const override { return bins_.edge(bin); }
    [[nodiscard]] double edge_position(std::uint64_t bin) const override { return bins_.edge_position(bin); }

  private:
    std::size_t move(const void* in, const cpu::placement_of_bins& way, std::uint64_t* offsets,
                     std::size_t n) const {
        std::size_t placed = 0;
        if (bins_.used() != 0) {
            const auto by = bins_.classes(executor_, static_cast<const Element*>(in), n);
            placed = cpu::run_bins(executor_, by.classifier(), way, n, n, offsets);
        }
        std::fill(offsets + bins_.used(), offsets + bins_.size() + 1, placed);
        return placed;
    }

    cpu::executor& executor_;
    Bins bins_;
};

template <class Element>
class typed_extent final : public extent {
    using number = number_of<Element>;

  public:
    void include(const void* in, std::size_t n) override {
        const auto* const x = static_cast<const Element*>(in);
        // Several of each, for a comparison waits for the one before.
        constexpr std::size_t ways = 8;
        number least[ways], most[ways];
        for (std::size_t k = 0; k < ways; ++k) least[k] = least_, most[k] = most_;
        std::size_t i = 0;
        for (; i + ways <= n; i += ways)
            for (std::size_t k = 0; k < ways; ++k) take(x[i + k], least[k], most[k]);
        for (; i < n; ++i) take(x[i], least[0], most[0]);
        for (std::size_t k = 0; k < ways; ++k) {
            least_ = least[k] < least_ ? least[k] : least_;
            most_ = most[k] > most_ ? most[k] : most_;
        }
    }

    [[nodiscard]] bin_limits limits(std::uint32_t count) const override {
        if (most_ < least_) throw_error(errc::invalid_argument, "there is no number to make a range of");
        if constexpr (std::floating_point<number>) {
            if (!std::isfinite(least_) || !std::isfinite(most_))
                throw_error(errc::invalid_argument,
                            "there are infinite numbers, of which no range can be made");
        }
        if (least_ < most_) return {text_of(least_), text_of(most_), count, true};
        if constexpr (std::integral<number>) {
            if (most_ == std::numeric_limits<number>::max())
                return {text_of(static_cast<number>(least_ - 1)), text_of(most_), count, true};
            return {text_of(least_), text_of(static_cast<number>(most_ + 1)), count, true};
        } else {
            const number half = number(1) / 2;
            if (!(least_ - half < most_ && most_ < most_ + half)) {
                throw_error(errc::invalid_argument,
                            "all numbers are " + text_of(least_) + ", too large a one for a range around it");
            }
            return {text_of(least_ - half), text_of(most_ + half), count, true};
        }
    }

  private:
    // A NaN is neither less nor greater.
    static void take(const Element& element, number& least, number& most) {
        const auto x = cpu::convert<number>(element);
        least = x < least ? x : least;
        most = x > most ? x : most;
    }

    number least_ = core::largest<number>();
    number most_ = core::smallest<number>();
};

void check_device(const device& where) {
    if (where.accelerated() != nullptr)
        throw_error(errc::unsupported, "device " + where.name() + ": bins are found on the CPU only");
}

[[noreturn]] void throw_no_bins(dtype type) {
    throw_error(errc::invalid_argument, std::string(name(type)) + " has no order, and so no bins");
}

// make(std::type_identity<Element>) of a type that has bins.
template <class Made, class Make>
std::unique_ptr<Made> of_type(dtype type, const Make& make) {
    return visit_type(type, [&]<class Element>(std::type_identity<Element> element) -> std::unique_ptr<Made> {
        if constexpr (is_complex<Element>)
            throw_no_bins(type);
        else
            return make(element);
    });
}

}  // namespace

void check_edges(const bin_limits& limits) {
    const std::vector<value>& edges = limits.edges;
    if (edges.size() != std::size_t{limits.count} + 1 || limits.count == 0)
        throw_error(errc::invalid_argument, "edges: expected at least two");
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        bool ascends = false;  // a NaN does not
        visit_edge(edges[i], [&](auto a) {
            visit_edge(edges[i + 1], [&](auto b) {
                ascends = core::with_comparable(a, b, [](const auto& x, const auto& y) { return x <= y; });
            });
        });
        if (!ascends) upsweep::detail::throw_edges(i + 1);
    }
}

dtype binned_as(dtype type) {
    return visit_type(type, [&]<class Element>(std::type_identity<Element>) -> dtype {
        if constexpr (is_complex<Element>)
            throw_no_bins(type);
        else
            return type_of<number_of<Element>>();
    });
}

std::unique_ptr<binner> make_binner(const device& where, dtype type, const bin_limits& limits) {
    check_device(where);
    return of_type<binner>(type, [&]<class Element>(std::type_identity<Element>) -> std::unique_ptr<binner> {
        if (limits.edges.empty())
            return std::make_unique<typed_binner<Element, equal_bins<Element>>>(where.executor(), limits);
        return std::make_unique<typed_binner<Element, bins_between<Element>>>(where.executor(), limits);
    });
}

std::unique_ptr<extent> make_extent(const device& where, dtype type) {
    check_device(where);
    return of_type<extent>(type, []<class Element>(std::type_identity<Element>) {
        return std::make_unique<typed_extent<Element>>();
    });
}

}  // namespace upsweep::registry
