// Draws scene graphs: lit bodies, a translucent ghost, trails, ground and soft shadow.
#pragma once

#include <span>
#include <vector>

#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

#include "camera.h"
#include "gl_objects.h"
#include "mesh.h"
#include "own_mesh.h"
#include "scene_palette.h"
#include "sculpture.h"
#include "substep/scenes/scene_graph.h"

namespace substep {

/// What the picture costs.
struct RenderQuality {
    float scale = 1.0f;        ///< rendered pixels per pixel of the window, along each side
    int samples = 0;           ///< multisampling; 0: none
    bool smooth_edges = false; ///< blur along edges instead, where the scale is 1
    int shadow_size = 1024;    ///< pixels; with the radius it gives the width of a shadow's edge
    int shadow_radius = 4;     ///< taps on each side of the middle one

    static RenderQuality hardware() { return {.samples = 4, .shadow_size = 1024, .shadow_radius = 4}; }
    static RenderQuality software() { return {.smooth_edges = true, .shadow_size = 512, .shadow_radius = 1}; }
    /// For pictures that are kept, where time does not count: every pixel is the mean of four.
    static RenderQuality picture() { return {.scale = 2.0f, .shadow_size = 1024, .shadow_radius = 5}; }
};

/// How a scene graph is shown.
enum class Look { Simulated, Exact, Twin };

struct Layer {
    const SceneGraph* graph = nullptr;
    Look look = Look::Simulated;
};

/// A colour of its own for what a body moves, in display encoding.
struct BodyColour {
    BodyId body;
    glm::vec3 colour;
};

/// Path of a point, oldest first, m.
struct TrailView {
    std::span<const glm::vec3> points;
    glm::vec3 colour; ///< display encoding
};

/// A coil between two points, m.
struct SpringView {
    glm::vec3 from;
    glm::vec3 to;
    float radius; ///< of the coil
    Look look = Look::Simulated;
};

/// Everything that one picture shows.
struct Picture {
    Camera camera;
    ScenePalette palette;
    std::vector<Layer> layers;
    std::vector<SpringView> springs;
    std::vector<TrailView> trails;
    std::vector<BodyColour> body_colours; ///< of simulated bodies, in order of their handles; others look as they are
    const Sculpture* sculpture = nullptr;
    float tint = 1.0f;          ///< of the sculpture, by its heat; 0: clay alone
    float ground_height = 0.0f; ///< m
    float scene_radius = 1.0f;  ///< m: what lies within it of the camera's first target casts shadows
    glm::vec3 scene_centre{0.0f};
};

/// A rectangle of the window in pixels, origin at the lower left.
struct Viewport {
    glm::ivec2 corner{0};
    glm::ivec2 size{0};
};

class Renderer {
public:
    /// Needs a current OpenGL 3.3 core context, also when it is destroyed. Throws std::runtime_error.
    explicit Renderer(const RenderQuality& quality);

    const RenderQuality& quality() const noexcept { return quality_; }
    void set_quality(const RenderQuality& quality);

    /// Draws into the viewport of the framebuffer `target`, which has a depth buffer, and leaves that bound. Clears
    /// its depth, not its colours.
    void draw(const Picture& picture, const Viewport& viewport, GLuint target);

private:
    void fit_buffers(glm::ivec2 size);
    void draw_shadow_map(const Picture& picture, const glm::mat4& light_view_projection);
    void draw_layers(const Picture& picture, const GlProgram& program, Look look, float inflation);
    void draw_graph(const SceneGraph& graph, const Picture& picture, const GlProgram& program, Look look,
                    float inflation);
    void draw_springs(const Picture& picture, const GlProgram& program, Look look);
    void draw_sculpture(const Picture& picture);
    void draw_ground(const Picture& picture);
    void draw_ghost(const Picture& picture, const glm::mat4& view_projection);
    void draw_trails(const Picture& picture, const glm::mat4& view_projection);
    void present(const Viewport& viewport, GLuint target);
    void smooth(const Viewport& part, const Viewport& viewport);
    void set_light(const GlProgram& program, const Picture& picture, const glm::mat4& shadow_matrix,
                   const glm::mat4& view_projection) const;

    RenderQuality quality_;
    Mesh box_ = make_box_mesh();
    Mesh round_ = make_round_mesh(40, 10);
    Mesh small_round_ = make_round_mesh(14, 3); // for what is small in the picture
    OwnMeshes own_meshes_;
    Mesh coil_ = make_coil_mesh();
    GlProgram solid_{"solid.vert", {"light.glsl", "solid.frag"}};
    GlProgram ghost_{"solid.vert", {"light.glsl", "ghost.frag"}};
    GlProgram depth_{"solid.vert", {"depth.frag"}};
    GlProgram sculpture_{"sculpture.vert", {"light.glsl", "sculpture.frag"}};
    GlProgram sculpture_depth_{"sculpture.vert", {"depth.frag"}};
    GlProgram ground_{"ground.vert", {"light.glsl", "ground.frag"}};
    GlProgram backdrop_{"fullscreen.vert", {"light.glsl", "backdrop.frag"}};
    GlProgram trail_{"trail.vert", {"trail.frag"}};
    GlProgram smooth_{"fullscreen.vert", {"smooth.frag"}};

    glm::ivec2 size_{0}; // rendered pixels
    GlFramebuffer shadow_frame_;
    GlTexture shadow_map_;
    unsigned shadowed_version_ = 0;    // of the sculpture that the shadow map shows alone; 0: it shows something else
    GlFramebuffer multisampled_frame_; // only where quality_.samples > 0
    GlRenderbuffer multisampled_colour_;
    GlFramebuffer frame_;
    GlTexture colour_;
    GlRenderbuffer depth_buffer_;
    GlVertexArray no_vertices_ = make_vertex_array();
    GlVertexArray trail_array_ = make_vertex_array();
    GlBuffer trail_vertices_ = make_buffer();
};

} // namespace substep
