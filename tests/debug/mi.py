#!/usr/bin/env python3
"""mi.py - gdb as editors drive it, through its machine interface: the commands that VS Code's C++
extension sends with the launch.json of docs/debugging.md, and those of CLion. Prints TAP."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import tap

OGIVE = os.environ['OGIVE_PROGRAM']
PROGRAM = os.environ['OGIVE_PROGRAMS'] + '/mandelbrot.elf'
GDB = shutil.which('gdb-multiarch')
if not GDB:
    print('1..0 # SKIP gdb-multiarch is not installed')
    sys.exit(77)
work = tempfile.mkdtemp(prefix='ogive-mi-')
os.chdir(work)
os.environ['XDG_CACHE_HOME'] = os.environ['HOME'] = work


def digest(folder):
    with open(folder + '/stats.json') as file:
        return json.load(file)['summary']['digest']


class Run:
    """`ogive run ... --gdb`, at a free port."""

    def __init__(self, machine, out, size):
        self.out = out
        self.process = subprocess.Popen(
            [OGIVE, 'run', machine, '--program', PROGRAM, '--gdb', '--no-report', '--quiet', '--out', out,
             '--', size, size],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.address = re.search(r'target remote (localhost:\d+)', self.process.stderr.readline())[1]

    def digest(self):
        assert self.process.wait(100) == 0, self.process.stderr.read()
        return digest(self.out)


class Editor:
    """gdb with its machine interface; what it says is kept until it is asked for."""

    def __init__(self, *options):
        self.gdb = subprocess.Popen([GDB, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True)
        self.lines, self.count, self.said = [], 1000, threading.Condition()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.gdb.stdout:
            with self.said:
                self.lines.append(line.rstrip('\n'))
                self.said.notify_all()
        with self.said:
            self.lines.append('')  # the end
            self.said.notify_all()

    def wait(self, pattern, since=0):
        """The first line like that from one on."""
        def find():
            return next((line for line in self.lines[since:] if re.match(pattern, line)), None)
        with self.said:
            assert self.said.wait_for(find, 100), (pattern, self.lines[-20:])
            return find()

    def ask(self, command, result='done'):
        self.count += 1
        since = len(self.lines)
        self.gdb.stdin.write(f'{self.count}{command}\n')
        self.gdb.stdin.flush()
        answer = self.wait(rf'{self.count}\^', since)
        assert answer.startswith(f'{self.count}^{result}'), (command, answer)
        return answer

    def go(self, command):
        """The stop that it comes to."""
        since = len(self.lines)
        self.ask(command, 'running')
        return self.wait(r'\*stopped', since)

    def close(self):
        self.ask('-gdb-exit', 'exit')
        self.gdb.wait(100)


def launch_json():
    with open(os.environ['OGIVE_HOME'] + '/docs/debugging.md') as file:
        text = re.search(r'```json file=\S*launch.json\n(.*?)```', file.read(), re.S)[1]
    return json.loads(text)['configurations'][0]


def inspect(editor, thread):
    """What an editor asks for at every stop."""
    assert 'threads=[' in editor.ask('-thread-info')
    assert 'frame={level="0"' in editor.ask(f'-stack-list-frames --thread {thread} 0 1000')
    editor.ask(f'-stack-list-arguments --thread {thread} 1 0 0')
    variables = editor.ask(f'-stack-list-variables --thread {thread} --frame 0 0')
    for number, name in enumerate(re.findall(r'name="(\w+)"', variables)[:3]):
        made = editor.ask(f'-var-create --thread {thread} --frame 0 - * "{name}"')
        made = re.search(r'name="(\w+)"', made)[1]
        editor.ask(f'-var-evaluate-expression {made}')
        editor.ask(f'-var-list-children --simple-values "{made}" 0 1000')
        editor.ask(f'-var-delete {made}')
    assert 'lanes_a0' in editor.ask('-data-list-register-names')
    assert 'number="2"' in editor.ask(f'-data-list-register-values --thread {thread} x 2 10')
    assert 'contents="' in editor.ask('-data-read-memory-bytes &pixels 64')
    assert 'asm_insns' in editor.ask('-data-disassemble -s $pc -e "$pc + 16" -- 0')


def visual_studio_code():
    settings = launch_json()
    assert settings['type'] == 'cppdbg' and settings['MIMode'] == 'gdb'
    assert os.path.basename(settings['miDebuggerPath']) == 'gdb-multiarch'
    run = Run('tiny-simt', 'code', '16')
    editor = Editor('--interpreter=mi', *settings.get('miDebuggerArgs', '').split())
    editor.ask('-gdb-version')
    editor.ask('-interpreter-exec console "set pagination off"')
    editor.ask('-gdb-set auto-solib-add on')
    editor.ask('-gdb-set mi-async on')
    editor.ask('-environment-cd ' + work)
    for command in settings['setupCommands']:
        text = command['text']
        editor.ask(text if text.startswith('-') else f'-interpreter-exec console "{text}"')
    program = run.out + '/' + os.path.basename(settings['program'])
    while not os.path.exists(program):
        time.sleep(0.01)
    editor.ask('-file-exec-and-symbols ' + program)
    editor.ask('-target-select remote ' + run.address, 'connected')
    editor.ask('-interpreter-exec console "info sharedlibrary"')
    assert 'bkpt={number="1"' in editor.ask('-break-insert -f mandelbrot.c:30')
    assert 'reason="breakpoint-hit"' in editor.go('-exec-continue')
    inspect(editor, 1)
    editor.ask('-break-delete 1')  # others arrive there, too
    assert 'reason="end-stepping-range"' in editor.go('-exec-next --thread 1')
    inspect(editor, 1)
    assert 'reason="end-stepping-range"' in editor.go('-exec-step --thread 1')
    assert 'reason="end-stepping-range"' in editor.go('-exec-next --thread 1 --reverse')
    editor.ask('-break-watch pixels[40]')
    assert 'reason="watchpoint-trigger"' in editor.go('-exec-continue')
    editor.ask('-break-delete 2')
    editor.ask('-interpreter-exec console "monitor cycle"')
    assert re.search(r'^@"cycle \d', '\n'.join(editor.lines), re.M), editor.lines[-5:]
    assert 'signal-name="0"' in editor.go('-exec-continue')  # at its end; an editor takes it for a pause
    assert 'reason="exited-normally"' in editor.go('-exec-continue')
    editor.close()
    subprocess.run([OGIVE, 'run', 'tiny-simt', '--program', PROGRAM, '--no-report', '--quiet', '--out', 'plain',
                    '--', '16', '16'], check=True)
    assert run.digest() == digest('plain')


def clion():
    run = Run('tiny-simt', 'clion', '512')
    editor = Editor('--interpreter=mi2')
    while not os.path.exists('clion/program.elf'):
        time.sleep(0.01)
    editor.ask('-gdb-set auto-solib-add on')
    editor.ask('-gdb-set target-async on')
    editor.ask('-file-exec-and-symbols clion/program.elf')
    editor.ask(f'-interpreter-exec console "target remote {run.address}"')
    editor.ask('-break-insert -f -t "main"')
    assert 'disp="del"' in editor.go('-exec-continue --all')
    inspect(editor, 1)
    since = len(editor.lines)
    editor.ask('-exec-continue --all', 'running')
    time.sleep(0.5)
    editor.ask('-exec-interrupt --all')
    assert 'signal-name="SIGINT"' in editor.wait(r'\*stopped', since)
    inspect(editor, 1)
    assert 'reason="end-stepping-range"' in editor.go('-exec-step-instruction --thread 1')
    editor.go('-exec-step-instruction --thread 1 --reverse')
    editor.ask('-data-evaluate-expression "$lanes_sp[1]"')
    editor.ask('-target-disconnect')
    editor.close()
    run.process.kill()
    run.process.wait()


status = tap.run_all([visual_studio_code, clion])
os.chdir('/')
shutil.rmtree(work)
sys.exit(status)
