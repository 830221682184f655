/* file.c - reading and writing of files in whole and in pieces.
 *
 * A file is written beside its place and moved there when it is complete; a device or pipe is
 * written directly, as moving would replace it. */
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

static const char *kind_name(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

/* Without O_NONBLOCK, opening a pipe waits for somebody to write to it. */
int file_open_descriptor(const char *path, struct ogv_error *error)
{
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0 || fstat(descriptor, &status)) {
        error_user(error, "%s: cannot open: %s", path, strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        error_user(error, "%s: is %s, not a plain file", path, kind_name(status.st_mode));
    } else {
        return descriptor;
    }
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

FILE *file_open(const char *path, struct ogv_error *error)
{
    int descriptor = file_open_descriptor(path, error);
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    if (descriptor >= 0 && !stream) {
        error_system(error, "%s: cannot open: %s", path, strerror(errno));
        close(descriptor);
    }
    return stream;
}

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
    FILE *stream = file_open(path, error);
    if (!stream)
        return NULL;
    char *bytes = stream_read(stream, path, limit, length, error);
    fclose(stream);
    return bytes;
}

/* ---- Pieces of what is open ---- */

bool descriptor_read(int descriptor, void *to, u64 length)
{
    char *bytes = to;
    while (length > 0) {
        ssize_t got = read(descriptor, bytes, length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        bytes += got;
        length -= (u64)got;
    }
    return true;
}

bool descriptor_write(int descriptor, const void *from, u64 length)
{
    const char *bytes = from;
    while (length > 0) {
        ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes += written;
        length -= (u64)written;
    }
    return true;
}

/* ---- Writing ---- */

static bool write_failed(const char *path, int reason, struct ogv_error *error)
{
    return error_system(error, "%s: cannot write: %s", path, strerror(reason));
}

/* Whether there is something that must not be replaced by a plain file. */
static bool is_special(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

bool draft_open(struct draft *draft, const char *path, struct ogv_error *error)
{
    const int flags = O_CREAT | O_TRUNC | O_CLOEXEC;
    *draft = (struct draft){ .path = path };
    if (is_special(path)) {
        draft->descriptor = open(path, O_WRONLY | O_NOCTTY | flags, 0666);
    } else {
        draft->beside = text_format("%s.new", path);
        draft->descriptor = open(draft->beside, O_RDWR | flags, 0666);
    }
    if (draft->descriptor >= 0)
        return true;
    write_failed(path, errno, error);
    free(draft->beside);
    return false;
}

bool draft_add(struct draft *draft, const void *bytes, size_t length, struct ogv_error *error)
{
    return descriptor_write(draft->descriptor, bytes, length) ||
           write_failed(draft->path, errno, error);
}

bool draft_finish(struct draft *draft, bool good, struct ogv_error *error)
{
    if (close(draft->descriptor) && good)
        good = write_failed(draft->path, errno, error);
    if (good && draft->beside && rename(draft->beside, draft->path))
        good = write_failed(draft->path, errno, error);
    if (!good && draft->beside)
        unlink(draft->beside);
    free(draft->beside);
    return good;
}

bool file_write(const char *path, const void *bytes, size_t length, struct ogv_error *error)
{
    struct draft draft;
    return draft_open(&draft, path, error) &&
           draft_finish(&draft, draft_add(&draft, bytes, length, error), error);
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

bool journal_open(struct journal *journal, char *path, bool fresh, struct ogv_error *error)
{
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (fresh ? O_TRUNC : 0);
    *journal = (struct journal){ path, open(path, flags, 0666) };
    if (journal->descriptor >= 0)
        return true;
    write_failed(path, errno, error);
    free(path);
    *journal = (struct journal){ 0 };
    return false;
}

void journal_reserve(struct journal *journal, u64 bytes)
{
    if (fallocate(journal->descriptor, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes))
        return; /* not every file system can */
}

bool journal_add(struct journal *journal, const void *bytes, size_t length, struct ogv_error *error)
{
    off_t end = lseek(journal->descriptor, 0, SEEK_END);
    if (end >= 0 && descriptor_write(journal->descriptor, bytes, length))
        return true;
    int reason = errno;
    if (end >= 0 && ftruncate(journal->descriptor, end))
        reason = errno;
    return write_failed(journal->path, reason, error);
}

bool journal_close(struct journal *journal, struct ogv_error *error)
{
    bool good =
        !journal->path || !close(journal->descriptor) || write_failed(journal->path, errno, error);
    free(journal->path);
    *journal = (struct journal){ 0 };
    return good;
}

bool file_patch(const char *path, u64 offset, const void *bytes, size_t length,
                struct ogv_error *error)
{
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    bool good = descriptor >= 0 && lseek(descriptor, (off_t)offset, SEEK_SET) >= 0 &&
                descriptor_write(descriptor, bytes, length);
    int reason = errno;
    if (descriptor >= 0 && close(descriptor) && good) {
        good = false;
        reason = errno;
    }
    return good || write_failed(path, reason, error);
}

const char *stream_loss(FILE *stream)
{
    if (fflush(stream))
        return strerror(errno);
    return ferror(stream) ? "an earlier part was lost" : NULL;
}

bool file_close(FILE *stream, const char *path, struct ogv_error *error)
{
    const char *loss = stream_loss(stream);
    if (fclose(stream) && !loss)
        loss = strerror(errno);
    return !loss || error_system(error, "%s: cannot write: %s", path, loss);
}

/* ---- What there is ---- */

bool descriptor_is(int descriptor, const char *path)
{
    struct stat open, there;
    return fstat(descriptor, &open) == 0 && stat(path, &there) == 0 &&
           open.st_dev == there.st_dev && open.st_ino == there.st_ino;
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

bool folder_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
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
