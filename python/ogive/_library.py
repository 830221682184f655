"""_library.py - libogive as ctypes sees it: where it is, its structs and functions, its errors.

STRUCTS and FUNCTIONS are ogive/ogive.h line by line; a test compares them with the header.
"""
import ctypes
import os
import shutil
from ctypes import POINTER, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_size_t, c_uint8
from ctypes import c_uint32, c_uint64, c_void_p

FOREVER = 2**64 - 1
NOTHING = 2**32 - 1  # OGV_NO_BOUNCES, OGV_NO_TRIANGLE


# ---- Errors ----

class Error(Exception):
    """What libogive says is wrong, in its own words."""


class UserError(Error, ValueError):
    """The input is wrong; the message says where, and what would be right."""


class HostError(Error, OSError):
    """This machine has no memory, no disk, or no permission."""


class HangError(Error, RuntimeError):
    """The simulated chip hangs: a deadlock, or no progress."""


KINDS = {1: UserError, 2: HostError, 3: HangError}


class CError(ctypes.Structure):
    _fields_ = [('kind', c_int), ('message', c_char * 4096)]


# ---- Structs ----

class View(ctypes.Structure):
    _fields_ = [('eye', c_float * 3), ('target', c_float * 3), ('up', c_float * 3),
                ('fov_degrees', c_float)]


class Ray(ctypes.Structure):
    _fields_ = [('origin', c_float * 3), ('t_min', c_float), ('direction', c_float * 3),
                ('t_max', c_float)]


class Workload(ctypes.Structure):
    _fields_ = [('program', c_char_p), ('arguments', POINTER(c_char_p)),
                ('argument_count', c_uint32), ('scene', c_char_p), ('triangles', c_uint64),
                ('camera', c_char_p), ('view', POINTER(View)), ('rays', c_char_p),
                ('width', c_uint32), ('height', c_uint32), ('samples', c_uint32),
                ('bounces', c_uint32), ('seed', c_uint64), ('builder', c_char_p),
                ('nodes', c_char_p), ('primitives', c_char_p), ('software', c_bool),
                ('heatmap', c_bool), ('own_rays', POINTER(Ray)), ('own_ray_count', c_uint64)]


class Image(ctypes.Structure):
    _fields_ = [('pixels', POINTER(c_uint8)), ('width', c_uint32), ('height', c_uint32)]


class Judgement(ctypes.Structure):
    _fields_ = [('rays', c_uint64), ('equal', c_uint64), ('ties', c_uint64), ('edges', c_uint64),
                ('wrong', c_uint64), ('first', c_char * 160)]


class Hit(ctypes.Structure):
    _fields_ = [('t', c_float), ('u', c_float), ('v', c_float), ('triangle', c_uint32)]


class Hits(ctypes.Structure):
    _fields_ = [('hits', POINTER(Hit)), ('count', c_uint64)]


class Parameter(ctypes.Structure):
    _fields_ = [('path', c_char_p), ('value', c_char_p), ('help', c_char_p)]


class Stat(ctypes.Structure):
    _fields_ = [('path', c_char_p), ('value', c_double), ('measure', c_char_p), ('help', c_char_p)]


class Query(ctypes.Structure):
    _fields_ = [('patterns', POINTER(c_char_p)), ('pattern_count', c_uint32), ('combine', c_int),
                ('group', c_char_p), ('per_interval', c_bool), ('from', c_uint64),
                ('to', c_uint64)]


class Row(ctypes.Structure):
    _fields_ = [('name', c_char_p), ('measure', c_char_p), ('help', c_char_p),
                ('words', c_char_p), ('units', c_uint32), ('values', POINTER(c_double))]


class Answer(ctypes.Structure):
    _fields_ = [('rows', POINTER(Row)), ('row_count', c_uint32), ('interval_count', c_uint32),
                ('start', c_uint64), ('ends', POINTER(c_uint64))]


