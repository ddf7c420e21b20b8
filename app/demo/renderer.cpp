// Draws scene graphs: lit bodies, a translucent ghost, trails, ground and soft shadow.
#include "renderer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <variant>

#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/gtc/matrix_transform.hpp>
#include <glm/gtc/quaternion.hpp>

#include "trail_ribbon.h"

namespace substep {

namespace {

const glm::vec3 kToLight = glm::normalize(glm::vec3{0.42f, 1.0f, 0.55f});

// The ghost is a shell around the simulated body, the twin hides inside it: nothing flickers while they coincide. In
// units of the camera's distance.
constexpr float kGhostInflation = 0.0045f;
constexpr float kTwinInflation = -0.0025f;

// Trails end at this distance from the camera's target, in units of the camera's distance.
constexpr float kTrailReach = 30.0f;
constexpr float kTrailHalfWidth = 0.0045f; // where new, in the same units

// Display encoding to linear light, as light.glsl undoes it.
glm::vec3 linear(const glm::vec3& display) { return display * display; }

// Grid spacing (m) of 1, 2 or 5 times a power of ten, about a seventh of the camera's distance.
float grid_cell(float distance) {
    const float wanted = distance / 7.0f;
    const float power = std::pow(10.0f, std::floor(std::log10(wanted)));
    for (const float step : {1.0f, 2.0f, 5.0f}) {
        if (step * power >= wanted) return step * power;
    }
    return 10.0f * power;
}

// Light seen as a camera: an orthographic box around the scene. With it, world to shadow map coordinates in [0, 1].
glm::mat4 light_projection(const Picture& picture) {
    const float r = picture.scene_radius;
    const glm::vec3 centre = picture.scene_centre;
    const glm::mat4 view = glm::lookAt(centre + kToLight * (3.0f * r), centre, glm::vec3{0.0f, 0.0f, -1.0f});
    return glm::ortho(-r, r, -r, r, 0.5f * r, 6.0f * r) * view;
}

// The rectangle of the window in which bodies are seen: around the spheres that hold them.
Viewport part_with_bodies(const Picture& picture, const glm::mat4& view_projection, const Viewport& viewport) {
    if (picture.sculpture != nullptr) return viewport;
    const glm::vec2 size(viewport.size);
    glm::vec2 low = size;
    glm::vec2 high{0.0f};
    for (const Layer& layer : picture.layers) {
        for (NodeIndex index = 0; index < layer.graph->nodes().size(); ++index) {
            const NodeAppearance* const appearance = layer.graph->visible(index);
            if (appearance == nullptr) continue;
            const glm::vec3 centre(layer.graph->world_pose(index).position);
            const glm::vec4 clip = view_projection * glm::vec4(centre, 1.0f);
            const glm::vec2 middle = (glm::vec2(clip) / clip.w * 0.5f + 0.5f) * size;
            // Beside or behind the eye a body may cover anything; what blew up may be anywhere.
            if (!(clip.w > 0.0f) || !std::isfinite(middle.x + middle.y)) return viewport;
            const float opening = 2.0f * std::tan(Camera::kOpening / 2.0f);
            const float radius = static_cast<float>(drawn_radius(appearance->shape)) * std::min(size.x, size.y);
            low = glm::min(low, middle - radius / (clip.w * opening) * 1.25f - 6.0f);
            high = glm::max(high, middle + radius / (clip.w * opening) * 1.25f + 6.0f);
        }
    }
    const glm::ivec2 from(glm::clamp(low, glm::vec2{0.0f}, size));
    const glm::ivec2 to(glm::clamp(high, glm::vec2{0.0f}, size));
    return {viewport.corner + from, glm::max(to - from, glm::ivec2{0})};
}

// The part of the ground on which the shadows of all bodies fall.
struct ShadowArea {
    glm::vec3 centre{0.0f};
    glm::vec2 half_sizes{0.0f}; // m, along x and z
};
ShadowArea shadow_area(const Picture& picture) {
    // Each body's sphere falls along the light as an ellipse, no longer than its radius over the light's steepness.
    glm::vec2 low{1e9f};
    glm::vec2 high{-1e9f};
    for (const Layer& layer : picture.layers) {
        if (layer.look == Look::Exact) continue;
        for (NodeIndex index = 0; index < layer.graph->nodes().size(); ++index) {
            const NodeAppearance* const appearance = layer.graph->visible(index);
            if (appearance == nullptr) continue;
            const glm::vec3 centre(layer.graph->world_pose(index).position);
            const glm::vec3 fallen = centre - kToLight * ((centre.y - picture.ground_height) / kToLight.y);
            if (!(glm::length(fallen - picture.scene_centre) < 100.0f * picture.scene_radius)) continue; // blew up
            const float softness = 0.05f * picture.scene_radius; // of the shadow's edge
            const float radius = static_cast<float>(drawn_radius(appearance->shape)) / kToLight.y + softness;
            low = glm::min(low, glm::vec2(fallen.x, fallen.z) - radius);
            high = glm::max(high, glm::vec2(fallen.x, fallen.z) + radius);
        }
    }
    if (picture.sculpture != nullptr) {
        const glm::vec3& centre = picture.scene_centre;
        const glm::vec3 fallen = centre - kToLight * ((centre.y - picture.ground_height) / kToLight.y);
        low = glm::vec2(fallen.x, fallen.z) - picture.scene_radius;
        high = glm::vec2(fallen.x, fallen.z) + picture.scene_radius;
    }
    if (low.x > high.x) return {};
    const glm::vec2 middle = 0.5f * (low + high);
    return {{middle.x, picture.ground_height, middle.y}, 0.5f * (high - low)};
}

std::optional<glm::vec3> own_colour(const Picture& picture, BodyId body) {
    const auto found = std::ranges::lower_bound(picture.body_colours, body, {}, &BodyColour::body);
    if (found == picture.body_colours.end() || found->body != body) return std::nullopt;
    return found->colour;
}

} // namespace

Renderer::Renderer(const RenderQuality& quality) {
    // Trails: a stream of vertices laid out once.
    glBindVertexArray(trail_array_);
    glBindBuffer(GL_ARRAY_BUFFER, trail_vertices_);
    float_attribute(0, 3, sizeof(TrailVertex), offsetof(TrailVertex, position));
    float_attribute(1, 3, sizeof(TrailVertex), offsetof(TrailVertex, along));
    float_attribute(2, 2, sizeof(TrailVertex), offsetof(TrailVertex, side_age));
    glBindVertexArray(0);
    set_quality(quality);
}

void Renderer::set_quality(const RenderQuality& quality) {
    quality_ = quality;
    GLint most_samples = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &most_samples);
    quality_.samples = std::min(quality_.samples, static_cast<int>(most_samples));
    size_ = glm::ivec2{0}; // the buffers are made again by the next picture
    shadowed_version_ = 0;

