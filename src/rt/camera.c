/* camera.c - checks a camera and makes the frame of its picture: where it looks, and what is
 * right and up there. */
#include "rt/camera.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "rt/vector.h"

static bool vector_is_finite(const float v[3])
{
    return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

static bool camera_check(const struct camera *camera, struct ogv_error *error)
{
    if (!vector_is_finite(camera->eye) || !vector_is_finite(camera->target) ||
        !vector_is_finite(camera->up))
        return error_user(error, "camera '%s': eye, target and up must be finite", camera->name);
    if (!(camera->fov_degrees > 0 && camera->fov_degrees < 180))
        return error_user(error,
                          "camera '%s': the field of view is %g degrees, but must lie between 0 "
                          "and 180",
                          camera->name, (double)camera->fov_degrees);
    return true;
}

bool camera_frame(const struct camera *camera, u32 width, u32 height, struct camera_frame *frame,
                  struct ogv_error *error)
{
    double sine, cosine, up[3];
    if (!camera_check(camera, error))
        return false;
    memcpy(frame->eye, camera->eye, sizeof frame->eye);
    between(camera->eye, camera->target, frame->forward);
    for (u32 k = 0; k < 3; k++)
        up[k] = (double)camera->up[k];
    if (!normalise(frame->forward))
        return error_user(error, "camera '%s': eye and target are the same point", camera->name);
    if (!normalise(up))
        return error_user(error, "camera '%s': up is zero", camera->name);
    cross(frame->forward, up, frame->right);
    if (!(dot(frame->right, frame->right) > 1e-12) || !normalise(frame->right))
        return error_user(error, "camera '%s': up must not point along the line of sight",
                          camera->name);
    cross(frame->right, frame->forward, frame->up);
    sine_cosine((double)camera->fov_degrees / 720, &sine, &cosine);
    for (u32 k = 0; k < 3; k++) {
        frame->up[k] *= sine / cosine;
        frame->right[k] *= sine / cosine * width / height;
    }
    return true;
}
