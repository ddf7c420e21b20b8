// An OpenGL context and a picture to draw into, without a display.
#include "headless_egl.h"

#include <stdexcept>
#include <string>

#include <EGL/egl.h>
#include <EGL/eglext.h>

namespace substep {

namespace {

// Ends a half-made context with one sentence.
[[noreturn]] void fail(EGLDisplay display, const std::string& what) {
    if (display != EGL_NO_DISPLAY) eglTerminate(display);
    throw std::runtime_error("no headless picture: " + what + " (Mesa's software renderer is in libgl1-mesa-dri)");
}

} // namespace

struct HeadlessContext::Target {
    GlFramebuffer frame = make_framebuffer();
    GlTexture colour;
    GlRenderbuffer depth;
};

HeadlessContext::HeadlessContext(glm::ivec2 size) : size_(size) {
    // The surfaceless platform needs neither a display server nor a graphics card.
    const auto get_platform_display =
        reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
    EGLDisplay display = EGL_NO_DISPLAY;
    if (get_platform_display != nullptr) {
        display = get_platform_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    }
    if (display == EGL_NO_DISPLAY) fail(display, "EGL has no surfaceless platform here");
    if (!eglInitialize(display, nullptr, nullptr)) fail(display, "EGL does not start");
    if (!eglBindAPI(EGL_OPENGL_API)) fail(display, "EGL offers no desktop OpenGL");

    const EGLint config_attributes[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT,
                                        EGL_NONE};
    EGLConfig config = nullptr;
    EGLint configs = 0;
    eglChooseConfig(display, config_attributes, &config, 1, &configs);
    const EGLint context_attributes[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    EGLContext context = eglCreateContext(display, configs > 0 ? config : nullptr, EGL_NO_CONTEXT, context_attributes);
    if (context == EGL_NO_CONTEXT) fail(display, "EGL offers no OpenGL 3.3 core context");
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        eglDestroyContext(display, context);
        fail(display, "EGL cannot draw without a surface");
    }
    if (gladLoadGL(reinterpret_cast<GLADloadfunc>(eglGetProcAddress)) == 0) {
        eglDestroyContext(display, context);
        fail(display, "the functions of OpenGL 3.3 could not be loaded");
    }
    display_ = display;
    context_ = context;

    // In place of the window: a texture and a depth buffer to draw into.
    target_ = new Target;
    target_->colour = make_texture(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, size, GL_NEAREST);
    target_->depth = make_renderbuffer(GL_DEPTH_COMPONENT24, size, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, target_->frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target_->colour, 0);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, target_->depth);
}

HeadlessContext::~HeadlessContext() {
    delete target_;
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display_, context_);
    eglTerminate(display_);
}

GLuint HeadlessContext::framebuffer() const noexcept { return target_->frame; }

} // namespace substep
