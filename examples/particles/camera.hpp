// A camera that circles the fountain.
#pragma once

#include <glm/ext/matrix_clip_space.hpp>
#include <glm/ext/matrix_transform.hpp>
#include <glm/mat3x3.hpp>
#include <glm/mat4x4.hpp>
#include <glm/trigonometric.hpp>
#include <glm/vec3.hpp>

#include <cmath>

namespace particles {

// What shaders need of a camera.
struct view {
    glm::mat4 view_projection;
    glm::vec3 eye;
    glm::mat3 rays;  // columns: right and up at the picture's edge, forward
    float focal;     // pixels that a metre covers at a distance of one metre
};

struct camera {
    float around = 0.6f;     // radians
    float height = 0.20f;    // radians above the horizon
    float distance = 17.5f;  // metres
    glm::vec3 target{0.0f, 3.1f, 0.0f};
    float half_angle = glm::radians(19.0f);  // of the picture's height

    [[nodiscard]] view look(int width, int pixels_high) const {
        const float aspect = static_cast<float>(width) / static_cast<float>(pixels_high);
        const glm::vec3 away(std::cos(height) * std::cos(around), std::sin(height),
                             std::cos(height) * std::sin(around));
        const glm::vec3 eye = target + distance * away;
        const glm::vec3 right = glm::normalize(glm::cross(-away, glm::vec3(0, 1, 0)));
        const glm::vec3 up = glm::cross(right, -away);
        const float edge = std::tan(half_angle);
        return {glm::perspective(2 * half_angle, aspect, 0.1f, 1000.0f) *
                    glm::lookAt(eye, target, glm::vec3(0, 1, 0)),
                eye, glm::mat3(edge * aspect * right, edge * up, -away),
                0.5f * static_cast<float>(pixels_high) / edge};
    }
};

}  // namespace particles
