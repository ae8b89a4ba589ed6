// Arrays and tables as numbers, read in blocks while the block before is worked on.
#include "cli/commands/number_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "cli/commands/ordered_elements.hpp"
#include "cli/io/array_file.hpp"
#include "cli/io/csv.hpp"
#include "cli/io/message.hpp"
#include "cli/pipeline.hpp"
#include "cli/progress.hpp"
#include "cli/usage.hpp"
#include "registry/scanner.hpp"

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

  private:
    array_reader reader_;
    std::unique_ptr<ordered_elements> ordered_;
    std::uint64_t bytes_ = 0;
};

class table_numbers final : public number_input {
  public:
    explicit table_numbers(const file_arguments& arguments)
        : reader_(byte_source::open(arguments.input), table_options(arguments)),
          column_(number_column_of(arguments, reader_)) {}

    [[nodiscard]] dtype type() const override { return dtype::float64; }
    [[nodiscard]] const byte_source& source() const override { return reader_.source(); }
    [[nodiscard]] std::string name() const override { return printable(reader_.names()[column_]); }
    [[nodiscard]] std::vector<std::uint64_t> shape() const override { return {reader_.rows()}; }
    std::size_t read(std::byte* to, std::size_t most) override {
        std::size_t count = 0;
        while (count < most && reader_.next()) {
            const double number = reader_.number(column_).real;
            std::memcpy(to + count * sizeof number, &number, sizeof number);
            ++count;
        }
        return count;
    }
    [[nodiscard]] bool can_rewind() const override { return reader_.source().seekable(); }
    void rewind() override { reader_.rewind(); }
    [[nodiscard]] std::uint64_t bytes_read() const override { return reader_.bytes(); }
    [[nodiscard]] std::optional<std::uint64_t> bytes() const override { return reader_.source().size(); }

  private:
    csv_reader reader_;
    std::size_t column_;
};

}  // namespace

std::unique_ptr<number_input> open_numbers(const file_arguments& arguments, bool in_c_order) {
    if (arguments.reads_table()) return std::make_unique<table_numbers>(arguments);
    return numbers_of(open_array(arguments), in_c_order, arguments.output);
}

std::unique_ptr<number_input> numbers_of(array_reader reader, bool in_c_order, const std::string& beside) {
    return std::make_unique<array_numbers>(std::move(reader), in_c_order, beside);
}

std::size_t usual_block(dtype type) {
    return std::max<std::size_t>(1, block_bytes(registry::block_bytes) / size_of(type));
}

number_passes::number_passes(number_input& input, int passes, std::string label, const std::string& beside)
    : input_(input),
      left_(passes),
      passes_(passes),
      label_(std::move(label)),
      kept_(beside, most_waiting_bytes()) {}

void number_passes::run(std::size_t most, const taker& take) {
    --left_;
    if (is_kept_) return read_kept(most, take);
    if (left_ + 1 != passes_) input_.rewind();
    read_input(most, take);
    bytes_ += input_.bytes_read();
    is_kept_ = left_ != 0 && !input_.can_rewind();
}

void number_passes::read_input(std::size_t most, const taker& take) {
    const std::size_t size = size_of(input_.type());
    const bool keeps = left_ != 0 && !input_.can_rewind();
    const std::string step =
        passes_ == 1 ? label_ : fmt::format("{}, pass {} of {}", label_, passes_ - left_, passes_);
    progress_bar progress(step, input_.bytes());
    const std::uint64_t known = input_.bytes().value_or(UINT64_MAX);
    const auto room =
        static_cast<std::size_t>(std::min<std::uint64_t>(most, std::max<std::uint64_t>(known / size, 1)));
    count_ = 0;
    std::uint64_t before = 0;
    run_pipeline(
        room * size, 0, known / size > most,
        [&](data_block& block) {
            block.first = count_;
            block.count = input_.read(block.in.data(), room);
            count_ += block.count;
            if (keeps) kept_.write(block.in.data(), block.count * size);
            progress.advance(input_.bytes_read() - before);
            before = input_.bytes_read();
            return block.count != 0;
        },
        [&](const data_block& block) { take(block.in.data(), block.count, block.first); },
        [](const data_block&) {});
}

void number_passes::read_kept(std::size_t most, const taker& take) {
    class blocks final : public byte_sink {
      public:
        blocks(std::size_t most, std::size_t size, const taker& take)
            : most_(most), size_(size), take_(take) {}
        void write(const void* data, std::size_t bytes) override {
            const auto* numbers = static_cast<const std::byte*>(data);
            for (std::size_t left = bytes / size_; left != 0;) {
                const std::size_t part = std::min(left, most_);
                take_(numbers, part, first_);
                numbers += part * size_;
                first_ += part;
                left -= part;
            }
        }

      private:
        std::size_t most_;
        std::size_t size_;
        const taker& take_;
        std::uint64_t first_ = 0;
    };
    blocks sink(most, size_of(input_.type()), take);
    kept_.send(sink);
}

}  // namespace upsweep::cli
