#!/usr/bin/env python3
"""session.py - the debugger as its clients see it, through the bytes of gdb's protocol: a run that
was looked at ends as one that was not, whatever was asked in whatever order, forwards and
backwards; who is refused; what happens when a connection is cut. Prints TAP."""
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import tap

OGIVE = os.environ['OGIVE_PROGRAM']
PROGRAM = os.environ['OGIVE_PROGRAMS'] + '/mandelbrot.elf'
LONG = 'OGIVE_LONG' in os.environ
MACHINES = ['tiny', 'tiny-simt']
work = tempfile.mkdtemp(prefix='ogive-session-')
os.chdir(work)
os.environ['XDG_CACHE_HOME'] = work + '/.cache'  # nothing of the user's is used or changed


def digest(folder):
    with open(folder + '/stats.json') as file:
        return json.load(file)['summary']['digest']


class Run:
    """`ogive run ... --gdb`, waiting for somebody."""
    count = 0
    started = []

    def __init__(self, machine, *options, where=None, program=True, size='8'):
        Run.count += 1
        Run.started.append(self)
        self.out = f'run-{Run.count}'
        self.path = where or f'{work}/gdb-{Run.count}'
        self.errors = open(self.out + '.err', 'w+')
        ran = ['--program', PROGRAM] if program else []
        words = ['--', size, size] if program else []
        self.process = subprocess.Popen(
            [OGIVE, 'run', machine, *ran, '--gdb', self.path, '--no-report', '--quiet', '--interval',
             '500', '--out', self.out, *options, *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.errors)
        while not (found := re.search(r'^gdb +target remote (.*)$', self.said(), re.M)):
            assert self.process.poll() is None, self.said()
            time.sleep(0.01)
        self.where = found[1]

    def said(self):
        with open(self.out + '.err') as file:
            return file.read()

    def end(self):
        code = self.process.wait(60)
        self.errors.close()
        return code


class Client:
    """Speaks the protocol."""

    def __init__(self, run):
        if ':' in run.where:
            self.socket = socket.create_connection(('127.0.0.1', int(run.where.split(':')[1])), 60)
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(60)
            self.socket.connect(run.where)
        self.bytes = b''
        self.words = ''

    def send(self, payload):
        payload = payload.encode('latin-1')
        self.socket.sendall(b'$' + payload + b'#%02x' % (sum(payload) & 255))

    def packet(self):
        while not (found := re.match(rb'[+-]*\$([^#]*)#(..)', self.bytes, re.S)):
            got = self.socket.recv(65536)
            if not got:
                raise ConnectionError('closed')
            self.bytes += got
        self.bytes = self.bytes[found.end():]
        assert sum(found[1]) & 255 == int(found[2], 16)
        return found[1].decode('latin-1')

    def ask(self, payload):
        self.send(payload)
        self.words = ''
        while (answer := self.packet()).startswith('O') and answer != 'OK':
            self.words += bytes.fromhex(answer[1:]).decode()
        return answer

    def monitor(self, command):
        assert self.ask('qRcmd,' + command.encode().hex()) == 'OK'
        return self.words

    def cycle(self):
        return int(re.match(r'cycle (\d+)', self.monitor('cycle'))[1])

    def close(self):
        self.socket.close()


plain = {}


def undisturbed(machine):
    """The digest of a run that nobody looked at."""
    if machine not in plain:
        out = 'plain-' + machine
        subprocess.run([OGIVE, 'run', machine, '--program', PROGRAM, '--no-report', '--quiet',
                        '--interval', '500', '--out', out, '--', '8', '8'], check=True)
        plain[machine] = digest(out), open(out + '/series.csv').read()
    return plain[machine]


def same_as_undisturbed(run, machine):
    assert run.end() == 0, run.said()
    assert digest(run.out) == undisturbed(machine)[0]
    assert open(run.out + '/series.csv').read() == undisturbed(machine)[1]


def detached_at_once_changes_nothing():
    for machine in MACHINES:
        run = Run(machine)
        client = Client(run)
        assert client.ask('D') == 'OK'
        same_as_undisturbed(run, machine)


def to_the_start_and_forwards_again_is_the_same():
    for machine in MACHINES:
        run = Run(machine)
        client = Client(run)
        assert client.ask('c').startswith('T00')
        end = client.cycle()
        assert 'replaylog:begin' in client.ask('bc')
        assert client.cycle() == 0
        assert client.ask('c').startswith('T00')
        assert client.cycle() == end
        assert client.ask('c') == 'W00'
        same_as_undisturbed(run, machine)


def steps_back_undo_steps():
    run = Run('tiny')
    client = Client(run)
    client.monitor('break cycle 1500')
    assert client.ask('c').startswith('T02')
    client.ask('Hc3')
    states = []
    for _ in range(20):
        client.ask('vCont;s:3;c')
        client.ask('Hg3')
        states.append((client.cycle(), client.ask('g')))
    for state in reversed(states[:-1]):
        client.ask('Hc3')
        assert client.ask('bs').startswith('T05thread:3')
        client.ask('Hg3')
        # The same instruction is next. What was on its way may have come: it stands as long as it can.
        assert client.cycle() >= state[0]
        assert client.ask('p20') == state[1][32 * 16:33 * 16]
    client.ask('D')
    same_as_undisturbed(run, 'tiny')


def a_step_of_all_lasts_until_the_last_has_stepped():
    def executed(client):
        threads = client.ask('qfThreadInfo')[1:].split(',')
        return [int(re.search(r'(\d+) instructions',
                              bytes.fromhex(client.ask('qThreadExtraInfo,' + thread)).decode())[1])
                for thread in threads]
    for machine in MACHINES:
        run = Run(machine)
        client = Client(run)
        client.monitor('break cycle 300')
        client.ask('c')
        client.monitor('stepping all')
        before = executed(client)
        client.ask('vCont;s:1')
        after = executed(client)
        assert len(before) == len(after) and all(a > b for a, b in zip(after, before)), (before, after)
        assert any(a == b + 1 for a, b in zip(after, before))
        client.ask('D')
        same_as_undisturbed(run, machine)


def random_orders(seed):
    """Whatever is asked, in whatever order."""
    rng = random.Random(seed)
    machine = rng.choice(MACHINES)
    run = Run(machine, '--history', rng.choice(['1GiB', '1MiB', '0']))
    client = Client(run)
    client.ask('qSupported:swbreak+')
    if rng.random() < 0.5:
        client.ask('QStartNoAckMode')
    text = [int(line, 16) for line in re.findall(r'^(?:=>|  ) 0x([0-9a-f]+)',
                                                  client.monitor('code 0x10000 60'), re.M)]
    inserted = []
    answer = 'T'
    for _ in range(rng.randint(5, 40)):
        if answer[0] == 'W':  # told to go on at its end
            return same_as_undisturbed(run, machine)
        assert answer[0] == 'T', answer
        threads = client.ask('qfThreadInfo')
        thread = rng.choice(threads[1:].split(',')) if threads.startswith('m') else '1'
        order = rng.choice(['s', 's', 's', 'bs', 'bs', 'bc', 'c', 'range', 'Z0', 'z0', 'Z2', 'g',
                            'm', 'm', 'monitor', 'cycle', 'threads', '?', 'T', 'write', 'all'])
        if order == 's':
            answer = client.ask(f'vCont;s:{thread}' + rng.choice([';c', '']))
        elif order == 'range':
            low = rng.choice(text)
            answer = client.ask(f'vCont;r{low:x},{low + 16:x}:{thread};c')
        elif order == 'all':
            client.monitor('stepping ' + rng.choice(['one', 'all']))
        elif order in ('bs', 'bc', 'c'):
            if order == 'c':
                now = client.cycle()
                client.monitor(f'break cycle {now + rng.randint(1, 400)}')
            client.ask('Hc' + thread)
            answer = client.ask(order)
        elif order == 'Z0':
            inserted.append(rng.choice(text))
            assert client.ask(f'Z0,{inserted[-1]:x},2') == 'OK'
        elif order == 'z0' and inserted:
            assert client.ask(f'z0,{inserted.pop():x},2') == 'OK'
        elif order == 'Z2':
            assert client.ask('Z2,12080,8') == 'OK'
            assert client.ask('z2,12080,8') == 'OK'
        elif order == 'g':
            client.ask('Hg' + thread)
            assert len(client.ask('g')) in (68 * 16, 71 * 16)
        elif order == 'm':
            address = rng.choice([0x10000, 0x12080, 0x7f0000000f00, 0x7e0000000000, 1 << 40])
            assert client.ask(f'm{address:x},{rng.randint(1, 64):x}')[0] in '0123456789abcdefE'
        elif order == 'monitor':
            client.monitor(rng.choice(['help', 'units', 'links', 'waits', 'stats core', 'stops', 'code',
                                       'threads', 'history', 'lanes a0', 'ray', 'nonsense', 'unit sm',
                                       'messages', 'help break', 'break', 'delete 9', 'why']))
        elif order == 'threads':
            assert client.ask('qXfer:threads:read::0,4000')[0] in 'ml'
        elif order == '?':
            assert client.ask('?')[0] == 'T'
        elif order == 'T':
            assert client.ask('T' + thread) in ('OK', 'E01')
        elif order == 'write':
            assert client.ask('M12080,1:ff').startswith('E.')
    if answer[0] == 'T':
        client.ask('D')
    same_as_undisturbed(run, machine)


def fifty_random_orders():
    for seed in range(50 if LONG else 8):
        random_orders(seed)


def a_cut_connection_leaves_the_run_waiting():
    run = Run('tiny')
    for way in range(3):
        client = Client(run)
        if way == 0:
            client.socket.sendall(b'$vCont;s:1')  # half a packet
        elif way == 1:
            client.send('vCont;c:')
        else:
            client.ask('g')
        client.close()
    client = Client(run)
    assert client.ask('?')[0] == 'T'
    assert client.cycle() == 0
    client.send('c')  # and while it runs
    client.close()
    client = Client(run)
    assert client.ask('?')[0] == 'T'
    client.ask('D')
    same_as_undisturbed(run, 'tiny')


def ctrl_c_stops_a_run_which_has_kept_copies():
    run = Run('tiny', size='512')
    client = Client(run)
    copies = 1
    while copies < 3:
        client.send('c')
        time.sleep(0.3)
        client.socket.sendall(b'\3')
        assert client.packet().startswith('T02')
        copies = int(re.search(r'from (\d+) copies', client.monitor('history'))[1])
    client.send('k')
    run.end()


def a_second_client_is_told_so():
    run = Run('tiny')
    first = Client(run)
    assert first.ask('?')[0] == 'T'
    second = Client(run)
    assert second.packet() == 'E.another debugger is connected to this run'
    try:
        second.send('g')
        assert not second.socket.recv(1)
    except (BrokenPipeError, ConnectionError):
        pass
    assert first.ask('?')[0] == 'T'
    first.ask('D')
    same_as_undisturbed(run, 'tiny')


def garbage_is_survived():
    run = Run('tiny')
    client = Client(run)
    rng = random.Random(7)
    for _ in range(200):
        client.socket.sendall(bytes(rng.choice(b'$#+-}*:;,0123456789abcdefmMgGpPzZqQvTHsX\xff')
                                    for _ in range(rng.randint(1, 200))))
    client.socket.sendall(b'#00')
    client.close()
    client = Client(run)
    assert client.ask('?')[0] == 'T'
    client.ask('D')
    assert run.end() == 0


def nobody_gets_in_from_outside():
    run = Run('tiny', where=str(free_port()))
    port = int(run.where.split(':')[1])
    listening = [line.split()[1] for line in open('/proc/net/tcp') if ' 0A ' in line]
    assert '0100007F:%04X' % port in listening, listening
    assert not any(place.endswith(':%04X' % port) and not place.startswith('0100007F')
                   for place in listening)
    others = [line.split()[1] for line in open('/proc/net/tcp6') if ' 0A ' in line] \
        if os.path.exists('/proc/net/tcp6') else []
    assert not any(place.endswith(':%04X' % port) for place in others)
    client = Client(run)
    client.ask('D')
    same_as_undisturbed(run, 'tiny')
    run = Run('tiny')
    assert os.stat(run.where).st_mode & 0o077 == 0
    Client(run).ask('D')
    run.end()
    assert not os.path.exists(run.where)


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def wrong_places_are_refused():
    for where, words in (('70000', 'ports are 1 to 65535'), ('/nowhere/at/all', 'cannot listen there'),
                         (work, 'is there already')):
        said = subprocess.run([OGIVE, 'run', 'tiny', '--program', PROGRAM, '--gdb', where, '--out',
                               'refused'], capture_output=True, text=True, timeout=60)
        assert said.returncode == 2 and words in said.stderr, said.stderr
    said = subprocess.run([OGIVE, 'run', 'tiny', '--program', PROGRAM, '--history', '1MiB', '--out',
                           'refused'], capture_output=True, text=True, timeout=60)
    assert said.returncode == 2 and 'go with --gdb' in said.stderr
    assert not os.path.exists('refused')


def writes_are_refused_or_told_of():
    run = Run('tiny', '--allow-writes')
    client = Client(run)
    client.monitor('break cycle 600')
    client.ask('c')
    assert client.ask('M12080,4:78563412') == 'OK'
    assert client.ask('m12080,4') == '78563412'
    assert client.ask('M7f0000000100,2:abcd') == 'OK'
    assert client.ask('m7f0000000100,2') == 'abcd'
    end = client.cycle()
    client.ask('bs')
    assert client.ask('M12080,4:00000000').startswith('E.the past cannot be changed')
    client.monitor(f'break cycle {end}')
    client.ask('c')
    client.monitor('break cycle 700')
    client.ask('c')
    assert client.ask('bc')[0] == 'T'  # over the change, and forwards again
    assert client.ask('c')[0] == 'T'
    assert client.cycle() == 700
    assert client.ask('m7f0000000100,2') == 'abcd'
    client.ask('D')
    run.end()
    with open(run.out + '/stats.json') as file:
        assert json.load(file)['summary']['debugger_edits'] == 2
    with open(run.out + '/run.json') as file:
        assert json.load(file)['debugger_edits'] == 2


HASTY = '''#!/usr/bin/env python3
import os, re, socket, sys
client = socket.socket(socket.AF_UNIX)
client.connect([word for word in sys.argv if word.startswith('target remote ')][0].split()[-1])
for packet in b'qRcmd,' + b'break cycle 1000'.hex().encode(), b'c', b'bc', b'D':
    client.sendall(b'$' + packet + b'#%02x' % (sum(packet) & 255))
    answer = b''
    while not re.search(rb'\\$(OK|T)[^#]*#..', answer):
        answer += client.recv(4096)
os._exit(0)
'''


def a_debugger_may_end_before_the_run_that_it_let_go_of_goes_on():
    """It lets go at cycle 0 and is gone at once, while the run is still on its way back."""
    os.mkdir('hasty')
    with open('hasty/gdb-multiarch', 'w') as file:
        file.write(HASTY)
    os.chmod('hasty/gdb-multiarch', 0o755)
    words = ['rtx2080', '--program', PROGRAM, '--no-report', '--quiet']
    size = ['--', '8', '8']
    path = {**os.environ, 'PATH': work + '/hasty:' + os.environ['PATH']}
    subprocess.run([OGIVE, 'debug', *words, '--out', 'let-go', *size], env=path, check=True, timeout=600)
    subprocess.run([OGIVE, 'run', *words, '--out', 'never-held', *size], check=True, timeout=600)
    assert digest('let-go') == digest('never-held')


def machines_stop_at_links_and_statistics():
    run = Run('exchange', program=False)
    client = Client(run)
    assert 'name="machine"' in client.ask('qXfer:threads:read::0,1000')
    client.ask('vCont;s:1')
    assert client.cycle() == 1
    client.monitor('stepping 10')
    client.ask('vCont;s:1')
    assert client.cycle() == 11
    client.ask('bs')
    assert client.cycle() == 1
    unit = re.search(r'(\S*source\S*)', client.monitor('units source'))[1]
    assert 'stop 1' in client.monitor(f'break stat {unit}.sent >= 5'), client.words
    client.ask('c')
    assert 'stop 1: stat' in client.words
    at = client.cycle()
    assert re.search(r'sent +5 ', client.monitor('unit ' + unit)), client.words
    client.ask('bs')
    assert not re.search(r'sent +5 ', client.monitor('unit ' + unit)) or client.cycle() < at
    assert 'did you mean' in client.monitor('untis')
    assert 'too large' in client.monitor('break cycle 99999999999999999999')
    assert 'there is no unit' in client.monitor('unit nowhere')
    client.send('k')
    run.end()


status = tap.run_all([
    detached_at_once_changes_nothing, to_the_start_and_forwards_again_is_the_same, steps_back_undo_steps,
    a_step_of_all_lasts_until_the_last_has_stepped,
    fifty_random_orders, a_cut_connection_leaves_the_run_waiting, ctrl_c_stops_a_run_which_has_kept_copies,
    a_second_client_is_told_so, garbage_is_survived, nobody_gets_in_from_outside, wrong_places_are_refused,
    writes_are_refused_or_told_of, a_debugger_may_end_before_the_run_that_it_let_go_of_goes_on,
    machines_stop_at_links_and_statistics])
for run in Run.started:
    if run.process.poll() is None:
        run.process.kill()
        run.process.wait()
os.chdir('/')
shutil.rmtree(work, ignore_errors=True)
sys.exit(status)
