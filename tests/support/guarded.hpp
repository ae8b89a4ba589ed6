// Memory for a test: any misalignment, poisoned contents, sentinels on both sides.
//
// Every write outside the array is found by comparing the sentinels; under AddressSanitizer every read
// outside it stops the program as well.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace upsweep::test {

// The same without a type; memory is kept from one reset() to the next.
class guarded_bytes {
  public:
    guarded_bytes() = default;
    guarded_bytes(const guarded_bytes&) = delete;
    guarded_bytes& operator=(const guarded_bytes&) = delete;
    ~guarded_bytes() { open(); }

    // `bytes` poisoned bytes that begin `offset` bytes past a 64-byte boundary.
    void reset(std::size_t bytes, std::size_t offset);
    [[nodiscard]] std::byte* data() const { return begin_; }
    [[nodiscard]] bool sentinels_intact() const;
    // Whether every byte is still poison.
    [[nodiscard]] bool untouched() const;

  private:
    static constexpr std::align_val_t alignment{64};
    struct release {
        void operator()(std::byte* p) const { ::operator delete(p, alignment); }
    };

    // Forbids and allows access to the sentinels, under AddressSanitizer.
    void close() const;
    void open() const;

    std::unique_ptr<std::byte, release> memory_;
    std::size_t capacity_ = 0;
    std::size_t before_ = 0;  // in front of the contents
    // Of the contents: loops ask for it at every element, without optimization in some builds.
    std::byte* begin_ = nullptr;
    std::size_t size_ = 0;
};

// Elements of a trivially copyable type.
template <class T>
class guarded {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    explicit guarded(std::size_t n = 0, std::size_t offset = 0) { reset(n, offset); }

    // n poisoned elements, `offset` elements past a 64-byte boundary.
    void reset(std::size_t n, std::size_t offset = 0) {
        bytes_.reset(n * sizeof(T), offset * sizeof(T));
        size_ = n;
    }
    [[nodiscard]] T* data() const { return reinterpret_cast<T*>(bytes_.data()); }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::span<T> span() const { return {data(), size_}; }
    [[nodiscard]] bool sentinels_intact() const { return bytes_.sentinels_intact(); }
    [[nodiscard]] bool untouched() const { return bytes_.untouched(); }

  private:
    guarded_bytes bytes_;
    std::size_t size_ = 0;
};

}  // namespace upsweep::test
