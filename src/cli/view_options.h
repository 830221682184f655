/* view_options.h - the options that say from where a scene is seen: the same for a picture, for
 * rays made beforehand and for what is simulated. */
#ifndef CLI_VIEW_OPTIONS_H
#define CLI_VIEW_OPTIONS_H

#include "cli/options.h"
#include "rt/scene.h"

struct view_arguments {
    const char *camera, *eye, *target, *up, *fov;
};

/* clang-format off */
#define VIEW_ROWS(a)                                                                               \
    { 0, "camera", "NAME", "one of the scene's cameras (default: its first)",                      \
      OPTION_TEXT, &(a).camera },                                                                  \
    { 0, "eye", "X,Y,Z", "look from here instead; takes --target", OPTION_TEXT, &(a).eye },        \
    { 0, "target", "X,Y,Z", "look at this point", OPTION_TEXT, &(a).target },                      \
    { 0, "up", "X,Y,Z", "upwards (default: 0,1,0)", OPTION_TEXT, &(a).up },                        \
    { 0, "fov", "DEGREES", "vertical field of view (default: 60)", OPTION_TEXT, &(a).fov }
/* clang-format on */

/* Checks them; says what is wrong, in the name of a command. `view` is filled in if --eye was
 * given. */
bool view_arguments_read(const char *command, const struct view_arguments *arguments,
                         struct camera *view);

/* What was read, or the camera of that scene; NULL with a message if there is none such. */
const struct camera *view_choose(const struct view_arguments *arguments, const struct camera *view,
                                 const struct scene *scene, struct ogv_error *error);

#endif
