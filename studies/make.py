#!/usr/bin/env python3
"""make.py NAME PROGRAM STORE - a study of this folder from nothing: its runs, then the commands that
stand in its file, whose table and chart go to docs/studies. `./run study NAME` calls it.

Lines of a study's file that begin with `#   ogive sweep` are run; `#   pivot ROWS COLUMNS NAME` is a
table of a figure that the store does not keep, read from the folders of the runs. Where the file has a
line `#   ogive search`, its runs are those of a search, and what that prints goes to the page.
"""
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'python'))
MARKS = '<!-- table of ./run study {} -->\n', '<!-- end of the table -->\n'


def commands(name):
    """The words of the commands in a study's file."""
    with open(os.path.join(HERE, name + '.yaml')) as file:
        return [shlex.split(line[4:]) for line in file
                if re.match(r'#   (ogive sweep|ogive search|pivot)\b', line)]


def table(words, name, program, store):
    """What a command prints, as Markdown."""
    if words[0] == 'pivot':
        import ogive
        return ogive.Study(name, store).table(words[3]).pivot(*words[1:]).markdown() + '\n'
    return subprocess.run([program, *words[1:], '--store', store, '--format', 'markdown'],
                          check=True, stdout=subprocess.PIPE, text=True).stdout


def page_renew(path, name, tables):
    """Puts tables between the marks of a page."""
    with open(path) as file:
        page = file.read()
    begin, end = (mark.format(name) for mark in MARKS)
    before, rest = page.split(begin)
    with open(path, 'w') as file:
        file.write(before + begin + '\n' + '\n'.join(tables) + '\n' + end + rest.split(end)[1])


def main(name, program, store, docs=os.path.join(HERE, '..', 'docs', 'studies')):
    studies = sorted(file[:-5] for file in os.listdir(HERE) if file.endswith('.yaml'))
    if name not in studies:
        sys.exit(f'there is no study {name!r}; there are {", ".join(studies)}')
    file = os.path.join(HERE, name + '.yaml')
    searches = ['ogive', 'search'] in commands(name)
    if not searches:
        subprocess.run([program, 'sweep', file, '--store', store], check=True)
    tables = []
    for words in commands(name):
        if 'search' in words:
            found = subprocess.run([program, 'search', file, '--store', store], check=True,
                                   stdout=subprocess.PIPE, text=True).stdout
            tables.append(f'```\n{found}```\n')
        elif 'plot' in words:
            subprocess.run([program, *words[1:], '--store', store, '-o',
                            os.path.join(docs, name + '.svg')], check=True)
        else:
            tables.append(table(words, name, program, store))
    page_renew(os.path.join(docs, name + '.md'), name, tables)


if __name__ == '__main__':
    main(*sys.argv[1:])
