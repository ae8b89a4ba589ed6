#include "cli/commands/number_input.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cli/commands/ordered_elements.hpp"
#include "cli/io/array_file.hpp"
#include "cli/io/csv.hpp"
#include "cli/io/message.hpp"
#include "cli/usage.hpp"
#include "registry/operation.hpp"

namespace upsweep::cli {
namespace {

using registry::dtype;
using registry::size_of;

class array_numbers final : public number_input {
  public:
    array_numbers(array_reader reader, bool in_c_order, const std::string& beside)
        : reader_(std::move(reader)) {
        if (in_c_order) ordered_ = std::make_unique<ordered_elements>(reader_, beside);
    }
    // In C order unless the order of both files will do.
    array_numbers(const file_arguments& arguments, const array_beside& described)
        : reader_(open_array(arguments)) {
        array_reader weights = described.open(arguments, reader_.header());
        described.check(arguments, reader_, weights);
        const registry::scan_types types =
            registry::resolve_types(registry::operation::plus, weights.header().type);
        const bool in_c_order = !registry::is_exact(registry::operation::plus, types.accumulator) ||
                                reader_.header().fortran_order != weights.header().fortran_order;
        if (in_c_order) ordered_ = std::make_unique<ordered_elements>(reader_, arguments.output);
        weights_ = std::make_unique<array_weights>(described, std::move(weights), reader_, in_c_order,
                                                   arguments.output);
    }

    [[nodiscard]] dtype type() const override { return reader_.header().type; }
    [[nodiscard]] const byte_source& source() const override { return reader_.source(); }
    [[nodiscard]] std::string name() const override {
        const std::string& path = reader_.source().name();
        return printable(path.substr(path.rfind('/') + 1));
    }
    [[nodiscard]] std::vector<std::uint64_t> shape() const override { return reader_.header().shape; }
    std::size_t read(std::byte* to, std::size_t most) override {
        const std::size_t count = ordered_ ? ordered_->read(to, most) : reader_.read(to, most);
        bytes_ += count * size_of(type());
        return count;
    }
    [[nodiscard]] bool can_rewind() const override {
        return ordered_ ? ordered_->can_rewind() : reader_.seekable();
    }
    void rewind() override {
        if (ordered_)
            ordered_->rewind();
        else
            reader_.seek_element(0);
        bytes_ = 0;
    }
    [[nodiscard]] std::uint64_t bytes_read() const override { return bytes_; }
    [[nodiscard]] std::optional<std::uint64_t> bytes() const override {
        if (!reader_.count()) return std::nullopt;
        return *reader_.count() * size_of(type());
    }
    [[nodiscard]] number_weights* weights() override { return weights_.get(); }
    [[nodiscard]] std::vector<file_identity> files() const override {
        std::vector<file_identity> found = identities(source());
        if (weights_)
            for (const file_identity& one : identities(weights_->reader().source())) found.push_back(one);
        return found;
    }

  private:
    array_reader reader_;
    std::unique_ptr<ordered_elements> ordered_;
    std::unique_ptr<array_weights> weights_;
    std::uint64_t bytes_ = 0;
};

class table_numbers final : public number_input {
  public:
    explicit table_numbers(const file_arguments& arguments, const std::optional<std::string>& weights = {})
        : reader_(byte_source::open(arguments.input), table_options(arguments)),
          column_(number_column_of(arguments, reader_)) {
        if (!weights) return;
        weight_column_ = column_named(reader_, *weights, "--weights");
        weights_.emplace(column_words(*weights));
    }

    [[nodiscard]] dtype type() const override { return dtype::float64; }
    [[nodiscard]] const byte_source& source() const override { return reader_.source(); }
    [[nodiscard]] std::string name() const override { return printable(reader_.names()[column_]); }
    [[nodiscard]] std::vector<std::uint64_t> shape() const override { return {reader_.rows()}; }
    std::size_t read(std::byte* to, std::size_t most) override {
        if (weights_) weights_->clear(false);
        std::size_t count = 0;
        while (count < most && next()) {
            const double number = reader_.number(column_).real;
            waits_ = weights_ && !weights_->add(reader_.number(weight_column_));
            if (waits_) break;
            std::memcpy(to + count * sizeof number, &number, sizeof number);
            ++count;
        }
        return count;
    }
    [[nodiscard]] bool can_rewind() const override { return reader_.source().seekable(); }
    void rewind() override {
        reader_.rewind();
        waits_ = false;
        if (weights_) weights_->clear(true);
    }
    [[nodiscard]] std::uint64_t bytes_read() const override { return reader_.bytes(); }
    [[nodiscard]] std::optional<std::uint64_t> bytes() const override { return reader_.source().size(); }
    [[nodiscard]] number_weights* weights() override { return weights_ ? &*weights_ : nullptr; }

  private:
    bool next() { return std::exchange(waits_, false) || reader_.next(); }

    csv_reader reader_;
    std::size_t column_;
    std::size_t weight_column_ = 0;
    std::optional<table_weights> weights_;
    bool waits_ = false;  // the row that is there has still to be taken
};

}  // namespace

std::unique_ptr<number_input> open_numbers(const file_arguments& arguments, bool in_c_order) {
    if (arguments.reads_table()) return std::make_unique<table_numbers>(arguments);
    return numbers_of(open_array(arguments), in_c_order, arguments.output);
}

std::unique_ptr<number_input> numbers_of(array_reader reader, bool in_c_order, const std::string& beside) {
    return std::make_unique<array_numbers>(std::move(reader), in_c_order, beside);
}

std::unique_ptr<number_input> open_weighted_numbers(const file_arguments& arguments,
                                                    const std::string& weights) {
    if (arguments.reads_table()) return std::make_unique<table_numbers>(arguments, weights);
    const array_beside described{"--weights", "weights", weights};
    described.check_name(arguments);
    return std::make_unique<array_numbers>(arguments, described);
}

}  // namespace upsweep::cli
