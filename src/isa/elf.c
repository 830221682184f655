/* elf.c - see elf.h. libelf reads the headers and the symbol table; whether they can be true is
 * checked here. */
#include "isa/elf.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#define ELF_FILE_MAX (4 * GiB)
#define ELF_NAME_MAX 4096 /* longer symbol names are left out */

/* What is known while a file is read. */
struct reader {
    const char *name;
    struct elf_image *image;
    Elf *elf;
    struct ogv_error *error;
};

/* ---- Headers ---- */

static bool header_check(const struct reader *reader, const GElf_Ehdr *header)
{
    const char *name = reader->name;
    struct ogv_error *error = reader->error;
    if (header->e_machine != EM_RISCV)
        return error_user(error, "%s: built for another processor (machine %u), not for RISC-V",
                          name, header->e_machine);
    if (gelf_getclass(reader->elf) != ELFCLASS64)
        return error_user(error, "%s: a 32-bit program; build it with -march=rv64gc", name);
    if (header->e_ident[EI_DATA] != ELFDATA2LSB)
        return error_user(error, "%s: a big-endian program", name);
    if (header->e_flags & EF_RISCV_RVE)
        return error_user(error, "%s: built for RV64E; build it with -march=rv64gc", name);
    if (header->e_type == ET_DYN)
        return error_user(error, "%s: dynamically linked; link it with -static", name);
    if (header->e_type == ET_REL)
        return error_user(error, "%s: an object file; link it into a program first", name);
    if (header->e_type != ET_EXEC)
        return error_user(error, "%s: not an executable (type %u)", name, header->e_type);
    return true;
}

static bool segment_check(const struct reader *reader, size_t index, const GElf_Phdr *header)
{
    const char *name = reader->name;
    struct ogv_error *error = reader->error;
    u64 size = reader->image->size_bytes;
    if (header->p_offset > size || header->p_filesz > size - header->p_offset)
        return error_user(error, "%s: segment %zu lies outside the file: it is cut short", name,
                          index);
    if (header->p_filesz > header->p_memsz)
        return error_user(error, "%s: segment %zu has more bytes in the file than in memory", name,
                          index);
    if (header->p_vaddr + header->p_memsz < header->p_vaddr)
        return error_user(error, "%s: segment %zu runs over the end of the address space", name,
                          index);
    return true;
}

static void segment_add(struct elf_image *image, const GElf_Phdr *header)
{
    image->segments = heap_append(image->segments, image->segment_count, sizeof *image->segments);
    image->segments[image->segment_count++] = (struct elf_segment){
        .address = header->p_vaddr,
        .size_bytes = header->p_memsz,
        .bytes = image->bytes + header->p_offset,
        .file_bytes = header->p_filesz,
        .writable = header->p_flags & PF_W,
        .executable = header->p_flags & PF_X,
    };
}

static bool segments_read(const struct reader *reader)
{
    size_t count;
    if (elf_getphdrnum(reader->elf, &count) != 0)
        return error_user(reader->error, "%s: its program headers cannot be read: %s", reader->name,
                          elf_errmsg(-1));
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(reader->elf, (int)i, &header))
            return error_user(reader->error, "%s: program header %zu cannot be read: %s",
                              reader->name, i, elf_errmsg(-1));
        if (header.p_type == PT_INTERP || header.p_type == PT_DYNAMIC)
            return error_user(reader->error, "%s: dynamically linked; link it with -static",
                              reader->name);
        if (header.p_type != PT_LOAD || header.p_memsz == 0)
            continue;
        if (!segment_check(reader, i, &header))
            return false;
        segment_add(reader->image, &header);
    }
    if (!reader->image->segment_count)
        return error_user(reader->error, "%s: has nothing to load", reader->name);
    return true;
}

/* ---- What segments must be to each other ---- */

