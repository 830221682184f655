/* camera.h - where the rays of a camera go. */
#ifndef RT_CAMERA_H
#define RT_CAMERA_H

#include "rt/scene.h"

/* The ray through a point of the picture, x to the right and y upwards, each from -1 to 1, goes
 * from the eye along forward + x right + y up, not of length 1. */
struct camera_frame {
    float eye[3];
    double forward[3], right[3], up[3];
};

/* For a picture of that many pixels. Fails with what is wrong with the camera. */
bool camera_frame(const struct camera *camera, u32 width, u32 height, struct camera_frame *frame,
                  struct ogv_error *error);

#endif
