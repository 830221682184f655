/* main.c - the program `ogive`: a table of commands. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/shipped.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/crash.h"
#include "rt/importer.h"

static const struct command commands[] = {
    { "run", "ARCH [options] [-- program arguments]",
      "Simulate an architecture and keep what it did in a folder.",
      "ARCH is an architecture file or the name of a shipped one (see `ogive archs`).\n"
      "Examples:\n"
      "  ogive run exchange\n"
      "  ogive run exchange --set node.source.messages=5000 --threads 2 --out results/more\n"
      "  ogive run tiny --program mandelbrot -- 64 64\n"
      "  ogive run rtx2080\n"
      "  ogive run rtx2080 --scene my.ply --program occlusion --samples 8\n"
      "  ogive run rtx2080 --scene my.ply --rays secondary\n"
      "An architecture with RT cores draws the scene `arcade` by path tracing unless told "
      "otherwise;\n"
      "with --rays it traces rays that were made beforehand and compares the hits with Embree's.\n"
      "  ogive run --resume results/more/checkpoint.ogv\n"
      "  ogive run rtx2080 --live         (a page that shows and steers the run)\n"
      "SIGUSR1 prints how far it is and writes stats.json as of now; Ctrl-C keeps the results.\n"
      "Exit code: 0 done, 2 wrong input, 3 deadlock, 4 the program failed,\n"
      "130 interrupted (results are kept).\n",
      command_run },
    { "check", "FILE...", "Check architecture files and say what they describe.", NULL,
      command_check },
    { "export", "FILE", "Print an architecture with every default written out.",
      "What is printed can be loaded again and means the same.\n", command_export },
    { "graph", "FILE -o chip.svg", "Draw an architecture.",
      "Writes Graphviz source for .dot, a picture for .svg, .png or .pdf.\n", command_graph },
    { "archs", "", "List the shipped architectures.", NULL, command_archs },
    { "units", "[NAME]", "The reference manual of unit types: parameters, ports, statistics.", NULL,
      command_units },
    { "energy", "ARCH | DIR",
      "Show the area and leakage of a machine's units, and the energy of a run.",
      "ARCH is an architecture: area, leakage and, with --events, the energy of every event with\n"
      "its source, as published for 65 nm and scaled to the machine's `technology:`. DIR is the\n"
      "folder of a run: what its counters make of that. What is not known is named, and sums that\n"
      "lack it are called `at least`. Every number can be set: see docs/energy.md.\n"
      "Examples:\n"
      "  ogive energy rtx2080\n"
      "  ogive energy rtx2080 --set technology.node=7nm --set sm.l1.energy_access=20pJ\n"
      "  ogive energy results/tiny --events\n",
      command_energy },
    { "dram", "replay TRACE --config NAME | list | show STANDARD PRESET",
      "Try the DRAM model by itself: replay a trace of requests, list and show memories.",
      "replay  plays the requests of a file to a memory and prints what came of them\n"
      "list    names all configurations, and the standards that they are made from\n"
      "show    prints a memory's organisation, timings and constraints in cycles\n"
      "\n"
      "A trace has one request per line, cycle, R or W, and address in hex; it may be .gz:\n"
      "  # K=4         up to 4 requests per cycle (1 without this line)\n"
      "  # W=64        at most 64 reads under way (any number without this line)\n"
      "  0 R 25cdbe00\n"
      "  3 W 16e5140\n"
      "Examples:\n"
      "  ogive dram list\n"
      "  ogive dram replay my.trace --config gddr6_14000\n"
      "  ogive dram replay my.trace.gz --config gddr6_14000 --json --commands my.commands\n"
      "  ogive dram show gddr6 14000\n"
      "A line of --commands is cycle, channel, command, its coordinates from the rank down, and\n"
      "the request (from 0; -1: maintenance). A line of --requests belongs to a request: cycles\n"
      "since the one before was accepted, from there to its data (a write: to its WR, -1 if\n"
      "merged), and for reads from there to the return.\n",
      command_dram },
    { "bvh", "SCENE [options] | --formats",
      "Build the acceleration structure of a scene: its numbers, treelets, a picture of its cost.",
      "SCENE is the name of a shipped scene, a scene file or a mesh file. What is built is kept\n"
      "in the cache folder ($XDG_CACHE_HOME/ogive or ~/.cache/ogive; OGIVE_CACHE=off: nowhere)\n"
      "and found there the next time.\n"
      "Examples:\n"
      "  ogive bvh arcade\n"
      "  ogive bvh arcade --format cwbvh8 --primitives tristrip128 --builder sah\n"
      "  ogive bvh arcade --treelets 32KiB --json arcade.json\n"
      "  ogive bvh arcade --picture heat.png --size 640x360\n"
      "  ogive bvh --formats\n",
      command_bvh },
    { "rays", "SCENE -o FILE [options] | info FILE",
      "Make the rays of a picture from a scene, or look into a file of them.",
      "SCENE is the name of a shipped scene, a scene file or a mesh file. There is one ray per\n"
      "pixel; where the picture needs none, an empty one (t_max < t_min):\n"
      "  primary    from the camera through the pixel\n"
      "  secondary  from what the primary ray hits, sampled by the cosine with the normal\n"
      "  tertiary   the same once more\n"
      "  shadow     from what the primary ray hits to a light\n"
      "  occlusion  like secondary, but short\n"
      "The same scene, camera and seed give the same file on any number of threads.\n"
      "Examples:\n"
      "  ogive rays sponza.ply --eye -900.6,150.8,120.74 --target 79.7,14,-17.4 --fov 90 -o "
      "p.rays\n"
      "  ogive rays sponza.ply --kind secondary --size 512x512 --seed 7 -o s.rays\n"
      "  ogive rays info s.rays\n",
      command_rays },
    { "scenes", "", "List the shipped scenes.", NULL, command_scenes },
    { "scene", "info SCENE | render SCENE -o picture.png",
      "Look at a scene: what is in it, and a picture of it.",
      "info    prints triangles, vertices, bounds, cameras, materials, memory\n"
      "render  draws it by path tracing on this machine's processors\n"
      "\n"
      "SCENE is the name of a shipped scene (see `ogive scenes`), a scene file (.yaml), or a "
      "mesh:\n"
      "PLY, OBJ, glTF, FBX, STL and others, also packed (.xz).\n"
      "Examples:\n"
      "  ogive scene info arcade\n"
      "  ogive scene render arcade -o arcade.png\n"
      "  ogive scene render forest --triangles 500000 --seed 7 --camera within -o forest.png\n"
      "  ogive scene render my.obj --size 640x360 --samples 64 -o my.png\n",
      command_scene },
    { "world", "SCENE -o FILE [options]",
      "Put a scene into a file as programs find it in memory, for native builds of them.",
      "A program that draws a scene does the same on this machine, with threads, if the\n"
      "environment has OGIVE_WORLD=FILE: the same hits, the same picture, bit for bit.\n"
      "It must be built for the formats of nodes and primitives that the file has.\n"
      "Example:\n"
      "  ogive world cornell --size 64x64 -o cornell.world\n"
      "  ogive programs build pathtrace --native -o pathtrace-native\n"
      "  OGIVE_WORLD=cornell.world OGIVE_IMAGE=image.ppm ./pathtrace-native\n",
      command_world },
    { "programs", "[build FILE --native -o OUT]", "List the shipped programs, or build one.",
      "Without --native, the program is built for the simulated cores.\n", command_programs },
    { "disasm", "ELF", "Print the text of a program as instructions.", NULL, command_disasm },
    { "validate", "[MACHINE] [--meshes DIR]",
      "Compare a simulated machine with what was measured on the real one.",
      "Traces the published rays of each published scene and prints, per figure, the real "
      "machine,\n"
      "the other simulator of the publication, and Ogive. The meshes are not part of Ogive.\n",
      command_validate },
    { "profile", "DIR | ARCH --program NAME|--scene NAME [-- program arguments]",
      "Show where a program spent the cycles of its threads.",
      "DIR is the folder of a run that was made with --profile. With --program or --scene, the\n"
      "run is made first. Every thread-cycle is charged to a call path, an instruction and a "
      "reason:\n"
      "  issued        an instruction issued\n"
      "  passed        ready, but another thread of the core issued\n"
      "  busy          the unit that should execute its instruction had no room\n"
      "  fetch, fence  waited for its instruction; for its own memory accesses\n"
      "  hazard_CLASS  waited for the result of such an instruction\n"
      "Call paths are exact: calls and returns are followed while the program runs. Inlined\n"
      "functions are told apart by the program's debug information.\n"
      "Examples:\n"
      "  ogive profile tiny --program mandelbrot --out results/m -- 32 32\n"
      "  ogive profile results/m --source\n"
      "  ogive profile results/m --by hazard_load,busy --disassembly\n"
      "  ogive profile results/m --by energy           (of cores; docs/energy.md)\n"
      "  ogive profile results/m -o callgrind.out      (kcachegrind callgrind.out)\n"
      "  ogive profile results/m --folded | flamegraph.pl > flames.svg\n",
      command_profile },
    { "stats", "DIR [PATTERN...]", "Show statistics of a run: of any units, over any cycles.",
      "A pattern is DOMAIN.UNIT.STATISTIC; * and ? stand for letters, [3], [0..7] and [*] for\n"
      "copies, and a name without brackets for all of them. Units are combined as their type says\n"
      "(`ogive units NAME`): counters as a sum, ratios as the quotient of the sums.\n"
      "Intervals of single units need a run with --series all.\n"
      "Examples:\n"
      "  ogive stats results/tiny\n"
      "  ogive stats results/tiny 'chip.core[0..1].issued' --each\n"
      "  ogive stats results/big 'sm.l1.hit_rate' --group sm --format csv\n"
      "  ogive stats results/big 'sm[*].l1.*' --per-interval --cycles 100000:250000\n",
      command_stats },
    { "report", "DIR [DIR...] [-o report.html]",
      "Make a page that shows what a run did and what limited it.",
      "The page needs nothing else: no network, no files beside it. Several runs are laid over\n"
      "each other. DIR/bottleneck.json has the same numbers for scripts. `ogive run` makes the\n"
      "page of its own run by itself.\n"
      "Examples:\n"
      "  ogive report results/exchange\n"
      "  ogive report results/exchange results/exchange-2 -o both.html\n",
      command_report },
    { "plot", "DIR [DIR...] --series A,B -o fig.svg", "Draw statistics over time.",
      "The names are those of the first line of DIR/series.csv; brackets may be left out.\n"
      "Example:\n"
      "  ogive plot results/rtx2080 --series sm.l1.hit_rate,partition.l2.hit_rate -o rates.svg\n",
      command_plot },
    { "compare", "DIR DIR...", "Show what differs between runs.",
      "Changes are against the first run. As a check in a script:\n"
      "  ogive compare before after --stats cycles,'sm.l1.misses' --fail-above 2%\n"
      "Exit code: 0, or 1 if one of these moved by more than that.\n",
      command_compare },
};

#define COMMANDS (sizeof commands / sizeof *commands)

void say_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("ogive: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

int fail(const struct ogv_error *error)
{
    static const int codes[] = { EXIT_SYSTEM, EXIT_USER, EXIT_SYSTEM, EXIT_HANG };
    say_error("%s", error->message);
    return codes[error->kind];
}

void list_add_text(struct text_list *list, const char *text)
{
    list->items = heap_grow(list->items, list->count + 1, sizeof *list->items);
    list->items[list->count++] = text;
}

void list_fini(struct text_list *list)
{
    free(list->items);
    *list = (struct text_list){ 0 };
}

bool rest_one(const struct command *command, const struct text_list *rest, const char *what)
{
    if (rest->count == 1)
        return true;
    say_error("%s: %s %s; usage: ogive %s %s", command->name,
              rest->count ? "takes exactly one" : "needs", what, command->name, command->usage);
    return false;
}

/* What scripts and makefiles need to know of where things lie. */
static const struct place {
    const char *option, *folder, *help;
} places[] = {
    { "--include-dir", "include", "Print the folder of the headers, for a compiler's -I." },
    { "--programs-dir", "programs",
      "Print the folder of the programs; `runtime` in it starts them." },
};

