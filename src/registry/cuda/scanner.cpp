// A sequence in host memory, scanned on a GPU: pieces go up, are converted, scanned, converted and come down,
// with several of them under way at once, so that both directions of the bus are busy. Arrays with an axis go
// up and come down whole.
#include <array>
#include <cstdlib>
#include <cstring>
#include <span>

#include "registry/cuda/arrays.hpp"
#include "registry/cuda/device.hpp"
#include "registry/cuda/kernels.hpp"
#include "registry/cuda/memory.hpp"
#include "registry/piecewise_scanner.hpp"
#include "registry/visit.hpp"

namespace upsweep::registry::gpu {
namespace {

constexpr std::size_t pieces_under_way = 3;

// What one piece needs; the pieces of a sequence take turns.
struct slot {
    unique_stream stream = make_stream();
    cuda::executor executor{stream.get()};
    pinned_memory in, out;               // of the host
    device_memory elements, results;     // as in the files
    device_memory held, scanned, total;  // accumulators
    unique_event done_with_earlier = make_event(false);
    unique_event done = make_event(false);
    std::size_t capacity = 0;          // elements
    std::byte* destination = nullptr;  // where the bytes of `out` go when `done`; null: nowhere
    std::size_t out_bytes = 0;
};

class gpu_scanner final : public piecewise_scanner {
  public:
    gpu_scanner(int device, const scan_request& request, const std::string& name)
        : piecewise_scanner(name, request), device_(device) {}
    ~gpu_scanner() override { gpu_scanner::abandon(); }
    gpu_scanner(const gpu_scanner&) = delete;
    gpu_scanner& operator=(const gpu_scanner&) = delete;

    void scan_axis(const void* in, void* out, const axis_layout& layout) override {
        if (!check_axis(request().types, in, out, layout)) return;
        cuda::check(cudaSetDevice(device_), "choosing the GPU");
        slot& own = slots_[turn_];
        deliver(own);
        // Between two elements of `out` there may be others, which come back as they went.
        const byte_range from = bytes_of(in, layout.shape, layout.in_strides, in_size());
        const byte_range to = bytes_of(out, layout.shape, layout.out_strides, out_size());
        const byte_range* const ranges[] = {&from, &to};
        device_memory* const memories[] = {&axis_in_, &axis_out_};
        std::size_t* const capacities[] = {&axis_in_bytes_, &axis_out_bytes_};
        for (int k = 0; k < 2; ++k) {
            const std::size_t bytes = ranges[k]->bytes;
            if (*capacities[k] < bytes) {
                memories[k]->reset();
                *capacities[k] = 0;
                *memories[k] = allocate_device(bytes);
                *capacities[k] = bytes;
            }
            cuda::check(cudaMemcpyAsync(memories[k]->get(), ranges[k]->first, bytes, cudaMemcpyHostToDevice,
                                        own.stream.get()),
                        "copying to the GPU");
        }
        scan_array(request(), own.executor, axis_in_.get() + from.offset, axis_out_.get() + to.offset,
                   layout);
        cuda::check(
            cudaMemcpyAsync(to.first, axis_out_.get(), to.bytes, cudaMemcpyDeviceToHost, own.stream.get()),
            "copying from the GPU");
        own.executor.wait();
    }

  private:
    // What an array spans, and where in it element 0 is.
    struct byte_range {
        std::byte* first;
        std::size_t bytes;
        std::size_t offset;
    };
    static byte_range bytes_of(const void* data, std::span<const std::int64_t> shape,
                               std::span<const std::int64_t> strides, std::size_t size) {
        std::size_t before = 0, behind = 0;  // elements
        for (std::size_t k = 0; k < shape.size(); ++k) {
            const std::int64_t reach = (shape[k] - 1) * strides[k];
            (reach < 0 ? before : behind) += static_cast<std::size_t>(std::abs(reach));
        }
        auto* const element = static_cast<std::byte*>(const_cast<void*>(data));
        return {element - before * size, (before + behind + 1) * size, before * size};
    }

    [[nodiscard]] std::size_t held_size() const { return size_of(held()); }

