"""frames.py - what the benchmarks written in Python simulate, and with which program."""
import os

# Of Sponza, as in src/run/validate.c.
PUBLISHED_VIEW = ('--eye', '-900.6,150.8,120.74', '--target', '79.7,14,-17.4', '--fov', '90')
# Of San Miguel.
SAN_MIGUEL_VIEW = ('--eye', '7.448,1.014,12.357', '--target', '8.056,1.04,11.563', '--fov', '90')


def program_find():
    """The `ogive` of this build; benchmarks lie in a folder of it."""
    here = os.path.dirname(os.path.abspath(__file__))
    return os.path.normpath(os.path.join(here, '../src/cli/ogive'))


def scene_find(folder):
    """Sponza and its published view if the mesh is there, else the arcade."""
    for ending in ('', '.xz'):
        mesh = os.path.join(folder, 'sponza.ply' + ending)
        if os.access(mesh, os.R_OK):
            return ['--scene', mesh, *PUBLISHED_VIEW]
    return ['--scene', 'arcade']


def meshes_option(parser):
    """Where scene_find is to look."""
    parser.add_argument('--meshes', metavar='DIR', default=os.environ.get('OGIVE_MESHES', 'meshes'),
                        help='folder with Sponza, packed (.xz) or not (default: $OGIVE_MESHES, or '
                             'meshes)')


def scene_option(parser):
    """The same, or another scene."""
    chosen = parser.add_mutually_exclusive_group()
    meshes_option(chosen)
    chosen.add_argument('--scene', metavar='FILE',
                        help='trace this instead of Sponza or the arcade, from its first camera')


def scene_chosen(options):
    """What scene_option was given, as arguments of `ogive run`."""
    return ['--scene', options.scene] if options.scene else scene_find(options.meshes)
