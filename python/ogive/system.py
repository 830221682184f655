"""system.py - a chip that was built: work for it, cycles, and everything that it did."""
import collections
import ctypes
import math
import time

from . import _library
from ._library import call, libogive, text, words
from .table import Table, number

PAUSE = 0.1  # seconds of simulation between looks at Ctrl-C and at progress

Judgement = collections.namedtuple('Judgement', 'rays equal ties edges wrong first')
Hit = collections.namedtuple('Hit', 't u v triangle')


def programs():
    """The shipped programs: files by name."""
    return _library.shipped('ogv_program_list')


def scenes():
    """The shipped scenes: files by name."""
    return _library.shipped('ogv_scene_list')


def allow_memory(bytes):
    """How much memory of this machine the state of one system may take; 0: what there is."""
    libogive.ogv_memory_allow(bytes)


class System(_library.Handle):
    """A chip of a Machine, at cycle 0."""
    _destroy = 'ogv_system_destroy'

    def __init__(self, machine, threads=0):
        super().__init__(call('ogv_system_create', machine._handle))
        self._settle(threads)

    def _settle(self, threads):
        self._chunk = 1000  # cycles that take about PAUSE
        self.done = False
        libogive.ogv_system_set_threads(self._handle, threads)

    @classmethod
    def resume(cls, file, threads=0):
        """From a checkpoint, which brings machine and work with it. It takes the place in memory
        that its system had: close that first."""
        system = cls.__new__(cls)
        _library.Handle.__init__(system, call('ogv_system_resume', text(file)))
        system._settle(threads)
        return system

    # ---- Work ----

    def load(self, program=None, arguments=(), scene=None, rays=None, view=None, bounces=None,
             width=0, height=0, **options):
        """Gives it a program, a scene, or both, as `ogive run` takes them; returns the system.

        `rays` is a kind ('primary', 'secondary', ...) or an array of your own with eight numbers
        each: origin, t_min, direction, t_max; or six, without the two. `view` is a dict of eye,
        target, up and fov_degrees. Further: triangles, camera, samples, seed, builder, nodes,
        primitives, software, heatmap."""
        work = _library.Workload(program=text(program), scene=text(scene), width=_size(width),
                                 height=_size(height), **_options(options))
        work.arguments, work.argument_count = _library.texts(map(str, arguments))
        if bounces is not None:
            work.bounces = bounces or _library.NOTHING
        if view is not None:
            work.view = ctypes.pointer(_view(view))
        if isinstance(rays, str):
            work.rays = text(rays)
        elif rays is not None:
            work.own_rays = _rays(rays)
            work.own_ray_count = len(rays)
        call('ogv_system_load', self._handle, ctypes.byref(work))
        return self

    # ---- Time ----

    def run(self, until=None, progress=None):
        """Runs until the work is done, or to a cycle. True if the work is done.

        Ctrl-C stops it between two cycles, and it can be run on. `progress` is called with the
        system now and then."""
        until = _library.FOREVER if until is None else _cycle(until)
        while not self.done and libogive.ogv_system_cycle(self._handle) < until:
            begun = time.monotonic()
            self._run(min(until, libogive.ogv_system_cycle(self._handle) + self._chunk))
            seconds = time.monotonic() - begun
            if seconds < PAUSE / 2:
                self._chunk *= 2
            elif seconds > 2 * PAUSE:
                self._chunk = max(1, self._chunk // 2)
            if progress:
                progress(self)
        return self.done

    def step(self, cycles=1):
        """Runs so many cycles more. True if the work is done."""
        return self.run(min(self.cycle + _cycle(cycles), _library.FOREVER))

    def _run(self, until):
        error = _library.CError()
        end = libogive.ogv_system_run(self._handle, until, ctypes.byref(error))
        if end < 0:
            raise _library.failure(error)
        self.done = end == 0

    @property
    def cycle(self):
        """Cycles simulated so far."""
        return libogive.ogv_system_cycle(self._handle)

    # ---- Statistics ----

    def __getitem__(self, path):
        """A statistic as it is now: 'sm[3].l1.hits' of a unit, 'sm[*].l1.hits' of a group."""
        value = ctypes.c_double()
        call('ogv_system_stat', self._handle, text(path), ctypes.byref(value))
        return number(value.value)

    def stats(self, each=False):
        """All of them, as a Table of path, value, measure and help; of each unit, or of groups."""
        rows = []

        @_library.STAT_VISIT
        def visit(_, stat):
            row = stat[0]
            rows.append((words(row.path), number(row.value), words(row.measure), words(row.help)))
        libogive.ogv_system_stats(self._handle, int(each), visit, None)
        return Table(['path', 'value', 'measure', 'help'], rows)

    @property
    def digest(self):
        """32 digits that differ if any statistic differs."""
        digits = ctypes.create_string_buffer(33)
        libogive.ogv_system_digest(self._handle, digits)
        return words(digits.value)

    def parameter(self, path):
        """A parameter as it was built: '64 KiB'."""
        return _library.take(call('ogv_system_parameter', self._handle, text(path)))

    # ---- What the program did ----

    @property
    def console(self):
        """What it has printed so far."""
        length = ctypes.c_size_t()
        chars = libogive.ogv_system_console(self._handle, ctypes.byref(length))
        return _library.take(chars, length.value)

    @property
    def exit_code(self):
        """None while it has not ended, or has failed."""
        code = ctypes.c_uint64()
        ended = libogive.ogv_system_exit_code(self._handle, ctypes.byref(code))
        return code.value if ended else None

    @property
    def fault(self):
        """What it failed of; None if it has not."""
        return _library.take(libogive.ogv_system_fault(self._handle))

    def read(self, address, length):
        """Bytes of memory as programs see it."""
        bytes = ctypes.create_string_buffer(_cycle(length))
        call('ogv_system_read', self._handle, _cycle(address), bytes, length)
        return bytes.raw

    def write(self, address, data):
        """Bytes into memory, without taking simulated time."""
        data = bytes(data)
        call('ogv_system_write', self._handle, _cycle(address), data, len(data))

    def image(self):
        """The picture as it is now: an array [row, column, channel] of bytes, red, green, blue and
        alpha; of NumPy, where that is installed, else a memoryview. None without a picture."""
        image = _library.Image()
        call('ogv_system_image', self._handle, ctypes.byref(image))
        if not image.pixels:
            return None
        shape = (image.height, image.width, 4)
        try:
            pixels = ctypes.string_at(image.pixels, math.prod(shape))
        finally:
            _library.free(image.pixels)
        return _array(pixels, shape)

    def save_image(self, file):
        """The picture, as a PNG file."""
        call('ogv_system_save_image', self._handle, text(file))

    def save_heatmap(self, file):
        """What pixels cost, as a PNG file; load() has to be told heatmap=True."""
        call('ogv_system_save_heatmap', self._handle, text(file))

    # ---- Rays ----

    def judge(self):
        """How the hits compare with Embree's: counts of rays, and the first wrong one in words."""
        found = _library.Judgement()
        call('ogv_system_judge', self._handle, ctypes.byref(found))
        return Judgement(found.rays, found.equal, found.ties, found.edges, found.wrong,
                         words(found.first))

    def hits(self):
        """What each ray has hit, in the order of pixels or of your own rays: a list of Hits, whose
        triangle is None where there is none."""
        found = _library.Hits()
        call('ogv_system_hits', self._handle, ctypes.byref(found))
        try:
            return [Hit(hit.t, hit.u, hit.v,
                        None if hit.triangle == _library.NOTHING else hit.triangle)
                    for hit in found.hits[:found.count]]
        finally:
            _library.free(found.hits)

    # ---- Checkpoints ----

    def checkpoint(self, file):
        """The complete state, to a file."""
        call('ogv_system_checkpoint', self._handle, text(file))

    def __repr__(self):
        return f'<System at cycle {self.cycle}>' if self._open else '<System, closed>'


def _array(pixels, shape):
    try:
        import numpy
    except ImportError:
        return memoryview(pixels).cast('B', shape)
    return numpy.frombuffer(pixels, numpy.uint8).reshape(shape)


def _cycle(number):
    """A number that C can take: ctypes would cut it off."""
    if not 0 <= number <= _library.FOREVER:
        raise _library.UserError(f'{number}: must be from 0 to {_library.FOREVER}')
    return number


def _size(number):
    if not 0 <= number < 2**32:
        raise _library.UserError(f'{number}: must be from 0 to {2**32 - 1}')
    return number


TEXTS = ('camera', 'builder', 'nodes', 'primitives')
NUMBERS = {'samples': _size, 'triangles': _cycle, 'seed': _cycle}
FLAGS = ('software', 'heatmap')


def _options(options):
    """Those of load() that are passed on."""
    found = {}
    for name, value in options.items():
        if name in TEXTS:
            found[name] = text(value)
        elif name in NUMBERS:
            found[name] = NUMBERS[name](value)
        elif name in FLAGS:
            found[name] = bool(value)
        else:
            raise TypeError(f'load() takes no {name!r}; it takes {", ".join(TEXTS)}, '
                            f'{", ".join(NUMBERS)}, {", ".join(FLAGS)} besides the others')
    return found


def _view(view):
    unknown = set(view) - {'eye', 'target', 'up', 'fov_degrees'}
    if unknown:
        raise TypeError(f'a view has eye, target, up and fov_degrees, but no {unknown.pop()!r}')
    return _library.View(**{name: value if name == 'fov_degrees' else tuple(value)
                            for name, value in view.items()})


def _rays(rays):
    """An array for C of rays with six or eight numbers each."""
    found = (_library.Ray * len(rays))()
    for ray, numbers in zip(found, rays):
        numbers = [float(number) for number in numbers]
        if len(numbers) == 6:
            numbers = [*numbers[:3], 0.0, *numbers[3:], math.inf]
        if len(numbers) != 8:
            raise _library.UserError(f'a ray has 8 numbers (origin, t_min, direction, t_max) or 6 '
                                     f'(origin, direction), not {len(numbers)}')
        ray.origin, ray.t_min = tuple(numbers[:3]), numbers[3]
        ray.direction, ray.t_max = tuple(numbers[4:7]), numbers[7]
    return found
