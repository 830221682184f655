/* file.c - see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

static char *stream_read(FILE *stream, const char *path, size_t limit, size_t *length,
                         struct ogv_error *error)
{
    struct text bytes = { 0 };
    char chunk[16384];
    size_t got;
    while ((got = fread(chunk, 1, sizeof chunk, stream)) > 0) {
        text_add_bytes(&bytes, chunk, got);
        if (bytes.length > limit) {
            text_fini(&bytes);
            error_user(error, "%s: is larger than %zu bytes", path, limit);
            return NULL;
        }
    }
    if (ferror(stream)) {
        text_fini(&bytes);
        error_user(error, "%s: cannot read: %s", path, strerror(errno));
        return NULL;
    }
    text_add_bytes(&bytes, "", 0);
    *length = bytes.length;
    return bytes.chars;
}

char *file_read(const char *path, size_t limit, size_t *length, struct ogv_error *error)
{
    FILE *stream = fopen(path, "rbe");
    if (!stream) {
        error_user(error, "%s: cannot open: %s", path, strerror(errno));
        return NULL;
    }
    char *bytes = stream_read(stream, path, limit, length, error);
    fclose(stream);
    return bytes;
}

static bool descriptor_write(int descriptor, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

bool file_write(const char *path, const void *bytes, size_t length, struct ogv_error *error)
{
    char *beside = text_format("%s.new", path);
    int descriptor = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool written = descriptor >= 0 && descriptor_write(descriptor, bytes, length);
    int reason = errno;
    if (descriptor >= 0 && close(descriptor) && written) {
        written = false;
        reason = errno;
    }
    if (written && rename(beside, path)) {
        written = false;
        reason = errno;
    }
    if (!written) {
        unlink(beside);
        error_system(error, "%s: cannot write: %s", path, strerror(reason));
    }
    free(beside);
    return written;
}

char *file_create_temporary(struct ogv_error *error)
{
    const char *folder = getenv("TMPDIR");
    char *path = text_format("%s/ogive-XXXXXX", folder && *folder ? folder : "/tmp");
    int descriptor = mkostemp(path, O_CLOEXEC);
    if (descriptor >= 0) {
        close(descriptor);
        return path;
    }
    error_system(error, "%s: cannot create: %s", path, strerror(errno));
    free(path);
    return NULL;
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool file_is_plain(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool file_size(const char *path, u64 *bytes)
{
    struct stat status;
    if (stat(path, &status) || !S_ISREG(status.st_mode))
        return false;
    *bytes = (u64)status.st_size;
    return true;
}

bool folder_create(const char *path, struct ogv_error *error)
{
    char *part = heap_copy(path);
    for (char *slash = part + 1; *slash; slash++) {
        if (*slash != '/')
            continue;
        *slash = 0;
        mkdir(part, 0777);
        *slash = '/';
    }
    free(part);
    struct stat status;
    if (mkdir(path, 0777) == 0 || (stat(path, &status) == 0 && S_ISDIR(status.st_mode)))
        return true;
    return error_user(error, "%s: cannot create this folder: %s", path, strerror(errno));
}