    // Shadow map: depth compared by the sampler, filtered between four texels.
    shadow_map_ = make_texture(GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT,
                               glm::ivec2{quality_.shadow_size}, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    shadow_frame_ = make_framebuffer();
    glBindFramebuffer(GL_FRAMEBUFFER, shadow_frame_);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, shadow_map_, 0);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
}

void Renderer::fit_buffers(glm::ivec2 size) {
    if (size == size_) return;
    size_ = size;
    frame_ = make_framebuffer();
    colour_ = make_texture(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, size, GL_LINEAR);
    depth_buffer_ = make_renderbuffer(GL_DEPTH_COMPONENT24, size, quality_.samples);
    glBindFramebuffer(GL_FRAMEBUFFER, frame_);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour_, 0);
    if (quality_.samples > 0) {
        multisampled_frame_ = make_framebuffer();
        multisampled_colour_ = make_renderbuffer(GL_RGBA8, size, quality_.samples);
        glBindFramebuffer(GL_FRAMEBUFFER, multisampled_frame_);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, multisampled_colour_);
    }
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth_buffer_);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        throw std::runtime_error("the graphics driver refused a framebuffer of " + std::to_string(size.x) + " x " +
                                 std::to_string(size.y) + " pixels");
    }
}

void Renderer::draw(const Picture& picture, const Viewport& viewport, GLuint target) {
    if (viewport.size.x <= 0 || viewport.size.y <= 0) return;
    fit_buffers(glm::max(glm::ivec2(glm::vec2(viewport.size) * quality_.scale + 0.5f), glm::ivec2{1}));
    const float aspect = static_cast<float>(viewport.size.x) / static_cast<float>(viewport.size.y);
    const glm::mat4 view_projection = picture.camera.projection(aspect) * picture.camera.view();
    const glm::mat4 light = light_projection(picture);
    const glm::mat4 to_unit =
        glm::translate(glm::mat4{1.0f}, glm::vec3{0.5f}) * glm::scale(glm::mat4{1.0f}, glm::vec3{0.5f});

    // State that the GUI's drawing may have left otherwise.
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_BLEND);
    glEnable(GL_CULL_FACE);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glDepthMask(GL_TRUE);
    draw_shadow_map(picture, light);

    // Straight into the target where a pixel of the picture is one of the window; otherwise by way of an own buffer.
    const bool direct = quality_.scale == 1.0f && quality_.samples == 0;
    const glm::ivec2 corner = direct ? viewport.corner : glm::ivec2{0};
    glBindFramebuffer(GL_FRAMEBUFFER, direct                 ? target
                                      : quality_.samples > 0 ? GLuint{multisampled_frame_}
                                                             : GLuint{frame_});
    glViewport(corner.x, corner.y, size_.x, size_.y);
    glClear(GL_DEPTH_BUFFER_BIT);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, shadow_map_);
    for (const GlProgram* program : {&solid_, &ghost_, &sculpture_, &ground_, &backdrop_}) {
        set_light(*program, picture, to_unit * light, view_projection);
        program->set("u_picture_corner", glm::vec2(corner));
    }

    // Bodies first: what they cover of ground and backdrop is then never shaded.
    draw_layers(picture, solid_, Look::Simulated, 0.0f);
    draw_layers(picture, solid_, Look::Twin, kTwinInflation * picture.camera.distance());
    draw_sculpture(picture);
    glBindVertexArray(no_vertices_);
    draw_ground(picture);
    backdrop_.use();
    glDrawArrays(GL_TRIANGLES, 0, 3);

    // What is translucent, over everything else.
    draw_trails(picture, view_projection);
    glEnable(GL_CULL_FACE);
    draw_ghost(picture, view_projection);

    // To the window. A magnified picture is soft already.
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    if (!direct) present(viewport, target);
    if (direct && quality_.smooth_edges) smooth(part_with_bodies(picture, view_projection, viewport), viewport);
    glBindVertexArray(0);
}

