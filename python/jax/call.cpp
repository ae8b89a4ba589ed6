#include "python/jax/call.hpp"

#include <algorithm>
#include <charconv>
#include <new>
#include <string>

#include "upsweep/error.hpp"

namespace upsweep::python {
namespace {

using registry::dtype;
using xla::ffi::DataType;
using xla::ffi::ErrorCode;

// The package gives every attribute, with its type.
template <class T>
T attribute(const xla_attributes& given, std::string_view name) {
    const auto found = given.get<T>(name);
    if (!found.has_value())
        throw_error(errc::invalid_argument, std::string(name) + ": expected an attribute of that name");
    return found.value();
}

registry::value value_of(dtype type, std::string_view digits) {
    std::array<std::byte, 16> bytes{};
    const std::size_t count = registry::size_of(type);
    bool is_read = digits.size() == 2 * count;
    for (std::size_t k = 0; k < count && is_read; ++k) {
        unsigned number = 0;
        const char* const first = digits.data() + 2 * k;
        is_read = std::from_chars(first, first + 2, number, 16).ptr == first + 2;
        bytes.at(k) = static_cast<std::byte>(number);
    }
    if (!is_read)
        throw_error(errc::invalid_argument,
                    "initial: expected the bytes of an element of " + std::string(registry::name(type)));
    return registry::value::at(type, bytes.data());
}

std::int64_t product(std::span<const std::int64_t> extents) {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) count *= extent;
    return count;
}

std::span<const std::int64_t> shape_of(const xla_array& x) {
    return {x.dimensions().begin(), x.dimensions().size()};
}

ErrorCode code_of(const error& problem) {
    if (problem.code() == errc::invalid_argument) return ErrorCode::kInvalidArgument;
    if (problem.code() == errc::unsupported) return ErrorCode::kUnimplemented;
    if (problem.code() == errc::out_of_memory) return ErrorCode::kResourceExhausted;
    return ErrorCode::kInternal;
}

}  // namespace

void add_handlers(nanobind::module_& module, const jax_handlers& handlers) {
    nanobind::dict by_name;
    const auto add = [&](const char* name, XLA_FFI_Handler* handler) {
        by_name[name] = nanobind::capsule(reinterpret_cast<void*>(handler));
    };
    add("upsweep_scan", handlers.scan);
    add("upsweep_segmented_scan", handlers.segmented_scan);
    add("upsweep_linear_recurrence", handlers.linear_recurrence);
    add("upsweep_sort", handlers.sort);
    module.attr("jax_handlers") = by_name;
}

xla::ffi::Error error_of(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const error& problem) {
        return {code_of(problem), std::string("upsweep: ") + problem.what()};
    } catch (const std::bad_alloc&) {
        return {ErrorCode::kResourceExhausted, "upsweep: out of memory"};
    } catch (const std::exception& problem) {
        return {ErrorCode::kInternal, std::string("upsweep: ") + problem.what()};
    }
}

dtype type_of(const xla_array& x) {
    switch (x.element_type()) {
        case DataType::PRED:
            return dtype::bool8;
        case DataType::S8:
            return dtype::int8;
        case DataType::U8:
            return dtype::uint8;
        case DataType::S16:
            return dtype::int16;
        case DataType::U16:
            return dtype::uint16;
        case DataType::S32:
            return dtype::int32;
        case DataType::U32:
            return dtype::uint32;
        case DataType::S64:
            return dtype::int64;
        case DataType::U64:
            return dtype::uint64;
        case DataType::F16:
            return dtype::float16;
        case DataType::BF16:
            return dtype::bfloat16;
        case DataType::F32:
            return dtype::float32;
        case DataType::F64:
            return dtype::float64;
        case DataType::C64:
            return dtype::complex64;
        case DataType::C128:
            return dtype::complex128;
        default:
            throw_error(errc::unsupported, "a: expected elements of one of " + registry::dtype_names());
    }
}

registry::scan_request scan_request_of(const xla_array& in, const xla_array& out,
                                       const xla_attributes& given) {
    const auto op = registry::parse_operation(attribute<std::string_view>(given, "op"));
    const auto totals = registry::parse_dtype(attribute<std::string_view>(given, "totals"));
    if (!op || !totals) throw_error(errc::invalid_argument, "op: expected an operator and a type of totals");
    registry::scan_request request;
    request.op = *op;
    request.types = registry::resolve_types(*op, type_of(in), type_of(out), totals);
    request.exclusive = attribute<bool>(given, "exclusive");
    request.reverse = attribute<bool>(given, "reverse");
    if (const auto initial = attribute<std::string_view>(given, "initial"); !initial.empty())
        request.initial = value_of(request.types.accumulator, initial);
    return request;
}

sequences::sequences(const xla_array& x, const xla_attributes& given) {
    const std::span<const std::int64_t> shape = shape_of(x);
    const auto axis = static_cast<std::size_t>(attribute<std::int64_t>(given, "axis"));
    if (axis >= shape.size()) throw_error(errc::invalid_argument, "axis: expected one of the array's");
    shape_ = {product(shape.first(axis)), shape[axis], product(shape.subspan(axis + 1))};
    strides_ = {shape_[1] * shape_[2], shape_[2], 1};
}

recurrence::recurrence(const xla_array& a, const xla_array& b, const xla_array& out,
                       const xla_attributes& given)
    : rank_(out.dimensions().size()) {
    if (rank_ > max_rank || a.dimensions().size() != rank_ || b.dimensions().size() != rank_)
        throw_error(errc::invalid_argument,
                    "a: expected at most " + std::to_string(max_rank) + " dimensions, as many as b has");
    std::ranges::copy(shape_of(out), shape_.begin());
    call_.a = describe(a, a_);
    call_.b = describe(b, b_);
    call_.out = describe(out, out_);
    call_.shape = std::span(shape_).first(rank_);
    call_.axis = static_cast<int>(attribute<std::int64_t>(given, "axis"));
    call_.x0 = attribute<double>(given, "x0");
    call_.in_double = attribute<bool>(given, "in_double");
    call_.reverse = attribute<bool>(given, "reverse");
}

registry::recurrence_call::array recurrence::describe(const xla_array& x, strides& held) const {
    const std::span<const std::int64_t> shape = shape_of(x);
    std::int64_t stride = 1;
    for (std::size_t k = rank_; k-- > 0; stride *= shape[k]) {
        if (shape[k] != shape_.at(k) && shape[k] != 1)
            throw_error(errc::invalid_argument, "a: expected shapes that broadcast to the result's");
        held.at(k) = shape[k] == 1 ? 0 : stride;
    }
    return {type_of(x), x.untyped_data(), std::span(held).first(rank_)};
}

sort_call::sort_call(const xla_array& in, const xla_attributes& given)
    : type(type_of(in)),
      descending(attribute<bool>(given, "descending")),
      indices(attribute<bool>(given, "indices")) {
    const std::span<const std::int64_t> shape = shape_of(in);
    if (shape.empty()) throw_error(errc::invalid_argument, "a: expected at least one dimension");
    length = static_cast<std::size_t>(shape.back());
    rows = static_cast<std::size_t>(product(shape.first(shape.size() - 1)));
}

}  // namespace upsweep::python
