// OpenGL in the registry: one device, on an off-screen context of its own. libEGL is opened when a device is
// asked for, so the program runs where there is none.
#include "registry/back_end.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string>

#include "gl/functions.hpp"
#include "registry/shader/device.hpp"
#include "upsweep/error.hpp"
#include "upsweep/gl/executor.hpp"
#include "upsweep/gl/offscreen_context.hpp"

namespace upsweep::registry {
namespace {

// OpenGL 4.3, or else OpenGL ES 3.1.
gl::offscreen_context make_context() {
    try {
        return gl::offscreen_context();
    } catch (const error&) {
        try {
            return gl::offscreen_context({gl::api::es, 3, 1});
        } catch (const error&) {
            // The first reason is told.
        }
        throw;
    }
}

// The functions that only this file needs besides the library's.
struct own_functions {
    void (*finish)();
    unsigned (*get_error)();

    explicit own_functions(const gl::function_loader& loader)
        : finish(reinterpret_cast<void (*)()>(loader("glFinish"))),
          get_error(reinterpret_cast<unsigned (*)()>(loader("glGetError"))) {
        if (finish == nullptr || get_error == nullptr)
            throw_error(errc::unsupported, "OpenGL: glFinish or glGetError is missing");
    }
};

// A buffer object that grows. The context it belongs to must be current whenever it is used.
class storage {
  public:
    explicit storage(const gl::functions& gl, const own_functions& own) : gl_(gl), own_(own) {}
    ~storage() {
        if (name_ != 0) gl_.delete_buffers(1, &name_);
    }
    storage(const storage&) = delete;
    storage& operator=(const storage&) = delete;

    // At least so many bytes from now on; what was in it is lost if it grows.
    void reserve(std::size_t bytes) {
        if (bytes <= bytes_) return;
        if (name_ == 0) gl_.gen_buffers(1, &name_);
        bytes_ = 0;
        // Errors of earlier calls; a lost context reports one for ever.
        for (int earlier = 0; earlier < 16 && own_.get_error() != 0; ++earlier) continue;
        gl_.bind_buffer(GL_COPY_WRITE_BUFFER, name_);
        gl_.buffer_data(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(bytes), nullptr, GL_DYNAMIC_COPY);
        if (own_.get_error() != 0) {
            throw_error(errc::out_of_memory,
                        "OpenGL: " + std::to_string(bytes) + " bytes are more than the device can give");
        }
        bytes_ = bytes;
    }
    // Gives the bytes of a range to `use`, which writes or reads all of them.
    template <class Use>
    void map(std::size_t first, std::size_t bytes, GLbitfield access, const Use& use) const {
        gl_.bind_buffer(GL_COPY_WRITE_BUFFER, name_);
        void* const memory = gl_.map_buffer_range(GL_COPY_WRITE_BUFFER, static_cast<GLintptr>(first),
                                                  static_cast<GLsizeiptr>(bytes), access);
        if (memory == nullptr) throw_error(errc::device, "OpenGL: a buffer cannot be mapped");
        use(static_cast<std::byte*>(memory));
        if (gl_.unmap_buffer(GL_COPY_WRITE_BUFFER) == GL_FALSE)
            throw_error(errc::device, "OpenGL: the contents of a buffer were lost");
    }
    void write(std::size_t first, std::span<const std::byte> from) const {
        map(first, from.size(), GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT,
            [&](std::byte* memory) { std::memcpy(memory, from.data(), from.size()); });
    }
    void read(std::span<std::byte> to) const {
        map(0, to.size(), GL_MAP_READ_BIT,
            [&](const std::byte* memory) { std::memcpy(to.data(), memory, to.size()); });
    }
    [[nodiscard]] gl::buffer_region region(std::size_t bytes) const { return {name_, 0, bytes}; }

  private:
    const gl::functions& gl_;
    const own_functions& own_;
    GLuint name_ = 0;
    std::size_t bytes_ = 0;
};

gl::scan_call call_of(const shader_scan& how, std::size_t n) {
    gl::scan_call call;
    call.op = how.op;
    call.size = n;
    call.exclusive = how.exclusive;
    call.reverse = how.reverse;
    call.has_initial = how.initial.has_value();
    if (how.initial) call.initial = *how.initial;
    return call;
}

class gl_device final : public shader_device {
  public:
    explicit gl_device(gl::offscreen_context context)
        : shader_device(context.renderer()), context_(std::move(context)) {}
    ~gl_device() override {
        try {
            context_.make_current();  // the members' buffers and programs are its own
        } catch (const error&) {
            // They go with the context.
        }
    }
    gl_device(const gl_device&) = delete;
    gl_device& operator=(const gl_device&) = delete;