void Renderer::present(const Viewport& viewport, GLuint target) {
    if (quality_.samples > 0) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, multisampled_frame_);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, frame_);
        glBlitFramebuffer(0, 0, size_.x, size_.y, 0, 0, size_.x, size_.y, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    const glm::ivec2 from = viewport.corner;
    const glm::ivec2 to = viewport.corner + viewport.size;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, frame_);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, target);
    glBlitFramebuffer(0, 0, size_.x, size_.y, from.x, from.y, to.x, to.y, GL_COLOR_BUFFER_BIT,
                      size_ == viewport.size ? GL_NEAREST : GL_LINEAR);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
}

void Renderer::smooth(const Viewport& part, const Viewport& viewport) {
    // Ground and trails have smooth edges of their own, so only the part with bodies is worth it. It is copied to be
    // read from, with a little more around it.
    const glm::ivec2 low = glm::max(part.corner - 8, viewport.corner);
    const glm::ivec2 high = glm::min(part.corner + part.size + 8, viewport.corner + viewport.size);
    if (part.size.x <= 0 || part.size.y <= 0) return;
    glBindTexture(GL_TEXTURE_2D, colour_);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, low.x - viewport.corner.x, low.y - viewport.corner.y, low.x, low.y,
                        high.x - low.x, high.y - low.y);
    glEnable(GL_SCISSOR_TEST);
    glScissor(part.corner.x, part.corner.y, part.size.x, part.size.y);
    glBindVertexArray(no_vertices_);
    smooth_.use();
    smooth_.set("u_picture", 0);
    smooth_.set("u_texel", 1.0f / glm::vec2(size_));
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDisable(GL_SCISSOR_TEST);
}

void Renderer::draw_sculpture(const Picture& picture) {
    if (picture.sculpture == nullptr) return;
    // From cool to hot in the colours that stand for exact, simulated and twin elsewhere.
    sculpture_.use();
    sculpture_.set("u_clay", linear(picture.palette.structure));
    sculpture_.set("u_cool", linear(picture.palette.exact));
    sculpture_.set("u_warm", linear(picture.palette.simulated));
    sculpture_.set("u_hot", linear(picture.palette.twin));
    sculpture_.set("u_tint", picture.tint);
    picture.sculpture->draw(quality_.smooth_edges); // as where the processor draws
}

