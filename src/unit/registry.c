/* registry.c - see registry.h. Types are only ever added; their index is what the arena stores of
 * them.
 *
 * Loading a shared object runs whatever its author put into it, so only what ogv_library_allow was
 * told of is loaded, whoever asks. */
#include "unit/registry.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "ogive/isa.h"
#include "unit/roles.h"

#define UNIT(name) extern const struct unit_type unit_type_##name;
#include "unit/units.def"
#undef UNIT

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct unit_type *types[REGISTRY_MAX];
static const char *files[REGISTRY_MAX];
static tick_function ticks[REGISTRY_MAX];
static u32 count;
static bool started;   /* the types of the tree are there; quicker to ask than pthread_once */
static char **allowed; /* whole paths of libraries, and of folders of them */
static u32 allowed_count;

static void registry_put(const struct unit_type *type, const char *file)
{
    types[count] = type;
    files[count] = file;
    ticks[count] = type->tick;
    __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
}

static void registry_start(void)
{
#define UNIT(name) registry_put(&unit_type_##name, NULL);
#include "unit/units.def"
#undef UNIT
    __atomic_store_n(&started, true, __ATOMIC_RELEASE);
}

u32 registry_count(void)
{
    if (!__atomic_load_n(&started, __ATOMIC_ACQUIRE))
        pthread_once(&once, registry_start);
    return __atomic_load_n(&count, __ATOMIC_ACQUIRE);
}

u64 registry_harts(const struct unit *unit)
{
    const struct unit_type *type = registry_type(unit->type);
    return type && type->harts ? type->harts(unit) : 0;
}

const struct unit_type *registry_type(u32 index)
{
    return index < registry_count() ? types[index] : NULL;
}

const char *registry_file(u32 index)
{
    return index < registry_count() ? files[index] : NULL;
}

const tick_function *registry_ticks(void)
{
    registry_count();
    return ticks;
}

int registry_find(const char *name)
{
    u32 known = registry_count();
    for (u32 i = 0; i < known; i++)
        if (!strcmp(types[i]->name, name))
            return (int)i;
    return -1;
}

static bool energies_check(const struct unit_type *type, const char *file, struct ogv_error *error)
{
    u32 energies = 0;
    for (const struct energy_row *row = type->energy; row && row->name; row++, energies++)
        if (!type_has_stat(type, row->counter))
            return error_user(error, "%s: unit type '%s': energy '%s' is of '%s', no statistic",
                              file, type->name, row->name, row->counter);
    return energies <= UNIT_ENERGIES_MAX ||
           error_user(error, "%s: unit type '%s' has %u energies, at most %d are possible", file,
                      type->name, energies, UNIT_ENERGIES_MAX);
}

/* Whether a type of a loaded library may join: 1 yes, 0 it is here already, -1 no. */
static int registry_admit(const struct unit_type *type, const char *file, struct ogv_error *error)
{
    if (!type || !type->name || !type->tick || !type->params || !type->stats || !type->ratios ||
        !type->ports) {
        error_user(error, "%s: a unit type in it lacks a name, a list or a tick function", file);
        return -1;
    }
    u32 ports = 0;
    while (type->ports[ports].name)
        ports++;
    if (ports > UNIT_PORTS_MAX) {
        error_user(error, "%s: unit type '%s' has %u ports, at most %d are possible", file,
                   type->name, ports, UNIT_PORTS_MAX);
        return -1;
    }
    if (!energies_check(type, file, error) || !roles_check(type, file, error))
        return -1;
    int known = registry_find(type->name);
    if (known >= 0 && types[known] == type)
        return 0;
    if (known >= 0) {
        error_user(error, "%s: its unit type '%s' has the name of one that exists already", file,
                   type->name);
        return -1;
    }
    if (count == REGISTRY_MAX) {
        error_user(error, "%s: more than %d unit types", file, REGISTRY_MAX);
        return -1;
    }
    return 1;
}

