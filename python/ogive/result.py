"""result.py - folders that runs have left behind, one by one and as tables."""
import ctypes
import json
import os

from . import _library
from ._library import call, libogive, text, words
from .table import Table, number

COMBINES = {None: 0, 'each': 1, 'sum': 2, 'mean': 3}


class Run(_library.Handle):
    """The folder of a run:

        run = Run('results/a')
        run['cycles'], run['sm.l1.hit_rate'], run['status']
        run.stats('sm[0..3].l1.*', combine='each')
        run.series('partition.dram.bytes_read')
    """
    _destroy = 'ogv_result_close'

    def __init__(self, folder):
        super().__init__(call('ogv_result_open', text(folder)))
        self.folder = os.fspath(folder)

    @property
    def record(self):
        """run.json: machine, program, scene, options, hashes, every parameter."""
        return json.loads(_library.take(libogive.ogv_result_record(self._handle)))

    def parameter(self, path):
        """A parameter of the machine that ran: '64 KiB'."""
        return _library.take(call('ogv_result_parameter', self._handle, text(path)))

    def parameters(self):
        """All of them, by path."""
        units = self.record.get('parameters')
        return {f'{unit}.{name}': value
                for unit, values in (units if isinstance(units, dict) else {}).items()
                if isinstance(values, dict) for name, value in values.items()}

    def __getitem__(self, name):
        """A figure of the summary ('cycles'), or a statistic of a unit or a group."""
        rows = self.stats(name).rows
        if len(rows) != 1:
            raise _library.UserError(f'{name}: means {len(rows)} statistics; ask stats() for them')
        return rows[0][1]

    def stats(self, *patterns, combine=None, group=None, cycles=None):
        """Statistics by pattern, or all, as a Table of name, value, measure, units and help.

        The copies of a unit are combined as its type says; combine is 'each' (not at all), 'sum'
        or 'mean', group a domain or 'type'. `cycles` is a range: (from, to)."""
        with _Answer(self, patterns, combine, group, cycles) as answer:
            rows = [(words(row.name), words(row.words) if row.words else number(row.values[0]),
                     words(row.measure), row.units, words(row.help)) for row in answer.rows()]
        return Table(['name', 'value', 'measure', 'units', 'help'], rows)

    def series(self, *patterns, combine=None, group=None, cycles=None):
        """Statistics over time: a Table of the cycle in which each interval ends, and a column for
        each statistic."""
        with _Answer(self, patterns, combine, group, cycles, per_interval=True) as answer:
            rows = list(answer.rows())
            return Table(['cycle'] + [words(row.name) for row in rows],
                         [(answer.ends[i], *(number(row.values[i]) for row in rows))
                          for i in range(answer.interval_count)])

    def file(self, name):
        """The path of one of its files: 'image.png'."""
        return os.path.join(self.folder, name)

    def __repr__(self):
        return f'<Run {self.folder}>'


class _Answer:
    """What a folder is asked, while it is read."""

    def __init__(self, run, patterns, combine, group, cycles, per_interval=False):
        if combine not in COMBINES:
            raise _library.UserError(f"{combine!r}: combine is 'each', 'sum', 'mean' or None")
        self.run = run
        self.query = _library.Query(combine=COMBINES[combine], group=text(group),
                                    per_interval=per_interval)
        self.query.patterns, self.query.pattern_count = _library.texts(patterns)
        if cycles is not None:
            setattr(self.query, 'from', cycles[0])
            self.query.to = cycles[1]

    def __enter__(self):
        self.pointer = call('ogv_result_ask', self.run._handle, ctypes.byref(self.query))
        self.ends = self.pointer[0].ends
        self.interval_count = self.pointer[0].interval_count
        return self

    def rows(self):
        answer = self.pointer[0]
        return (answer.rows[i] for i in range(answer.row_count))

    def __exit__(self, *_):
        libogive.ogv_answer_free(self.pointer)


def find(folder):
    """The folders of runs at and below a folder, sorted; runs that were moved aside too."""
    found = []
    for path, folders, files in os.walk(folder):
        folders.sort()
        if 'run.json' in files:
            found.append(path)
    return found


def table(folders, *names, parameters=None):
    """Runs as a Table: a row for each folder with the parameters in which they differ, or those
    named, and the statistics named, or status and cycles.

    `folders` is a list of folders or Runs, or a folder below which runs are looked for. What a run
    does not have is None."""
    runs = [run if isinstance(run, Run) else Run(run)
            for run in (find(folders) if isinstance(folders, (str, os.PathLike)) else folders)]
    names = names or ('status', 'cycles')
    settings = [run.parameters() for run in runs]
    if parameters is None:
        parameters = _differing(settings)
    rows = [(run.folder, *(values.get(path) for path in parameters),
             *(_number(run, name) for name in names)) for run, values in zip(runs, settings)]
    return Table(['run', *parameters, *names], rows)


def _number(run, name):
    try:
        return run[name]
    except _library.UserError:
        return None


def _differing(settings):
    """Paths of parameters that are not the same everywhere, in the order of the first run."""
    paths = dict.fromkeys(path for values in settings for path in values)
    return [path for path in paths
            if any(values.get(path) != settings[0].get(path) for values in settings)]