STRUCTS = {'ogv_error': CError, 'ogv_view': View, 'ogv_ray': Ray, 'ogv_workload': Workload,
           'ogv_image': Image, 'ogv_judgement': Judgement, 'ogv_hit': Hit, 'ogv_hits': Hits,
           'ogv_parameter': Parameter, 'ogv_stat': Stat, 'ogv_query': Query, 'ogv_row': Row,
           'ogv_answer': Answer}


# ---- Functions ----

LIST_VISIT = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_char_p)
PARAMETER_VISIT = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Parameter))
STAT_VISIT = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Stat))
ERROR = POINTER(CError)

# Name: what it returns, what it takes. c_void_p returned is a handle, or a text to be freed.
FUNCTIONS = {
    'ogv_library_allow': (c_bool, c_char_p, ERROR),
    'ogv_memory_allow': (None, c_uint64),
    'ogv_arch_list': (None, LIST_VISIT, c_void_p),
    'ogv_program_list': (None, LIST_VISIT, c_void_p),
    'ogv_scene_list': (None, LIST_VISIT, c_void_p),
    'ogv_arch_load': (c_void_p, c_char_p, ERROR),
    'ogv_arch_create': (c_void_p, c_char_p, ERROR),
    'ogv_arch_copy': (c_void_p, c_void_p),
    'ogv_arch_destroy': (None, c_void_p),
    'ogv_arch_add_domain': (c_bool, c_void_p, c_char_p, c_uint32, ERROR),
    'ogv_arch_add_unit': (c_bool, c_void_p, c_char_p, c_char_p, c_char_p, c_uint32, ERROR),
    'ogv_arch_add_link': (c_bool, c_void_p, c_char_p, c_char_p, c_char_p, ERROR),
    'ogv_arch_set': (c_bool, c_void_p, c_char_p, c_char_p, ERROR),
    'ogv_arch_check': (c_bool, c_void_p, ERROR),
    'ogv_arch_parameter': (c_void_p, c_void_p, c_char_p, ERROR),
    'ogv_arch_parameters': (c_bool, c_void_p, PARAMETER_VISIT, c_void_p, ERROR),
    'ogv_arch_export': (c_void_p, c_void_p, ERROR),
    'ogv_system_create': (c_void_p, c_void_p, ERROR),
    'ogv_system_destroy': (None, c_void_p),
    'ogv_system_set_threads': (None, c_void_p, c_uint32),
    'ogv_system_parameter': (c_void_p, c_void_p, c_char_p, ERROR),
    'ogv_system_load': (c_bool, c_void_p, POINTER(Workload), ERROR),
    'ogv_system_run': (c_int, c_void_p, c_uint64, ERROR),
    'ogv_system_step': (c_int, c_void_p, c_uint64, ERROR),
    'ogv_system_cycle': (c_uint64, c_void_p),
    'ogv_system_console': (c_void_p, c_void_p, POINTER(c_size_t)),
    'ogv_system_exit_code': (c_bool, c_void_p, POINTER(c_uint64)),
    'ogv_system_fault': (c_void_p, c_void_p),
    'ogv_system_read': (c_bool, c_void_p, c_uint64, c_void_p, c_uint64, ERROR),
    'ogv_system_write': (c_bool, c_void_p, c_uint64, c_void_p, c_uint64, ERROR),
    'ogv_system_image': (c_bool, c_void_p, POINTER(Image), ERROR),
    'ogv_system_save_image': (c_bool, c_void_p, c_char_p, ERROR),
    'ogv_system_save_heatmap': (c_bool, c_void_p, c_char_p, ERROR),
    'ogv_system_judge': (c_bool, c_void_p, POINTER(Judgement), ERROR),
    'ogv_system_hits': (c_bool, c_void_p, POINTER(Hits), ERROR),
    'ogv_system_stat': (c_bool, c_void_p, c_char_p, POINTER(c_double), ERROR),
    'ogv_system_stats': (None, c_void_p, c_int, STAT_VISIT, c_void_p),
    'ogv_system_digest': (None, c_void_p, c_char * 33),
    'ogv_system_checkpoint': (c_bool, c_void_p, c_char_p, ERROR),
    'ogv_system_resume': (c_void_p, c_char_p, ERROR),
    'ogv_result_open': (c_void_p, c_char_p, ERROR),
    'ogv_result_close': (None, c_void_p),
    'ogv_result_record': (c_void_p, c_void_p),
    'ogv_result_parameter': (c_void_p, c_void_p, c_char_p, ERROR),
    'ogv_result_stat': (c_bool, c_void_p, c_char_p, POINTER(c_double), ERROR),
    'ogv_result_ask': (POINTER(Answer), c_void_p, POINTER(Query), ERROR),
    'ogv_answer_free': (None, POINTER(Answer)),
}


