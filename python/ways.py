"""ways.py PREFIX DATA LIBRARIES - for an installation under PREFIX, prints the folder in which this
Python looks for packages there, or would; the way from there to the folder DATA of our package; and
the way from the package to LIBRARIES."""
import os
import site
import sys
import sysconfig

prefix, data, libraries = sys.argv[1:]
looked = [path for path in site.getsitepackages() if path.startswith(prefix + '/lib/')]
packages = looked[0] if looked else sysconfig.get_path('purelib', 'posix_prefix', {'base': prefix})
print(packages)
print(os.path.relpath(os.path.join(prefix, data), packages))
print(os.path.relpath(libraries, os.path.join(data, 'ogive')))
