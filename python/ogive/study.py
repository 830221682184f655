"""study.py - studies as tables: what `ogive sweep` and `ogive search` have put into a store."""
import json
import os

from ._library import UserError
from .result import Run, _number
from .table import Table

STORE = 'results/store'


class Study:
    """A study as it was last started in a store:

        study = Study('l1')
        study.table('cycles', 'mrays_per_s')
    """

    def __init__(self, name, store=STORE):
        name = os.path.basename(os.fspath(name))
        self.name = name[:-5] if name.endswith('.yaml') else name
        self.store = os.fspath(store)
        path = os.path.join(self.store, 'studies', self.name + '.json')
        try:
            with open(path, encoding='utf-8') as file:
                manifest = json.load(file)
            self.axes = {axis['name']: list(axis['values']) for axis in manifest['axes']}
            self._runs = [(_key(run['key']), self._point(run['at'])) for run in manifest['runs']]
        except FileNotFoundError:
            raise UserError(f"{self.store}: no study '{self.name}' was started in this store"
                            ) from None
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
            raise UserError(f'{path}: is not what a study writes') from None

    def _point(self, at):
        return [None if number is None else values[number]
                for number, values in zip(at, self.axes.values(), strict=True)]

    def __len__(self):
        return len(self._runs)

    def runs(self):
        """Its runs that are done: a dict of axes, and a Run, for each."""
        for key, point in self._runs:
            folder = self._folder(key)
            if os.path.exists(os.path.join(folder, 'stats.json')):
                yield dict(zip(self.axes, point)), Run(folder)

    def table(self, *names):
        """A row for each run that is done: its values on the axes, then the statistics named, or
        cycles."""
        names = names or ('cycles',)
        rows = []
        for point, run in self.runs():
            with run:
                rows.append((*point.values(), *(_number(run, name) for name in names)))
        return Table([*self.axes, *names], rows)

    def _folder(self, key):
        return os.path.join(self.store, 'runs', key[:2], key, 'run')

    def __repr__(self):
        return f'<Study {self.name}: {len(self)} runs over {", ".join(self.axes)}>'


def _key(key):
    """Digits, so that it is the name of a folder in the store and of none elsewhere."""
    if not key or set(key) - set('0123456789abcdef'):
        raise ValueError(key)
    return key
