"""machine.py - descriptions of chips: shipped ones, files, or put together here."""
from . import _library
from ._library import call, text, words
from .table import Table


def machines():
    """The shipped machines: files by name."""
    return _library.shipped('ogv_arch_list')


def allow(file_or_folder):
    """Lets machines load unit libraries from there, which runs native code."""
    call('ogv_library_allow', text(file_or_folder))


class Machine(_library.Handle):
    """The description of a chip. Parameters are read and set by path:

        machine = Machine('rtx2080')
        machine['sm.l1.size']               # '64 KiB'
        machine['sm.l1.size'] = '128 KiB'
    """
    _destroy = 'ogv_arch_destroy'

    def __init__(self, file_or_name):
        super().__init__(call('ogv_arch_load', text(file_or_name)))
        self.name = str(file_or_name)

    @classmethod
    def new(cls, name):
        """One without any units yet."""
        return cls._of(call('ogv_arch_create', text(name)), name)

    @classmethod
    def _of(cls, handle, name):
        machine = cls.__new__(cls)
        _library.Handle.__init__(machine, handle)
        machine.name = name
        return machine

    def copy(self):
        """Another one that can be changed by itself."""
        return self._of(_library.libogive.ogv_arch_copy(self._handle), self.name)

    def __getitem__(self, path):
        return _library.take(call('ogv_arch_parameter', self._handle, text(path)))

    def __setitem__(self, path, value):
        value = str(value).lower() if isinstance(value, bool) else str(value)
        call('ogv_arch_set', self._handle, text(path), text(value))

    def update(self, settings):
        """Sets what a dict says, by path; returns the machine."""
        for path, value in settings.items():
            self[path] = value
        return self

    def parameters(self):
        """All parameters after defaults, as a Table of path, value and help."""
        rows = []

        @_library.PARAMETER_VISIT
        def visit(_, parameter):
            row = parameter[0]
            rows.append((words(row.path), words(row.value), words(row.help)))
        call('ogv_arch_parameters', self._handle, visit, None)
        return Table(['path', 'value', 'help'], rows)

    def add_domain(self, domain, count=1):
        """A group of units, so many times."""
        call('ogv_arch_add_domain', self._handle, text(domain), count)

    def add_unit(self, domain, unit, type, count=1, **parameters):
        """A unit in each copy of a domain, so many times, with parameters by name."""
        call('ogv_arch_add_unit', self._handle, text(domain), text(unit), text(type), count)
        self.update({f'{domain}.{unit}.{name}': value for name, value in parameters.items()})

    def add_link(self, start, end, options=None):
        """Joins units by pattern: ('sm.l1', 'partition.l2', '{ by: address }')."""
        call('ogv_arch_add_link', self._handle, text(start), text(end), text(options))

    def check(self):
        """Raises the first mistake that the description has."""
        call('ogv_arch_check', self._handle)

    def export(self):
        """The whole description after defaults, as the text of an architecture file."""
        return _library.take(call('ogv_arch_export', self._handle))

    def __repr__(self):
        return f'<Machine {self.name}>'