static int segment_compare(const void *a, const void *b)
{
    const struct elf_segment *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static bool segments_check(const struct reader *reader)
{
    struct elf_image *image = reader->image;
    qsort(image->segments, image->segment_count, sizeof *image->segments, segment_compare);
    for (u32 i = 1; i < image->segment_count; i++) {
        const struct elf_segment *below = &image->segments[i - 1], *above = &image->segments[i];
        if (above->address - below->address < below->size_bytes)
            return error_user(reader->error, "%s: segments at 0x%llx and 0x%llx overlap",
                              reader->name, (unsigned long long)below->address,
                              (unsigned long long)above->address);
    }
    return true;
}

static bool entry_check(const struct reader *reader)
{
    const struct elf_image *image = reader->image;
    for (u32 i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segments[i];
        if (segment->executable && image->entry - segment->address < segment->file_bytes &&
            image->entry % 2 == 0)
            return true;
    }
    return error_user(reader->error,
                      "%s: has no entry: 0x%llx is not the address of an instruction; does the "
                      "program define _start?",
                      reader->name, (unsigned long long)image->entry);
}

/* ---- Symbols: a comfort, so a broken table is left out rather than refused ---- */

static void symbol_add(struct elf_image *image, const GElf_Sym *symbol, const char *name)
{
    if (GELF_ST_TYPE(symbol->st_info) != STT_FUNC || !name || !*name)
        return;
    if (strnlen(name, ELF_NAME_MAX) == ELF_NAME_MAX)
        return;
    image->symbols[image->symbol_count++] = (struct elf_symbol){
        .address = symbol->st_value,
        .size_bytes = symbol->st_size,
        .name = heap_copy(name),
    };
}

static void symbols_read_section(struct reader *reader, Elf_Scn *section, const GElf_Shdr *header)
{
    struct elf_image *image = reader->image;
    Elf_Data *data = elf_getdata(section, NULL);
    u64 size = image->size_bytes;
    if (!data || !data->d_buf || data->d_size > size || header->sh_entsize != sizeof(Elf64_Sym))
        return;
    size_t count = data->d_size / sizeof(Elf64_Sym);
    image->symbols = heap_grow(image->symbols, image->symbol_count + count, sizeof *image->symbols);
    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol))
            symbol_add(image, &symbol, elf_strptr(reader->elf, header->sh_link, symbol.st_name));
    }
}

static int symbol_compare(const void *a, const void *b)
{
    const struct elf_symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void symbols_read(struct reader *reader)
{
    struct elf_image *image = reader->image;
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(reader->elf, section))) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB) {
            symbols_read_section(reader, section, &header);
            break;
        }
    }
    if (image->symbol_count)
        qsort(image->symbols, image->symbol_count, sizeof *image->symbols, symbol_compare);
}

/* ---- The whole file ---- */

static bool image_read(struct reader *reader)
{
    GElf_Ehdr header;
    if (elf_kind(reader->elf) != ELF_K_ELF || !gelf_getehdr(reader->elf, &header))
        return error_user(reader->error, "%s: not an ELF file", reader->name);
    if (!header_check(reader, &header) || !segments_read(reader) || !segments_check(reader))
        return false;
    reader->image->entry = header.e_entry;
    if (!entry_check(reader))
        return false;
    symbols_read(reader);
    return true;
}

/* Takes over image->bytes. */
static bool image_load(const char *name, struct elf_image *image, struct ogv_error *error)
{
    struct reader reader = { name, image, NULL, error };
    elf_version(EV_CURRENT);
    reader.elf = elf_memory((char *)image->bytes, image->size_bytes);
    bool loaded = reader.elf ? image_read(&reader)
                             : error_user(error, "%s: not an ELF file: %s", name, elf_errmsg(-1));
    elf_end(reader.elf);
    if (!loaded)
        elf_fini(image);
    return loaded;
}

bool elf_load_memory(const char *name, const u8 *bytes, u64 size, struct elf_image *image,
                     struct ogv_error *error)
{
    *image = (struct elf_image){ .bytes = heap_array(size, 1), .size_bytes = size };
    if (size)
        memcpy(image->bytes, bytes, size);
    return image_load(name, image, error);
}

bool elf_load(const char *path, struct elf_image *image, struct ogv_error *error)
{
    size_t size;
    char *bytes = file_read(path, ELF_FILE_MAX, &size, error);
    if (!bytes)
        return false;
    *image = (struct elf_image){ .bytes = (u8 *)bytes, .size_bytes = size };
    return image_load(path, image, error);
}

void elf_fini(struct elf_image *image)
{
    for (u32 i = 0; i < image->symbol_count; i++)
        free((char *)image->symbols[i].name);
    free(image->symbols);
    free(image->segments);
    free(image->bytes);
    *image = (struct elf_image){ 0 };
}

void elf_extent(const struct elf_image *image, u64 *low, u64 *high)
{
    const struct elf_segment *last = &image->segments[image->segment_count - 1];
    *low = image->segments[0].address;
    *high = last->address + last->size_bytes;
}

const struct elf_symbol *elf_symbol_at(const struct elf_image *image, u64 address)
{
    u32 low = 0, high = image->symbol_count;
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        if (image->symbols[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    const struct elf_symbol *symbol = &image->symbols[low - 1];
    bool inside = address - symbol->address < symbol->size_bytes || !symbol->size_bytes;
    return inside ? symbol : NULL;
}
