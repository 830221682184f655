/* view_options.c - from --eye, --target, --up and --fov to a camera. */
#include "cli/view_options.h"

#include "cli/cli.h"
#include "cli/values.h"

static bool view_has_direction(const struct camera *view)
{
    float forward[3], length = 0;
    for (int i = 0; i < 3; i++)
        forward[i] = view->target[i] - view->eye[i];
    for (int i = 0; i < 3; i++) {
        float across = forward[(i + 1) % 3] * view->up[(i + 2) % 3] -
                       forward[(i + 2) % 3] * view->up[(i + 1) % 3];
        length += across * across;
    }
    return length > 0;
}

static bool eye_read(const char *command, const struct view_arguments *arguments,
                     struct camera *view)
{
    struct ogv_error error;
    *view = (struct camera){ .name = "command line", .up = { 0, 1, 0 }, .fov_degrees = 60 };
    if (!arguments->target) {
        say_error("%s: --eye needs --target as well", command);
        return false;
    }
    if (!vector_read("eye", arguments->eye, view->eye, &error) ||
        !vector_read("target", arguments->target, view->target, &error) ||
        (arguments->up && !vector_read("up", arguments->up, view->up, &error)) ||
        (arguments->fov && !number_read("fov", arguments->fov, &view->fov_degrees, &error)))
        return fail(&error) == EXIT_GOOD;
    if (!(view->fov_degrees > 0 && view->fov_degrees < 180)) {
        say_error("%s: --fov %s: degrees between 0 and 180", command, arguments->fov);
        return false;
    }
    bool directed = view_has_direction(view);
    if (!directed)
        say_error("%s: --eye, --target, --up: the view has no direction, or runs along `up`",
                  command);
    return directed;
}

bool view_arguments_read(const char *command, const struct view_arguments *arguments,
                         struct camera *view)
{
    if (arguments->eye && arguments->camera) {
        say_error("%s: --camera and --eye exclude each other", command);
        return false;
    }
    if (!arguments->eye && (arguments->target || arguments->up || arguments->fov)) {
        say_error("%s: --target, --up and --fov go with --eye", command);
        return false;
    }
    return !arguments->eye || eye_read(command, arguments, view);
}

const struct camera *view_choose(const struct view_arguments *arguments, const struct camera *view,
                                 const struct scene *scene, struct ogv_error *error)
{
    return arguments->eye ? view : scene_camera(scene, arguments->camera, error);
}