    void scan(const shader_scan& how, std::span<const std::byte> in, std::span<std::byte> out,
              std::span<std::byte> total) override {
        context_.make_current();
        data_.reserve(in.size());
        total_.reserve(total.size());
        data_.write(0, in);
        gl::scan_call call = call_of(how, in.size() / total.size());
        call.in = call.out = data_.region(in.size());
        call.total = total_.region(total.size());
        executor_.run(call);
        data_.read(out);
        total_.read(total);
    }

    void scan_axis(const shader_scan& how, const shader_array& in, const shader_array& out,
                   int axis) override {
        context_.make_current();
        const std::size_t size = 4 * how.op.element_words;
        data_.reserve(in.bytes.size());
        results_.reserve(out.bytes.size());
        data_.write(0, in.bytes);
        gl::axis_call call;
        call.op = how.op;
        call.in = {data_.region(0).buffer, in.first * size, in.shape, in.strides};
        call.out = {results_.region(0).buffer, out.first * size, out.shape, out.strides};
        call.axis = axis;
        call.exclusive = how.exclusive;
        call.reverse = how.reverse;
        call.has_initial = how.initial.has_value();
        if (how.initial) call.initial = *how.initial;
        executor_.run(call);
        results_.read(out.bytes);
    }

  protected:
    const shader::conformance& conformance() override {
        context_.make_current();
        return executor_.conformance();
    }
    bool supports(const shader::operation& op) const override { return executor_.supports(op); }
    std::unique_ptr<timed_scan> make_timing(const shader_scan& how, std::span<const std::byte> element,
                                            std::size_t n) override;

  private:
    friend class gl_timing;

    gl::offscreen_context context_;
    gl::functions gl_ = gl::load_functions(context_.loader());
    own_functions own_{context_.loader()};
    gl::executor executor_{context_.loader()};
    storage data_{gl_, own_}, total_{gl_, own_}, results_{gl_, own_};
};

// By the clock of the host, from the first command to the end of the last.
class gl_timing final : public timed_scan {
  public:
    gl_timing(gl_device& device, const shader_scan& how, std::span<const std::byte> element, std::size_t n)
        : device_(device), bytes_(n * element.size()), call_(call_of(how, n)) {
        in_.reserve(bytes_);
        out_.reserve(bytes_);
        const std::vector<std::byte> piece = repeated(element, n);
        for (std::size_t done = 0; done < bytes_; done += piece.size())
            in_.write(done, std::span(piece).first(std::min(piece.size(), bytes_ - done)));
        call_.in = in_.region(bytes_);
        call_.out = out_.region(bytes_);
    }
    ~gl_timing() override {
        try {
            device_.context_.make_current();
        } catch (const error&) {
            // The buffers go with the context.
        }
    }
    gl_timing(const gl_timing&) = delete;
    gl_timing& operator=(const gl_timing&) = delete;

    double scan(std::size_t times) override {
        return sample(times, [&] { device_.executor_.run(call_); });
    }
    double copy(std::size_t times) override {
        return sample(times, [&] {
            device_.gl_.bind_buffer(GL_COPY_READ_BUFFER, call_.in.buffer);
            device_.gl_.bind_buffer(GL_COPY_WRITE_BUFFER, call_.out.buffer);
            device_.gl_.copy_buffer_sub_data(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0,
                                             static_cast<GLsizeiptr>(bytes_));
        });
    }

  private:
    template <class Work>
    double sample(std::size_t times, const Work& work) {
        device_.context_.make_current();
        device_.own_.finish();
        const auto start = std::chrono::steady_clock::now();
        for (std::size_t i = 0; i < times; ++i) work();
        device_.own_.finish();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    gl_device& device_;
    std::size_t bytes_;
    gl::scan_call call_;
    storage in_{device_.gl_, device_.own_}, out_{device_.gl_, device_.own_};
};

std::unique_ptr<timed_scan> gl_device::make_timing(const shader_scan& how, std::span<const std::byte> element,
                                                   std::size_t n) {
    context_.make_current();
    return std::make_unique<gl_timing>(*this, how, element, n);
}

std::unique_ptr<accelerator> open_gl(std::size_t number) {
    if (number != 0) throw_no_such_device(1);
    return std::make_unique<gl_device>(make_context());
}

std::vector<device_info> list_gl() {
    device_info info;
    try {
        const gl::offscreen_context context = make_context();
        const bool on_processor = [&] {
            constexpr std::array<const char*, 3> software = {"llvmpipe", "softpipe", "SwiftShader"};
            return std::any_of(software.begin(), software.end(), [&](const char* word) {
                return context.renderer().find(word) != std::string::npos;
            });
        }();
        info.available = true;
        info.model = context.renderer();
        info.details = std::string(on_processor ? "software" : "GPU") + ", OpenGL " + context.version();
        info.facts = {{"type", std::string(on_processor ? "software" : "GPU")},
                      {"driver", context.version()}};
    } catch (const error& problem) {
        info.reason = problem.what();
    }
    return {info};
}

}  // namespace

void add_gl() { add_back_end({"gl", &open_gl, &list_gl}); }

}  // namespace upsweep::registry
