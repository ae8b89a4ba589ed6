// The show in a window, through GLFW.
#include <epoxy/gl.h>
// After OpenGL's own header.
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "show.hpp"

namespace particles {
namespace {

struct end_glfw {
    void operator()(const int* /*started*/) const { glfwTerminate(); }
};
struct close_window {
    void operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }
};

std::string last_problem() {
    const char* words = nullptr;
    glfwGetError(&words);
    return words == nullptr ? "no reason given" : words;
}

// What keys and mouse change.
struct controls {
    show& running;
    bool still = false;
    bool one_step = false;
    bool save = false;
    bool dragging = false;
    double x = 0, y = 0;

    void turn(float around, float height) {
        camera& from = running.current().from;
        from.around += around;
        from.height = std::clamp(from.height + height, 0.02f, 1.5f);
    }
    void approach(float factor) {
        camera& from = running.current().from;
        from.distance = std::clamp(from.distance * factor, 3.0f, 100.0f);
    }

    void pour(int percent) {
        std::uint32_t& flow = running.current().flow.flow;
        flow = static_cast<std::uint32_t>(std::clamp(static_cast<int>(flow) + percent, 0, 1000));
    }

    void press(GLFWwindow* window, int key, bool repeated) {
        constexpr float turn_step = 0.03f;
        switch (key) {
            case GLFW_KEY_LEFT:
                return turn(-turn_step, 0);
            case GLFW_KEY_RIGHT:
                return turn(turn_step, 0);
            case GLFW_KEY_UP:
                return turn(0, turn_step);
            case GLFW_KEY_DOWN:
                return turn(0, -turn_step);
            case GLFW_KEY_EQUAL:
            case GLFW_KEY_KP_ADD:
                return approach(0.97f);
            case GLFW_KEY_MINUS:
            case GLFW_KEY_KP_SUBTRACT:
                return approach(1 / 0.97f);
            case GLFW_KEY_LEFT_BRACKET:
                return pour(-5);
            case GLFW_KEY_RIGHT_BRACKET:
                return pour(5);
            case GLFW_KEY_N:
                one_step = true;
                return;
            default:
                break;
        }
        if (repeated) return;
        settings& current = running.current();
        if (key >= GLFW_KEY_1 && key < GLFW_KEY_1 + static_cast<int>(physics::emitter_count))
            current.flow.emitters ^= 1u << (key - GLFW_KEY_1);
        else if (key == GLFW_KEY_SPACE)
            still = !still;
        else if (key == GLFW_KEY_B)
            current.bloom = !current.bloom;
        else if (key == GLFW_KEY_R)
            current.reflection = !current.reflection;
        else if (key == GLFW_KEY_D)
            current.how = current.how == drawing::points ? drawing::splats : drawing::points;
        else if (key == GLFW_KEY_T)
            current.text = !current.text;
        else if (key == GLFW_KEY_S)
            save = true;
        else if (key == GLFW_KEY_Q || key == GLFW_KEY_ESCAPE)
            glfwSetWindowShouldClose(window, GLFW_TRUE);
    }
};

controls& controls_of(GLFWwindow* window) {
    return *static_cast<controls*>(glfwGetWindowUserPointer(window));
}

void connect(GLFWwindow* window, controls& hands) {
    glfwSetWindowUserPointer(window, &hands);
    glfwSetKeyCallback(window, [](GLFWwindow* from, int key, int, int action, int) {
        if (action != GLFW_RELEASE) controls_of(from).press(from, key, action == GLFW_REPEAT);
    });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* from, int button, int action, int) {
        controls& to = controls_of(from);
        if (button != GLFW_MOUSE_BUTTON_LEFT) return;
        to.dragging = action == GLFW_PRESS;
        glfwGetCursorPos(from, &to.x, &to.y);
    });
    glfwSetCursorPosCallback(window, [](GLFWwindow* from, double x, double y) {
        controls& to = controls_of(from);
        if (to.dragging)
            to.turn(static_cast<float>(0.005 * (x - to.x)), static_cast<float>(0.005 * (y - to.y)));
        to.x = x;
        to.y = y;
    });
    glfwSetScrollCallback(window, [](GLFWwindow* from, double, double y) {
        controls_of(from).approach(y > 0 ? 0.94f : 1 / 0.94f);
    });
}

}  // namespace

int run_in_window(const settings& chosen) {
    if (glfwInit() == GLFW_FALSE)
        throw std::runtime_error("no window here: " + last_problem() + "; --headless draws off screen");
    const int started = 1;
    const std::unique_ptr<const int, end_glfw> session(&started);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    const std::unique_ptr<GLFWwindow, close_window> window(
        glfwCreateWindow(chosen.width, chosen.height, "Upsweep: a fountain of particles", nullptr, nullptr));
    if (window == nullptr) throw std::runtime_error("no window with OpenGL 4.3: " + last_problem());
    glfwMakeContextCurrent(window.get());
    glfwSwapInterval(1);

    show running(chosen, glfwGetProcAddress);
    controls hands{running};
    connect(window.get(), hands);
    running.skip(chosen.skip);

    using clock = std::chrono::steady_clock;
    clock::time_point before = clock::now(), told = before;
    double milliseconds = 1000.0 / 60;
    std::uint64_t saved = 0;
    for (std::uint64_t drawn = 0; glfwWindowShouldClose(window.get()) == GLFW_FALSE; ++drawn) {
        if (chosen.frames != 0 && drawn == chosen.frames) break;
        int width = 0, height = 0;
        glfwGetFramebufferSize(window.get(), &width, &height);
        if (width > 0 && height > 0) {
            running.pictures().resize(width, height);
            running.frame(0, hands.still && !std::exchange(hands.one_step, false));
            if (std::exchange(hands.save, false))
                write_png(fmt::format("particles-{}.png", saved++), read_picture(0, width, height));
        }
        glfwSwapBuffers(window.get());
        glfwPollEvents();

        const clock::time_point now = clock::now();
        milliseconds +=
            0.05 * (std::chrono::duration<double, std::milli>(now - before).count() - milliseconds);
        before = now;
        std::optional<frame_report> latest;
        while (const std::optional<frame_report> report = running.times().next_report()) latest = report;
        // Four times a second, so that the figures can be read.
        if (latest && now - told > std::chrono::milliseconds(250)) {
            running.tell(*latest, milliseconds);
            told = now;
        }
    }
    return 0;
}

}  // namespace particles
