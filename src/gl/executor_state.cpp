// Buffers are checked, programs found, dispatches issued.
#include "gl/executor_state.hpp"

#include "upsweep/error.hpp"

namespace upsweep::gl {

static_assert(UPSWEEP_BINDINGS <= saved_state::most_bindings);

executor::state::state(const function_loader& loader, const executor_options& options)
    : gl(load_functions(loader)),
      device(describe_device(gl, options)),
      limits(limits_of(device, options)),
      programs(gl, device.es) {}

executor::state::~state() {
    if (scratch.buffer != 0) gl.delete_buffers(1, &scratch.buffer);
}

bool executor::state::supports(const shader::operation& op) const {
    return op.type != shader::element_type::float64 || op.exact || device.float64;
}

void executor::state::check_operation(const shader::operation& op) const {
    if (!supports(op)) throw_error(errc::unsupported, "op: OpenGL ES has no sums and products of double");
}

std::uint64_t executor::state::bytes_of(std::uint32_t buffer) const {
    GLint64 bytes = 0;
    gl.bind_buffer(GL_COPY_READ_BUFFER, buffer);
    gl.get_buffer_parameter(GL_COPY_READ_BUFFER, GL_BUFFER_SIZE, &bytes);
    return static_cast<std::uint64_t>(bytes);
}

void executor::state::check_buffer(const char* what, const buffer_region& region) const {
    if (region.buffer == 0 && region.bytes == 0) return;
    if (region.buffer == 0 || gl.is_buffer(region.buffer) == GL_FALSE) {
        throw_error(errc::invalid_argument, std::string(what) +
                                                ": expected a buffer object, but there is none named " +
                                                std::to_string(region.buffer));
    }
    const std::uint64_t size = bytes_of(region.buffer);
    if (region.offset > size || region.bytes > size - region.offset) {
        throw_error(errc::invalid_argument, std::string(what) + ": expected to end within buffer " +
                                                std::to_string(region.buffer) + ", which has " +
                                                std::to_string(size) + " bytes, but it has " +
                                                std::to_string(region.bytes) + " bytes from " +
                                                std::to_string(region.offset) + " on");
    }
}

void executor::state::check_input(const buffer_region& region) const {
    check_buffer("in", region);
    const std::uint64_t end = region.offset + region.bytes;
    if (region.bytes == 0 || end % 4 == 0 || bytes_of(region.buffer) / 4 > end / 4) return;
    throw_error(errc::invalid_argument, "in: expected buffer " + std::to_string(region.buffer) +
                                            " to have whole words, " + std::to_string(end / 4 * 4 + 4) +
                                            " bytes, because elements of fewer bytes are loaded in words, "
                                            "but it has " +
                                            std::to_string(bytes_of(region.buffer)));
}

void executor::state::grow_scratch(std::uint64_t bytes) {
    if (scratch.bytes >= bytes) return;
    if (scratch.buffer == 0) gl.gen_buffers(1, &scratch.buffer);
    gl.bind_buffer(GL_COPY_WRITE_BUFFER, scratch.buffer);
    gl.buffer_data(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(bytes), nullptr, GL_DYNAMIC_COPY);
    GLint64 got = 0;
    gl.get_buffer_parameter(GL_COPY_WRITE_BUFFER, GL_BUFFER_SIZE, &got);
    scratch.bytes = static_cast<std::uint64_t>(got);
    if (scratch.bytes < bytes) {
        throw_error(errc::out_of_memory,
                    "workspace: the driver has no room for " + std::to_string(bytes) + " bytes");
    }
}

buffer_region executor::state::workspace(const buffer_region& given, std::uint64_t bytes) {
    if (given.buffer == 0) {
        grow_scratch(bytes);
        return scratch;
    }
    check_buffer("options.workspace", given);
    if (given.bytes < bytes) {
        throw_error(errc::invalid_argument, "options.workspace: expected at least " + std::to_string(bytes) +
                                                " bytes, but it has " + std::to_string(given.bytes));
    }
    return given;
}

// Not glBufferSubData: what it writes to a buffer of the GPU's was often not there afterwards, neither for a
// stage nor for the host, on NVIDIA's driver 580.159.04.
void executor::state::upload(std::span<const std::uint32_t> words, const buffer_region& to) const {
    GLuint staging = 0;
    gl.gen_buffers(1, &staging);
    gl.bind_buffer(GL_COPY_READ_BUFFER, staging);
    gl.buffer_data(GL_COPY_READ_BUFFER, static_cast<GLsizeiptr>(words.size_bytes()), words.data(),
                   GL_STREAM_DRAW);
    gl.bind_buffer(GL_COPY_WRITE_BUFFER, to.buffer);
    gl.memory_barrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    gl.copy_buffer_sub_data(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, static_cast<GLintptr>(to.offset),
                            static_cast<GLsizeiptr>(words.size_bytes()));
    gl.delete_buffers(1, &staging);
}

GLuint executor::state::program(const shader::dispatch& next, const shader::program_key& key,
                                std::uint32_t user_text) {
    if (next.counts) return programs.get({next.which, shader::counts_operation}, 0);
    return programs.get({next.which, key.op, key.blelloch_size, next.shape}, user_text);
}

void executor::state::compile_form(shader::form shape, const shader::operation& op, std::uint32_t user_text) {
    using shader::stage;
    programs.check_text(user_text);
    const saved_state saved(gl, 0);
    std::vector<stage> stages = shader::scan_stages(shape, op, limits);
    if (shape == shader::form::axis) {
        stages.push_back(stage::lane_scan);
    } else {
        stages.push_back(stage::mark_heads);
        stages.push_back(stage::mark_offsets);
    }
    for (const stage which : stages) {
        shader::dispatch next;
        next.which = which;
        next.shape = shape;
        program(next, {stage::tile_scan, op}, user_text);
    }
}

void executor::state::carry_out(const std::vector<shader::dispatch>& plan, resources from,
                                const shader::program_key& key, std::uint32_t user_text,
                                std::span<const std::uint32_t> table) {
    // All of them first: a program that does not compile must not leave a call half done.
    std::vector<GLuint> compiled;
    compiled.reserve(plan.size());
    for (const shader::dispatch& next : plan) compiled.push_back(program(next, key, user_text));

    if (!table.empty()) upload(table, of(from, shader::resource::workspace));
    gl.memory_barrier(GL_SHADER_STORAGE_BARRIER_BIT);
    for (std::size_t i = 0; i < plan.size(); ++i) {
        const shader::dispatch& next = plan[i];
        if (next.waits) gl.memory_barrier(GL_SHADER_STORAGE_BARRIER_BIT);
        for (std::size_t at = 0; at < next.bindings.size(); ++at) {
            const shader::binding& bound = next.bindings.at(at);
            // An empty range cannot be bound; nothing is read or written through it either.
            if (bound.from == shader::resource::none || bound.bytes == 0) continue;
            gl.bind_buffer_range(GL_SHADER_STORAGE_BUFFER, static_cast<GLuint>(at),
                                 of(from, bound.from).buffer, static_cast<GLintptr>(bound.offset),
                                 static_cast<GLsizeiptr>(bound.bytes));
        }
        gl.use_program(compiled[i]);
        gl.program_uniforms(compiled[i], 0, UPSWEEP_PARAMETERS, next.parameters.data());
        gl.dispatch_compute(next.groups_x, next.groups_y, 1);
        if (observer) observer(shader::name(next));
    }
    gl.memory_barrier(GL_ALL_BARRIER_BITS);
}

}  // namespace upsweep::gl
