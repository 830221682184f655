"""ogive - the simulator from Python: machines, running chips, and what runs have left behind.

    import ogive
    machine = ogive.Machine('rtx2080').update({'sm.count': 2, 'chip.barrier.arrivals': 2})
    system = ogive.System(machine).load(scene='cornell', rays='primary', width=64, height=64)
    while not system.step(10_000):
        print(system.cycle, system['sm[*].rt.rays'])
    image = system.image()

Everything is done by libogive; what it says is wrong is raised as ogive.Error. docs/python.md
explains it with examples.
"""
from ._library import Error, HangError, HostError, UserError
from .machine import Machine, allow, machines
from .result import Run, find, table
from .study import Study
from .system import Hit, Judgement, System, allow_memory, programs, scenes
from .table import Table

__all__ = ['Error', 'HangError', 'Hit', 'HostError', 'Judgement', 'Machine', 'Run', 'Study',
           'System', 'Table', 'UserError', 'allow', 'allow_memory', 'find', 'machines', 'programs', 'scenes',
           'table']