static bool registry_join(const struct unit_library *library, const char *file,
                          struct ogv_error *error)
{
    for (u32 i = 0; i < library->count; i++) {
        int admitted = registry_admit(library->types[i], file, error);
        if (admitted < 0)
            return false;
        if (admitted)
            registry_put(library->types[i], heap_copy(file));
    }
    return true;
}

static bool isa_custom_known(const struct isa *isa, const struct isa_custom *row)
{
    for (u32 i = 0; i < isa_custom_count(isa); i++) {
        const struct isa_custom *known = isa_custom_at(isa, i);
        if (!strcmp(known->name, row->name) && known->space == row->space &&
            known->funct3 == row->funct3 && known->funct7 == row->funct7 &&
            known->execute == row->execute)
            return true;
    }
    return false;
}

/* Adds the instructions that a library brings; one that is here already is the library's own. */
static bool registry_join_customs(const struct custom_library *library, const char *file,
                                  struct ogv_error *error)
{
    struct isa *isa = isa_shared();
    for (u32 i = 0; library && i < library->count; i++) {
        struct ogv_error why;
        if (isa_custom_known(isa, &library->rows[i]))
            continue;
        if (!isa_add(isa, &library->rows[i], &why))
            return error_user(error, "%s: %s", file, why.message);
    }
    return true;
}

/* ---- What may be loaded ---- */

bool ogv_library_allow(const char *file_or_folder, struct ogv_error *error)
{
    char *path = realpath(file_or_folder, NULL);
    if (!path)
        return error_user(error, "cannot allow the library '%s': %s", file_or_folder,
                          strerror(errno));
    pthread_mutex_lock(&lock);
    allowed = heap_append(allowed, allowed_count, sizeof *allowed);
    allowed[allowed_count++] = path;
    pthread_mutex_unlock(&lock);
    return true;
}

/* Whether a path is the other one, or below it. */
static bool path_within(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return !strncmp(path, folder, length) &&
           (!path[length] || path[length] == '/' || folder[length - 1] == '/');
}

static bool library_allowed(const char *path)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (u32 i = 0; i < allowed_count && !found; i++)
        found = path_within(path, allowed[i]);
    pthread_mutex_unlock(&lock);
    return found;
}

/* ---- Loading ---- */

static bool registry_open(const char *file, struct ogv_error *error)
{
    registry_count();
    if (file_exists(file) && !file_is_plain(file)) /* a pipe would be waited for */
        return error_user(error, "%s: is not a plain file", file);
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return error_user(error, "cannot load unit types: %s", dlerror());
    const struct unit_library *library = dlsym(handle, "ogive_unit_library");
    if (!library)
        return error_user(error,
                          "%s: holds no unit types (it should end with OGIVE_UNITS(...), see "
                          "ogive/unit.h)",
                          file);
    if (library->abi != OGIVE_UNIT_ABI)
        return error_user(error,
                          "%s: was compiled for unit interface %u, this is %u; compile it again",
                          file, library->abi, OGIVE_UNIT_ABI);
    pthread_mutex_lock(&lock);
    bool joined = registry_join(library, file, error) &&
                  registry_join_customs(dlsym(handle, "ogive_custom_library"), file, error);
    pthread_mutex_unlock(&lock);
    return joined;
}

char *registry_load(const char *file, struct ogv_error *error)
{
    char *path = realpath(file, NULL);
    bool loaded = false;
    if (!path)
        error_user(error, "cannot load unit types: %s: %s", file, strerror(errno));
    else if (!library_allowed(path))
        error_user(error,
                   "%s is native code, which is loaded only if you say so: if you trust it, add "
                   "--load %s (from C: ogv_library_allow), or its folder to OGIVE_UNIT_PATH",
                   path, path);
    else
        loaded = registry_open(path, error);
    if (loaded)
        return path;
    free(path);
    return NULL;
}

void registry_use(void)
{
    pthread_mutex_lock(&lock);
    isa_use(isa_shared());
    pthread_mutex_unlock(&lock);
}

void registry_unuse(void)
{
    pthread_mutex_lock(&lock);
    isa_unuse(isa_shared());
    pthread_mutex_unlock(&lock);
}