void Renderer::draw_ground(const Picture& picture) {
    const Camera& camera = picture.camera;
    if (camera.eye().y <= picture.ground_height) return;

    // The ground ends around the point below the camera's target. Shadows fall on a rectangle of it.
    const glm::vec3 below{camera.target().x, picture.ground_height, camera.target().z};
    const float reach = std::max(4.5f * camera.distance(), 4.0f * picture.scene_radius);
    const ShadowArea shadow = shadow_area(picture);
    ground_.use();
    ground_.set("u_centre", below);
    ground_.set("u_extent", 2.0f * reach);
    ground_.set("u_reach", reach);
    ground_.set("u_shadow_centre", shadow.centre);
    ground_.set("u_shadow_extent", shadow.half_sizes);
    ground_.set("u_cell", grid_cell(camera.distance()));
    ground_.set("u_ground_colour", linear(picture.palette.ground));
    ground_.set("u_grid_colour", linear(picture.palette.grid));
    ground_.set("u_shadow_depth", picture.palette.shadow_depth);
    glDisable(GL_CULL_FACE);
    ground_.set("u_frame", 0);
    ground_.set("u_shadow_radius", quality_.shadow_radius);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    ground_.set("u_frame", 1);
    ground_.set("u_shadow_radius", -1);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 10);
}

void Renderer::draw_shadow_map(const Picture& picture, const glm::mat4& light_view_projection) {
    // Clay at rest keeps its shadow: the light does not move.
    const unsigned version = picture.sculpture != nullptr && picture.layers.empty() ? picture.sculpture->version() : 0;
    if (version != 0 && version == shadowed_version_) return;
    shadowed_version_ = version;
    glBindFramebuffer(GL_FRAMEBUFFER, shadow_frame_);
    glViewport(0, 0, quality_.shadow_size, quality_.shadow_size);
    glClear(GL_DEPTH_BUFFER_BIT);
    const float twin_inflation = kTwinInflation * picture.camera.distance();
    depth_.use();
    depth_.set("u_view_projection", light_view_projection);
    // A slope-scaled offset keeps a surface from shadowing itself.
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(2.0f, 4.0f);
    draw_layers(picture, depth_, Look::Simulated, 0.0f);
    draw_layers(picture, depth_, Look::Twin, twin_inflation);
    if (picture.sculpture != nullptr) {
        sculpture_depth_.use();
        sculpture_depth_.set("u_view_projection", light_view_projection);
        picture.sculpture->draw(true);
    }
    glDisable(GL_POLYGON_OFFSET_FILL);
}

void Renderer::set_light(const GlProgram& program, const Picture& picture, const glm::mat4& shadow_matrix,
                         const glm::mat4& view_projection) const {
    const ScenePalette& palette = picture.palette;
    program.use();
    program.set("u_view_projection", view_projection);
    program.set("u_eye", picture.camera.eye());
    program.set("u_to_light", kToLight);
    program.set("u_key_colour", linear(palette.key_light));
    program.set("u_sky_colour", linear(palette.sky_light));
    program.set("u_bounce_colour", linear(palette.bounce_light));
    program.set("u_backdrop_top", linear(palette.backdrop_top));
    program.set("u_backdrop_low", linear(palette.backdrop_low));
    program.set("u_picture_size", glm::vec2(size_));
    program.set("u_shadow_matrix", shadow_matrix);
    program.set("u_shadow_map", 0);
    program.set("u_shadow_radius", quality_.shadow_radius);
    program.set("u_shadow_texel", 1.0f / static_cast<float>(quality_.shadow_size));
}

void Renderer::draw_layers(const Picture& picture, const GlProgram& program, Look look, float inflation) {
    program.use();
    for (const Layer& layer : picture.layers) {
        if (layer.look == look) draw_graph(*layer.graph, picture, program, look, inflation);
    }
    draw_springs(picture, program, look);
}

void Renderer::draw_springs(const Picture& picture, const GlProgram& program, Look look) {
    for (const SpringView& spring : picture.springs) {
        const glm::vec3 along = spring.to - spring.from;
        const float length = glm::length(along);
        if (spring.look != look || !(length > 1e-6f * picture.scene_radius)) continue;
        const glm::vec3 x = along / length;
        const glm::vec3 other = std::abs(x.y) < 0.9f ? glm::vec3{0.0f, 1.0f, 0.0f} : glm::vec3{1.0f, 0.0f, 0.0f};
        const glm::vec3 z = glm::normalize(glm::cross(x, other));
        const glm::vec3 middle = 0.5f * (spring.from + spring.to);
        program.set("u_model", glm::mat4{glm::vec4(x, 0.0f), glm::vec4(glm::cross(z, x), 0.0f), glm::vec4(z, 0.0f),
                                         glm::vec4(middle, 1.0f)});
        program.set("u_core", glm::vec3{0.5f * length, spring.radius, spring.radius});
        program.set("u_rounding", 0.18f * spring.radius);
        program.set("u_colour", linear(look == Look::Twin ? picture.palette.twin * 0.82f : picture.palette.structure));
        program.set("u_gloss", 0.6f);
        coil_.draw();
    }
}

