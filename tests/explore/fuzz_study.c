/* fuzz_study.c - any bytes as a study file: read and expanded, or refused. */
#include "explore/study.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct ogv_error error;
    struct point_list points;
    struct study *study = study_parse("study.yaml", (const char *)bytes, length, &error);
    if (study)
        study_expand(study, &points, &error);
    study_destroy(study);
    return 0;
}
