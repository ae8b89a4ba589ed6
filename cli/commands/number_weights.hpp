// What each number of an input counts for: the elements of a second array, or the cells of a second column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/array_beside.hpp"
#include "cli/commands/ordered_elements.hpp"
#include "cli/io/array_file.hpp"
#include "cli/io/csv.hpp"
#include "registry/dtype.hpp"

namespace upsweep::cli {

// In step with the numbers: those of the ones that were read last come next.
class number_weights {
  public:
    virtual ~number_weights() = default;

    // Of those that come next. Of a table int64 as long as all are, from the first that is not on float64.
    [[nodiscard]] virtual registry::dtype type() const = 0;
    // What they are called: the column, or the file.
    [[nodiscard]] virtual std::string name() const = 0;
    // Whether reading numbers reads them too; otherwise they can be read once, with any pass.
    [[nodiscard]] virtual bool come_with_numbers() const = 0;
    // Throws upsweep::error if there are fewer than numbers.
    virtual void read(std::byte* to, std::size_t count) = 0;
    // Once all are read: throws upsweep::error if there are more.
    virtual void finish() = 0;
    // Beside those of the numbers: so far, and of all where it is known.
    [[nodiscard]] virtual std::uint64_t bytes_read() const = 0;
    [[nodiscard]] virtual std::optional<std::uint64_t> bytes() const = 0;
};

class array_weights final : public number_weights {
  public:
    // `elements` must outlive it; `beside` as in ordered_elements.
    array_weights(array_beside described, array_reader weights, const array_reader& elements, bool in_c_order,
                  const std::string& beside);

    [[nodiscard]] registry::dtype type() const override { return reader_.header().type; }
    [[nodiscard]] std::string name() const override;
    [[nodiscard]] bool come_with_numbers() const override { return false; }
    void read(std::byte* to, std::size_t count) override;
    void finish() override;
    [[nodiscard]] std::uint64_t bytes_read() const override { return bytes_; }
    [[nodiscard]] std::optional<std::uint64_t> bytes() const override;
    [[nodiscard]] const array_reader& reader() const { return reader_; }

  private:
    array_beside described_;
    array_reader reader_;
    const array_reader& elements_;
    std::unique_ptr<ordered_elements> ordered_;
    std::uint64_t bytes_ = 0;
};

class table_weights final : public number_weights {
  public:
    explicit table_weights(std::string name) : name_(std::move(name)) {}

    [[nodiscard]] registry::dtype type() const override {
        return integers_only_ ? registry::dtype::int64 : registry::dtype::float64;
    }
    [[nodiscard]] std::string name() const override { return name_; }
    [[nodiscard]] bool come_with_numbers() const override { return true; }
    void read(std::byte* to, std::size_t count) override;
    void finish() override {}
    [[nodiscard]] std::uint64_t bytes_read() const override { return 0; }
    [[nodiscard]] std::optional<std::uint64_t> bytes() const override { return 0; }

    // Of the next number; false if it is of another type than those that wait to be read, so that it has to
    // come again once they have been.
    [[nodiscard]] bool add(const csv_number& weight);
    // Forgets what waits to be read, and with `all` the type too.
    void clear(bool all);

  private:
    std::string name_;
    bool integers_only_ = true;
    std::vector<std::int64_t> integers_;  // of them either these wait
    std::vector<double> reals_;           // or these
};

}  // namespace upsweep::cli
