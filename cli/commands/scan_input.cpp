// Two arrays read side by side.
#include "cli/commands/scan_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <utility>

#include "cli/io/message.hpp"
#include "cli/io/npy.hpp"
#include "cli/io/raw.hpp"
#include "cli/usage.hpp"

namespace upsweep::cli {
namespace {

using registry::size_of;

file_format coefficients_format(const scan_arguments& arguments) {
    return format_of(*arguments.coefficients).value_or(arguments.input_format);
}

// Raw ones have the type of the elements, and where those are raw too, their byte order.
std::optional<array_reader> open_coefficients(const scan_arguments& arguments, const array_header& elements) {
    if (!arguments.coefficients) return std::nullopt;
    const std::string& file = *arguments.coefficients;
    if (file == "-" && arguments.input == "-")
        throw usage_error("--coefficients -: standard input is INPUT already");
    const file_format format = coefficients_format(arguments);
    if (is_table(format)) {
        throw usage_error(fmt::format("--coefficients {}: expected a .npy or raw file, as INPUT is an array",
                                      printable(file)));
    }
    byte_source source = byte_source::open(file);
    if (format == file_format::npy) return read_npy(std::move(source));
    const registry::dtype_layout same{elements.type, std::endian::native};
    return read_raw(std::move(source), arguments.input_dtype.value_or(same));
}

}  // namespace

scan_input::scan_input(const scan_arguments& arguments)
    : elements_(open_array(arguments)), coefficients_(open_coefficients(arguments, elements_.header())) {
    if (!coefficients_) return;
    check_shapes(arguments.input_format == file_format::npy &&
                 coefficients_format(arguments) == file_format::npy);
}

void scan_input::check_shapes(bool both_tell) const {
    const array_header& one = elements_.header();
    const array_header& other = coefficients_->header();
    const std::string& name = elements_.source().name();
    if (both_tell) {
        if (one.shape != other.shape) {
            fail(coefficients_->source().name(),
                 fmt::format("coefficients of shape ({}), but {} has shape ({})",
                             fmt::join(other.shape, ", "), name, fmt::join(one.shape, ", ")));
        }
        if (one.shape.size() > 1 && one.fortran_order != other.fortran_order) {
            const auto order = [](const array_header& of) { return of.fortran_order ? "Fortran" : "C"; };
            fail(coefficients_->source().name(),
                 fmt::format("coefficients in {} order, but {} is in {} order", order(other), name,
                             order(one)));
        }
    }
    const auto count = elements_.count();
    const auto others = coefficients_->count();
    if (count && others && *count != *others) {
        fail(coefficients_->source().name(),
             fmt::format("{} coefficients, but {} has {} elements", *others, name, *count));
    }
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
    if (coefficients_ && coefficients_->read(memory + coefficients_at(room), count) != count) {
        fail(coefficients_->source().name(),
             fmt::format("fewer coefficients than {} has elements", elements_.source().name()));
    }
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
    if (has_more) {
        fail(coefficients_->source().name(),
             fmt::format("more coefficients than {} has elements", elements_.source().name()));
    }
}

}  // namespace upsweep::cli
