// Two arrays read side by side.
#include "cli/commands/scan_input.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/io/message.hpp"

namespace upsweep::cli {
namespace {

using registry::size_of;

std::optional<array_beside> coefficients_of(const scan_arguments& arguments) {
    if (!arguments.coefficients) return std::nullopt;
    const array_beside described{"--coefficients", "coefficients", *arguments.coefficients};
    described.check_name(arguments);
    return described;
}

}  // namespace

scan_input::scan_input(const scan_arguments& arguments)
    : beside_(coefficients_of(arguments)), elements_(open_array(arguments)) {
    if (!beside_) return;
    coefficients_ = beside_->open(arguments, elements_.header());
    beside_->check(arguments, elements_, *coefficients_);
    check_orders();
}

void scan_input::check_orders() const {
    const array_header& one = elements_.header();
    const array_header& other = coefficients_->header();
    if (one.shape.size() < 2 || one.shape.size() != other.shape.size() ||
        one.fortran_order == other.fortran_order)
        return;
    const auto order = [](const array_header& of) { return of.fortran_order ? "Fortran" : "C"; };
    fail(coefficients_->source().name(), fmt::format("coefficients in {} order, but {} is in {} order",
                                                     order(other), elements_.source().name(), order(one)));
}

scan_operands scan_input::types() const {
    scan_operands types{elements_.header().type, std::nullopt};
    if (coefficients_) types.coefficients = coefficients_->header().type;
    return types;
}

std::vector<file_identity> scan_input::files() const {
    std::vector<file_identity> found = identities(elements_.source());
    if (coefficients_)
        for (const file_identity& one : identities(coefficients_->source())) found.push_back(one);
    return found;
}

std::size_t scan_input::element_bytes() const {
    const scan_operands of = types();
    return size_of(of.elements) + (of.coefficients ? size_of(*of.coefficients) : 0);
}

bool scan_input::seekable() const {
    return elements_.seekable() && (!coefficients_ || coefficients_->seekable());
}

std::size_t scan_input::coefficients_at(std::size_t room) const {
    return (room * size_of(elements_.header().type) + 63) / 64 * 64;
}

std::size_t scan_input::bytes_for(std::size_t room) const {
    if (!coefficients_) return room * size_of(elements_.header().type);
    return coefficients_at(room) + room * size_of(coefficients_->header().type);
}

scan_block scan_input::block_in(const std::byte* memory, std::size_t room) const {
    return {memory, coefficients_ ? memory + coefficients_at(room) : nullptr};
}

std::size_t scan_input::read(std::byte* memory, std::size_t room, std::size_t most) {
    const std::size_t count = elements_.read(memory, most);
    if (coefficients_ && coefficients_->read(memory + coefficients_at(room), count) != count)
        beside_->fail_count("fewer", elements_, *coefficients_);
    return count;
}

bool scan_input::read_at(std::uint64_t index, std::byte* memory, std::size_t room, std::size_t count) const {
    return elements_.read_at(index, memory, count) == count &&
           (!coefficients_ || coefficients_->read_at(index, memory + coefficients_at(room), count) == count);
}

scan_block scan_input::map() {
    const auto elements = elements_.map();
    if (elements.empty()) return {};
    if (!coefficients_) return {elements.data(), nullptr};
    const auto coefficients = coefficients_->map();
    return coefficients.empty() ? scan_block{} : scan_block{elements.data(), coefficients.data()};
}

scan_block scan_input::behind(const scan_block& all, std::uint64_t count) const {
    scan_block rest{all.elements + count * size_of(elements_.header().type), nullptr};
    if (coefficients_) rest.coefficients = all.coefficients + count * size_of(coefficients_->header().type);
    return rest;
}

void scan_input::finish() {
    if (!coefficients_) return;
    alignas(16) std::byte another[16];
    const bool has_more = coefficients_->count() ? coefficients_->count() != elements_.count()
                                                 : coefficients_->read(another, 1) != 0;
    if (has_more) beside_->fail_count("more", elements_, *coefficients_);
}

}  // namespace upsweep::cli
