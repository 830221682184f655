"""header.py - the package knows every function and every member of ogive/ogive.h, as the C compiler
sees them."""
import ctypes
import os
import re
import subprocess
import tempfile
import unittest

from ogive import _library

INCLUDE = os.path.join(os.environ['OGIVE_HOME'], 'include')
with open(os.path.join(INCLUDE, 'ogive', 'ogive.h')) as file:
    HEADER = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S)


def sizes_of(structs):
    """Sizes of structs, then offsets and sizes of their members, as a C program prints them."""
    lines = []
    for name, struct in structs.items():
        lines.append(f'printf("%zu\\n", sizeof(struct {name}));')
        lines += [f'printf("%zu %zu\\n", offsetof(struct {name}, {member}), '
                  f'sizeof(((struct {name} *)0)->{member}));' for member, _ in struct._fields_]
    with tempfile.TemporaryDirectory() as work:
        source, program = os.path.join(work, 'sizes.c'), os.path.join(work, 'sizes')
        with open(source, 'w') as file:
            file.write('#include <ogive/ogive.h>\n#include <stdio.h>\nint main(void)\n{\n' +
                       '\n'.join(lines) + '\nreturn 0;\n}\n')
        subprocess.run([*os.environ['CC'].split(), '-I', INCLUDE, source, '-o', program],
                       check=True)
        return subprocess.run([program], check=True, capture_output=True,
                              text=True).stdout.splitlines()


class Header(unittest.TestCase):
    def test_every_function_is_known(self):
        declared = set(re.findall(r'\b(ogv_\w+)\(', re.sub(r'typedef[^;]*;', '', HEADER)))
        self.assertEqual(declared, set(_library.FUNCTIONS))

    def test_functions_take_as_many_arguments(self):
        for name, arguments in re.findall(r'\b(ogv_\w+)\(([^)]*)\)',
                                          re.sub(r'typedef[^;]*;', '', HEADER)):
            self.assertEqual(len(arguments.split(',')), len(_library.FUNCTIONS[name]) - 1, name)

    def test_every_struct_is_known(self):
        self.assertEqual(set(re.findall(r'struct (ogv_\w+) \{', HEADER)), set(_library.STRUCTS))

    def test_structs_lie_as_in_c(self):
        wanted = []
        for struct in _library.STRUCTS.values():
            wanted.append(str(ctypes.sizeof(struct)))
            wanted += [f'{getattr(struct, member).offset} {getattr(struct, member).size}'
                       for member, _ in struct._fields_]
        self.assertEqual(sizes_of(_library.STRUCTS), wanted)

    def test_members_are_as_many(self):
        for name, body in re.findall(r'struct (ogv_\w+) \{(.*?)\n\};', HEADER, re.S):
            members = [member for line in body.split(';') for member in line.split(',')
                       if member.strip()]
            self.assertEqual(len(members), len(_library.STRUCTS[name]._fields_), name)

    def test_numbers_are_the_same(self):
        self.assertIn('#define OGV_FOREVER UINT64_MAX', HEADER)
        self.assertIn('#define OGV_NO_BOUNCES UINT32_MAX', HEADER)
        self.assertIn('#define OGV_NO_TRIANGLE UINT32_MAX', HEADER)
        kinds = re.search(r'enum ogv_error_kind \{(.*?)\}', HEADER, re.S)[1]
        self.assertEqual([word.strip() for word in kinds.split(',') if word.strip()],
                         ['OGV_ERROR_NONE', 'OGV_ERROR_USER', 'OGV_ERROR_SYSTEM',
                          'OGV_ERROR_HANG'])