#define PLACES (sizeof places / sizeof *places)

static int main_place(const struct place *place)
{
    char *folder = shipped_find(place->folder);
    if (folder)
        puts(folder);
    else
        say_error("the folder `%s` is not next to the program, nor in OGIVE_HOME", place->folder);
    int code = folder ? EXIT_GOOD : EXIT_SYSTEM;
    free(folder);
    return code;
}

static void main_help(void)
{
    printf("ogive %s - a cycle-level simulator for massively parallel ray-tracing hardware\n\n"
           "Usage: ogive COMMAND [arguments]\n\nCommands:\n",
           OGV_VERSION);
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-10s %s\n", commands[i].name, commands[i].summary);
    printf("  %-10s %s\n\nOptions:\n", "version", "Print the version.");
    for (size_t i = 0; i < PLACES; i++)
        printf("  %-14s %s\n", places[i].option, places[i].help);
    printf("\nTry: ogive run exchange\n`ogive COMMAND --help` explains a command.\n");
}

static int main_unknown(const char *typed)
{
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, typed);
    for (size_t i = 0; i < COMMANDS; i++)
        nearest_offer(&nearest, commands[i].name);
    for (size_t i = 0; i < PLACES; i++)
        nearest_offer(&nearest, places[i].option);
    say_error("there is no command '%s'%s (ogive help lists them)", typed,
              nearest_hint(&nearest, hint, sizeof hint));
    return EXIT_USER;
}