void Renderer::draw_graph(const SceneGraph& graph, const Picture& picture, const GlProgram& program, Look look,
                          float inflation) {
    const ScenePalette& palette = picture.palette;
    const Camera& camera = picture.camera;
    using Role = NodeAppearance::Role;
    for (NodeIndex index = 0; index < graph.nodes().size(); ++index) {
        // What no body moves is the same in every layer: drawn once. So are planes, which follow what is prescribed.
        const NodeAppearance* const appearance = graph.visible(index);
        if (appearance == nullptr) continue;
        const BodyId body = graph.body_of(index);
        const bool same = body == kGround || std::holds_alternative<Plane>(appearance->shape);
        if (look != Look::Simulated && same) continue;

        const Pose pose = graph.world_pose(index);
        const SolidForm form = form_of(appearance->shape);
        const glm::mat4 place = glm::translate(glm::mat4{1.0f}, glm::vec3(pose.position)) *
                                glm::mat4_cast(glm::quat(pose.orientation)) * form.turn;
        glm::vec3 colour = appearance->role == Role::Bob       ? palette.simulated
                           : appearance->role == Role::Support ? palette.support
                                                               : palette.structure;
        if (look == Look::Simulated) colour = own_colour(picture, body).value_or(colour);
        if (look == Look::Exact) colour = palette.exact;
        if (look == Look::Twin) colour = appearance->role == Role::Bob ? palette.twin : palette.twin * 0.82f;
        program.set("u_model", place);
        program.set("u_core", form.core);
        program.set("u_rounding", std::max(0.4f * form.rounding, form.rounding + inflation));
        program.set("u_colour", linear(colour));
        program.set("u_gloss", appearance->role == Role::Bob ? 0.8f : 0.35f);
        // Thickness in pixels decides how many sides a round shape needs.
        const float opening =
            2.0f * std::tan(Camera::kOpening / 2.0f) * glm::length(camera.eye() - glm::vec3(pose.position));
        const float radius = std::max(form.core.x, form.core.z) + form.rounding;
        const bool is_small = radius / opening * static_cast<float>(std::min(size_.x, size_.y)) < 9.0f;
        if (form.mesh == SolidForm::Kind::Own) {
            own_meshes_.of(appearance->shape).draw();
        } else {
            (form.mesh == SolidForm::Kind::Box ? box_ : is_small ? small_round_ : round_).draw();
        }
    }
}

void Renderer::draw_ghost(const Picture& picture, const glm::mat4& view_projection) {
    // A shell slightly larger than the body, so that it glows around a simulated one that is where it should be.
    // Depth first: only the front surface is then blended, however many parts overlap.
    const float inflation = kGhostInflation * picture.camera.distance();
    depth_.use();
    depth_.set("u_view_projection", view_projection);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    draw_layers(picture, depth_, Look::Exact, inflation);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);

    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    ghost_.use();
    ghost_.set("u_density", 0.10f);
    draw_layers(picture, ghost_, Look::Exact, inflation);
    glDisable(GL_BLEND);
}

void Renderer::draw_trails(const Picture& picture, const glm::mat4& view_projection) {
    const float distance = picture.camera.distance();
    trail_.use();
    trail_.set("u_view_projection", view_projection);
    trail_.set("u_eye", picture.camera.eye());
    trail_.set("u_half_width", kTrailHalfWidth * distance);
    trail_.set("u_pixel", 2.0f * std::tan(Camera::kOpening / 2.0f) / static_cast<float>(std::min(size_.x, size_.y)));
    trail_.set("u_opacity", 0.6f);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    glBindVertexArray(trail_array_);
    glBindBuffer(GL_ARRAY_BUFFER, trail_vertices_);
    const TrailSight sight{picture.camera.eye(), picture.camera.target(), kTrailReach * distance,
                           kTrailHalfWidth * distance};
    std::vector<TrailVertex> vertices;
    for (const TrailView& trail : picture.trails) {
        make_trail_ribbon(trail.points, sight, vertices);
        if (vertices.empty()) continue;
        glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(vertices.size() * sizeof(TrailVertex)), vertices.data(),
                     GL_STREAM_DRAW);
        trail_.set("u_colour", trail.colour);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, static_cast<GLsizei>(vertices.size()));
    }
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
}

} // namespace substep
