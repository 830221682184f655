"""table.py - rows with named columns: what statistics, parameters and runs are given as.

A Table needs nothing but Python. `pandas()` makes a DataFrame of it, `numpy(column)` an array.
"""
import html


class Table:
    """Rows of equal length under names of columns."""

    def __init__(self, columns, rows):
        self.columns = list(columns)
        self.rows = [tuple(row) for row in rows]

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        """Each row as a dict."""
        return (dict(zip(self.columns, row)) for row in self.rows)

    def __getitem__(self, column):
        """All values of a column, by its name; a row as a dict, by its number."""
        if isinstance(column, int):
            return dict(zip(self.columns, self.rows[column]))
        if column not in self.columns:
            raise KeyError(f'there is no column {column!r}; there are {", ".join(self.columns)}')
        at = self.columns.index(column)
        return [row[at] for row in self.rows]

    def pandas(self):
        """As a pandas.DataFrame."""
        import pandas
        return pandas.DataFrame(self.rows, columns=self.columns)

    def numpy(self, column):
        """A column as a numpy.ndarray."""
        import numpy
        return numpy.array(self[column])

    def pivot(self, rows, columns, value):
        """Another table: a row for each value of one column, a column for each of another, and in
        the cells what a third has there, or None."""
        across = list(dict.fromkeys(self[columns]))
        found = {(row[rows], row[columns]): row[value] for row in self}
        return Table([rows, *map(str, across)],
                     [(row, *(found.get((row, column)) for column in across))
                      for row in dict.fromkeys(self[rows])])

    def markdown(self):
        """As a table of Markdown."""
        lines = [self.columns, *self._cells()]
        written = ['| ' + ' | '.join(line) + ' |' for line in lines]
        return '\n'.join([written[0], '|' + '---|' * len(self.columns), *written[1:]])

    def _cells(self, most=None):
        rows = self.rows if most is None else self.rows[:most]
        return [[_write(cell) for cell in row] for row in rows]

    def __str__(self):
        cells = [self.columns] + self._cells()
        widths = [max(map(len, column)) for column in zip(*cells)]
        return '\n'.join('  '.join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                         for row in cells)

    def __repr__(self):
        return f'<Table of {len(self)} rows: {", ".join(self.columns)}>'

    def _repr_html_(self, most=200):
        """How notebooks show it."""
        head = ''.join(f'<th>{html.escape(name)}</th>' for name in self.columns)
        body = ''.join('<tr>' + ''.join(f'<td>{html.escape(cell)}</td>' for cell in row) + '</tr>'
                       for row in self._cells(most))
        more = f'<p>{len(self) - most} more rows</p>' if len(self) > most else ''
        return f'<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}'


def _write(cell):
    if cell is None:
        return ''
    return f'{cell:.6g}' if isinstance(cell, float) else str(cell)


def number(value):
    """Whole numbers as int; what is not defined as None."""
    if value != value:
        return None
    return int(value) if value == int(value) and abs(value) < 2**53 else value