/* A scene's file is imported by this program in another process. That is not for users. */
static bool main_is_importer(int argc, char **argv)
{
    return argc == 5 && !strcmp(argv[1], IMPORTER_COMMAND);
}

static int main_import(char **argv)
{
    bool keep_instances = !strcmp(argv[3], "instances");
    return importer_answer(argv[2], keep_instances, atoi(argv[4])) ? EXIT_GOOD : EXIT_SYSTEM;
}

static int main_command(int argc, char **argv)
{
    if (main_is_importer(argc, argv))
        return main_import(argv);
    importer_set_program("/proc/self/exe");
    crash_watch();
    if (argc < 2) {
        main_help();
        return EXIT_USER;
    }
    const char *name = argv[1];
    bool help = !strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h");
    if (help && argc == 2) {
        main_help();
        return EXIT_GOOD;
    }
    if (!strcmp(name, "version") || !strcmp(name, "--version")) {
        printf("ogive %s\n", OGV_VERSION);
        return EXIT_GOOD;
    }
    for (size_t i = 0; i < PLACES; i++)
        if (!strcmp(name, places[i].option))
            return main_place(&places[i]);
    char *explain[] = { argv[argc - 1], "--help", NULL };
    for (size_t i = 0; i < COMMANDS; i++) {
        if (help && !strcmp(commands[i].name, argv[2]))
            return commands[i].function(&commands[i], 2, explain);
        if (!strcmp(commands[i].name, name))
            return commands[i].function(&commands[i], argc - 1, argv + 1);
    }
    return main_unknown(help ? argv[2] : name);
}

/* What was printed has arrived, or the exit code says that it has not. */
static int main_flush(int code)
{
    const char *loss = stream_loss(stdout);
    if (!loss)
        return code;
    say_error("standard output: cannot write: %s", loss);
    return code == EXIT_GOOD ? EXIT_SYSTEM : code;
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error like a full disk */
    return main_flush(main_command(argc, argv));
}
