#include "cli/commands/number_weights.hpp"

#include <cstring>
#include <utility>

#include "cli/io/message.hpp"

namespace upsweep::cli {

array_weights::array_weights(array_beside described, array_reader weights, const array_reader& elements,
                             bool in_c_order, const std::string& beside)
    : described_(std::move(described)), reader_(std::move(weights)), elements_(elements) {
    if (in_c_order) ordered_ = std::make_unique<ordered_elements>(reader_, beside);
}

std::string array_weights::name() const {
    const std::string& path = reader_.source().name();
    return printable(path.substr(path.rfind('/') + 1));
}

void array_weights::read(std::byte* to, std::size_t count) {
    const std::size_t got = ordered_ ? ordered_->read(to, count) : reader_.read(to, count);
    if (got != count) described_.fail_count("fewer", elements_, reader_);
    bytes_ += count * registry::size_of(type());
}

void array_weights::finish() {
    alignas(16) std::byte another[16];
    const bool has_more =
        reader_.count() ? reader_.count() != elements_.count() : reader_.read(another, 1) != 0;
    if (has_more) described_.fail_count("more", elements_, reader_);
}

std::optional<std::uint64_t> array_weights::bytes() const {
    if (!reader_.count()) return std::nullopt;
    return *reader_.count() * registry::size_of(type());
}

bool table_weights::add(const csv_number& weight) {
    if (integers_only_ && !weight.integer) {
        if (!integers_.empty()) return false;
        integers_only_ = false;
    }
    if (integers_only_)
        integers_.push_back(weight.whole);
    else
        reals_.push_back(weight.real);
    return true;
}

void table_weights::clear(bool all) {
    integers_.clear();
    reals_.clear();
    if (all) integers_only_ = true;
}

void table_weights::read(std::byte* to, std::size_t count) {
    static_assert(sizeof(std::int64_t) == sizeof(double));
    const void* const from = integers_only_ ? static_cast<const void*>(integers_.data()) : reals_.data();
    std::memcpy(to, from, count * sizeof(double));
}

}  // namespace upsweep::cli
