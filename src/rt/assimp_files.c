/* assimp_files.c - see assimp_files.h. Streams of the C library behind Assimp's table of functions.
 */
#include "rt/assimp_files.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"

static FILE *stream_of(const struct aiFile *file)
{
    return (FILE *)(void *)file->UserData;
}

static size_t stream_read(struct aiFile *file, char *to, size_t size, size_t count)
{
    return fread(to, size, count, stream_of(file));
}

static size_t stream_write(struct aiFile *file, const char *from, size_t size, size_t count)
{
    (void)file;
    (void)from;
    (void)size;
    (void)count;
    return 0; /* an import writes nothing */
}

static size_t stream_tell(struct aiFile *file)
{
    return (size_t)ftello(stream_of(file));
}

static size_t stream_size(struct aiFile *file)
{
    struct stat status;
    return fstat(fileno(stream_of(file)), &status) ? 0 : (size_t)status.st_size;
}

static enum aiReturn stream_seek(struct aiFile *file, size_t offset, enum aiOrigin origin)
{
    int whence = origin == aiOrigin_SET ? SEEK_SET : origin == aiOrigin_CUR ? SEEK_CUR : SEEK_END;
    return fseeko(stream_of(file), (off_t)offset, whence) ? aiReturn_FAILURE : aiReturn_SUCCESS;
}

static void stream_flush(struct aiFile *file)
{
    (void)file;
}

/* What is not there is Assimp's to judge: some of it a scene can do without. */
static struct aiFile *files_open(struct aiFileIO *io, const char *path, const char *mode)
{
    struct assimp_files *files = (struct assimp_files *)(void *)io->UserData;
    struct ogv_error why;
    (void)mode;
    FILE *stream = file_open(path, &why);
    if (!stream && file_exists(path) && !file_is_plain(path) && !files->refused.kind)
        files->refused = why;
    if (!stream)
        return NULL;
    struct aiFile *file = heap_array(1, sizeof *file);
    *file = (struct aiFile){ .ReadProc = stream_read,
                             .WriteProc = stream_write,
                             .TellProc = stream_tell,
                             .FileSizeProc = stream_size,
                             .SeekProc = stream_seek,
                             .FlushProc = stream_flush,
                             .UserData = (char *)stream };
    return file;
}

static void files_close(struct aiFileIO *io, struct aiFile *file)
{
    (void)io;
    fclose(stream_of(file));
    free(file);
}

void assimp_files_init(struct assimp_files *files)
{
    *files = (struct assimp_files){ .io = { files_open, files_close, (char *)files } };
}