    void run(const piece& next) override {
        cuda::check(cudaSetDevice(device_), "choosing the GPU");
        slot& own = slots_[turn_];
        deliver(own);
        make_room(own, next.n);
        cudaStream_t stream = own.stream.get();
        std::memcpy(own.in.get(), next.in, next.n * in_size());
        cuda::check(cudaMemcpyAsync(own.elements.get(), own.in.get(), next.n * in_size(),
                                    cudaMemcpyHostToDevice, stream),
                    "copying to the GPU");
        load_elements(loads(), own.elements.get(), own.held.get(), next.n, stream);

        // What comes before: the total of the piece before, or what the sequence starts with.
        const bool first = count() == 0;
        if (first && !start_) start_ = upload(start());
        if (!first) {
            cuda::check(cudaStreamWaitEvent(stream, previous_->done_with_earlier.get(), 0),
                        "waiting for the piece before");
        }
        const std::byte* before = first ? start_.get() : previous_->total.get();
        gpu::scan(op(), held(), own.executor,
                  {own.held.get(), own.scanned.get(), next.n, request().reverse,
                   first && !request().initial ? nullptr : before, own.total.get()});
        store_results(stores(), {request().exclusive, request().reverse, start(), before, nullptr},
                      own.scanned.get(), own.results.get(), next.n, stream);
        // A slot's total is written again when its turn comes again: not before these kernels have read it,
        // as every piece waits for the one before.
        cuda::check(cudaEventRecord(own.done_with_earlier.get(), stream), "marking a scan's end");
        cuda::check(cudaMemcpyAsync(own.out.get(), own.results.get(), next.n * out_size(),
                                    cudaMemcpyDeviceToHost, stream),
                    "copying from the GPU");
        cuda::check(cudaEventRecord(own.done.get(), stream), "marking a piece's end");
        own.destination = next.out;
        own.out_bytes = next.n * out_size();
        previous_ = &own;
        turn_ = (turn_ + 1) % pieces_under_way;
    }

    value finish() override {
        for (std::size_t k = 0; k < pieces_under_way; ++k) deliver(slots_[(turn_ + k) % pieces_under_way]);
        return visit_type(held(), [&]<class T>(std::type_identity<T>) {
            T total;
            cuda::check(cudaMemcpy(static_cast<void*>(&total), previous_->total.get(), sizeof(T),
                                   cudaMemcpyDeviceToHost),
                        "copying from the GPU");
            return value::of(held(), total);
        });
    }

    void abandon() noexcept override {
        for (slot& each : slots_) {
            cudaStreamSynchronize(each.stream.get());
            each.destination = nullptr;
        }
    }

    void make_room(slot& used, std::size_t n) const {
        const std::size_t wanted =
            std::min(most(), (n + core::super_size - 1) / core::super_size * core::super_size);
        if (used.capacity >= wanted) return;
        used.capacity = 0;
        used.in = allocate_pinned(wanted * in_size());
        used.out = allocate_pinned(wanted * out_size());
        used.elements = allocate_device(wanted * in_size());
        used.results = allocate_device(wanted * out_size());
        used.held = allocate_device(wanted * held_size());
        used.scanned = allocate_device(wanted * held_size());
        if (!used.total) used.total = allocate_device(held_size());
        used.capacity = wanted;
    }

    void deliver(slot& used) {
        if (used.destination == nullptr) return;
        cuda::check(cudaEventSynchronize(used.done.get()), "scanning on the GPU");
        std::memcpy(used.destination, used.out.get(), used.out_bytes);
        used.destination = nullptr;
    }

    [[nodiscard]] device_memory upload(const value& held) const {
        device_memory memory = allocate_device(held_size());
        cuda::check(cudaMemcpy(memory.get(), held.data(), held_size(), cudaMemcpyHostToDevice),
                    "copying to the GPU");
        return memory;
    }

    int device_;
    device_memory start_;  // null until it is needed
    std::array<slot, pieces_under_way> slots_;
    std::size_t turn_ = 0;
    slot* previous_ = nullptr;          // its total is that of everything so far
    device_memory axis_in_, axis_out_;  // what scans along an axis had at once
    std::size_t axis_in_bytes_ = 0, axis_out_bytes_ = 0;
};

}  // namespace

std::unique_ptr<scanner> make_gpu_scanner(int device, const scan_request& request, const std::string& name) {
    cuda::check(cudaSetDevice(device), "choosing the GPU");  // for the streams of its slots
    return std::make_unique<gpu_scanner>(device, request, name);
}

}  // namespace upsweep::registry::gpu