def places():
    """Where the library may be: $OGIVE_LIBRARY alone, or as installed, or where the program of a
    source tree was built that is in the PATH, or in `build`."""
    if os.environ.get('OGIVE_LIBRARY'):
        return [os.environ['OGIVE_LIBRARY']]
    here = os.path.dirname(os.path.realpath(__file__))
    try:  # written for an installation
        from ._places import LIBRARIES
        folders = [os.path.join(here, LIBRARIES)]
    except ImportError:
        folders = [os.path.join(here, '..', '..', 'build', 'src')]
        program = shutil.which('ogive')
        if program:
            folders.insert(0, os.path.join(os.path.dirname(os.path.realpath(program)), '..'))
    return [os.path.normpath(os.path.join(folder, 'libogive.so')) for folder in folders]


def load():
    """The library, with all its functions declared."""
    found = [place for place in places() if os.path.exists(place)]
    if not found:
        raise ImportError(f'libogive is not at {", ".join(places())}; build it with `./run build`, '
                          'or name it in the variable OGIVE_LIBRARY')
    loaded = ctypes.CDLL(found[0])
    for name, (result, *arguments) in FUNCTIONS.items():
        function = getattr(loaded, name, None)
        if function is None:
            raise ImportError(f'{found[0]} has no {name}: it is of another version than this '
                              'package')
        function.restype, function.argtypes = result, arguments
    return loaded


libogive = load()
free = ctypes.CDLL(None).free
free.restype, free.argtypes = None, [c_void_p]


# ---- Calls ----

def call(name, *arguments):
    """Calls a function that takes an error last; raises that if it returns nothing or false."""
    error = CError()
    result = getattr(libogive, name)(*arguments, ctypes.byref(error))
    if not result:
        raise failure(error)
    return result


def failure(error):
    """The exception that an error is."""
    return KINDS.get(error.kind, Error)(error.message.decode('utf-8', 'replace'))


def text(chars):
    """A str for C."""
    if chars is None:
        return None
    encoded = os.fsencode(chars)
    if b'\0' in encoded:
        raise UserError(f'{chars!r}: has a zero in it')
    return encoded


def words(chars):
    """A str from C, whose bytes may be anything."""
    return None if chars is None else chars.decode('utf-8', 'replace')


def texts(strings):
    """An array of them, and how many."""
    strings = [strings] if isinstance(strings, str) else list(strings)
    return (c_char_p * len(strings))(*map(text, strings)), len(strings)


def take(address, length=None):
    """The str at an address, which is freed; None for NULL."""
    if not address:
        return None
    try:
        return words(ctypes.string_at(address) if length is None
                     else ctypes.string_at(address, length))
    finally:
        free(address)


def shipped(function):
    """What a function of lists visits: files by name."""
    found = {}

    @LIST_VISIT
    def visit(_, name, file):
        found[words(name)] = words(file)
    getattr(libogive, function)(visit, None)
    return found


class Handle:
    """Something of the library's that is closed once: by close(), `with`, or when nobody has it."""
    _destroy = None  # the function that does it

    def __init__(self, handle):
        self._open = handle

    @property
    def _handle(self):
        if not self._open:
            raise UserError(f'this {type(self).__name__} is closed')
        return self._open

    def close(self):
        """Frees what it holds; it can be used no more."""
        handle, self._open = getattr(self, '_open', None), None
        if handle:
            getattr(libogive, self._destroy)(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()
