#!/usr/bin/env python3
"""requests.py - the live page as its clients see it: who is refused, what orders do, and that
nothing that is requested changes a result. Prints TAP."""
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import zlib

OGIVE = os.environ['OGIVE_PROGRAM']
ENDLESS = ['exchange', '--set', 'node.source.messages=0', '--interval', '1000']
work = tempfile.mkdtemp(prefix='ogive-live-')
os.chdir(work)
os.environ['XDG_CACHE_HOME'] = work + '/.cache'  # nothing of the user's is used or changed


class Run:
    """`ogive run ... --live`, and requests to it."""
    started = []

    def __init__(self, out, arguments, wait=True):
        Run.started.append(self)
        self.out = out
        self.errors = open(out + '.err', 'w+')
        self.process = subprocess.Popen([OGIVE, 'run', *arguments, '--live', '--out', out],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=self.errors)
        while not (found := re.search(r'^live +(http://.*)$', self.said(), re.M)):
            assert self.process.poll() is None, self.said()
            time.sleep(0.01)
        self.url = found[1]
        self.parts = urllib.parse.urlsplit(self.url)
        self.token = urllib.parse.parse_qs(self.parts.query)['token'][0]
        while wait and not self.state()['snapshot']:
            time.sleep(0.01)

    def said(self):
        with open(self.out + '.err') as file:
            return file.read()

    def ask(self, method, path, query=None, token=True, headers=None, body=None):
        query = dict(query or {})
        if token:
            query['token'] = self.token if token is True else token
        connection = http.client.HTTPConnection(self.parts.hostname, self.parts.port, timeout=60)
        try:
            connection.request(method, path + '?' + urllib.parse.urlencode(query), body,
                               headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def state(self, **query):
        status, _, body = self.ask('GET', '/state', query)
        assert status == 200, body
        return json.loads(body)

    def until(self, test):
        while True:
            state = self.state()
            if test(state):
                return state
            time.sleep(0.01)

    def order(self, path, **query):
        """Asks for something and waits until it was taken."""
        status, _, body = self.ask('POST', path, query)
        assert status == 202, (status, body)
        number = json.loads(body)['request']
        return self.until(lambda state: state['taken'] >= number)

    def pause(self):
        self.order('/pause')
        return self.until(lambda state: state['snapshot']['status'] == 'paused')['snapshot']['cycle']

    def step(self, cycles):
        before = self.state()['snapshot']['cycle']
        self.order('/step', cycles=cycles)
        return self.until(lambda state: state['snapshot']['status'] == 'paused' and
                          state['snapshot']['cycle'] != before)['snapshot']['cycle'] - before

    def stop(self):
        status, _, _ = self.ask('POST', '/stop')
        assert status == 202
        return self.end()

    def end(self):
        """The exit code; it waits for somebody to hear the end."""
        try:
            self.until(lambda state: state['ended'])
        except (ConnectionError, http.client.HTTPException):
            pass  # others have
        return self.process.wait()

    def stats(self):
        with open(self.out + '/stats.json') as file:
            return json.load(file)['summary']


def plain_digest(arguments, cycles):
    """Of the same run without a page, on one thread, up to a cycle."""
    subprocess.run([OGIVE, 'run', *arguments, '--threads', '1', '--stop-after', str(cycles),
                    '--quiet', '--no-report', '--out', 'plain'], check=True)
    with open('plain/stats.json') as file:
        return json.load(file)['summary']['digest']


def same_as_plain(run, arguments):
    summary = run.stats()
    assert plain_digest(arguments, summary['cycles']) == summary['digest'], 'the digests differ'


# ---- Tests ----

def nothing_without_token_and_host():
    run = Run('access', ENDLESS)
    paths = ['/', '/state', '/image.png', '/nothing']
    for token in (False, 'x', run.token[:-1], run.token + '0', '0' * 32):
        for path in paths:
            assert run.ask('GET', path, token=token)[0] == 403, (path, token)
        for path in ('/pause', '/stop', '/checkpoint', '/step', '/continue'):
            assert run.ask('POST', path, token=token)[0] == 403, (path, token)
    for host in ('evil.example', 'evil.example:%d' % run.parts.port, 'localhost.evil.example'):
        assert run.ask('GET', '/state', headers={'Host': host})[0] == 403, host
    for host in ('localhost:1', '127.0.0.1', '[::1]:80'):
        assert run.ask('GET', '/state', headers={'Host': host})[0] == 200, host
    assert run.ask('GET', '/nothing')[0] == 404
    assert run.ask('GET', '/../../etc/passwd')[0] == 404
    assert run.ask('GET', '/%2e%2e/%2e%2e/etc/passwd')[0] == 404
    for path in ('/pause', '/stop', '/checkpoint', '/step', '/continue'):
        assert run.ask('GET', path)[0] == 405, path
    for method in ('POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'):
        assert run.ask(method, '/state')[0] == 405, method
    status, headers, body = run.ask('GET', '/')
    assert status == 200 and b'Ogive live' in body
    assert "default-src 'none'" in headers['Content-Security-Policy']
    assert headers['Cache-Control'] == 'no-store'
    assert headers['X-Content-Type-Options'] == 'nosniff'
    assert run.state()['given'] == 0, 'a refused order was taken'
    assert run.stop() == 0


def orders_are_exact():
    run = Run('orders', ENDLESS)
    at = run.pause()
    assert run.state()['snapshot']['cycle'] == at
    assert run.step(123) == 123
    assert run.step(1) == 1
    run.order('/checkpoint')
    state = run.state()
    for cycles in ('0', '-1', 'x', '', '1000000000000001', '9' * 40):
        assert run.ask('POST', '/step', {'cycles': cycles})[0] == 400, cycles
    assert run.state()['snapshot']['cycle'] == at + 124
    run.order('/continue')
    state = run.until(lambda state: state['snapshot']['cycle'] > at + 124)
    assert state['snapshot']['checkpoint_cycle'] == at + 124, state['snapshot']
    assert state['snapshot']['status'] == 'running'
    state = run.until(lambda state: state['series']['ends'])
    rows = state['series']['rows']
    assert len(rows) == len(state['series']['ends']) and any(any(row) for row in rows)
    less = run.state(**{'from': len(rows), 'generation': state['series']['generation']})['series']
    assert less['from'] in (0, len(rows)) and len(less['ends']) == len(less['rows'])
    assert run.stop() == 0
    assert run.stats()['status'] == 'stopped'
    same_as_plain(run, ENDLESS)
    end = str(run.stats()['cycles'])
    subprocess.run([OGIVE, 'run', '--resume', 'orders/checkpoint.ogv', '--stop-after', end,
                    '--quiet', '--no-report', '--out', 'resumed'], check=True)
    with open('resumed/stats.json') as file:
        assert json.load(file)['summary']['digest'] == run.stats()['digest']


def raw(run, head):
    """The status of the answer to a request written by hand; 0: none, the connection was ended."""
    with socket.create_connection((run.parts.hostname, run.parts.port), timeout=60) as one:
        one.sendall(head.encode())
        try:
            answer = one.recv(65536)
        except ConnectionError:
            answer = b''
        return int(answer.split()[1]) if answer else 0


def what_can_be_read_in_two_ways_is_refused():
    run = Run('twice', ENDLESS)
    get = 'GET /state?token=%s HTTP/1.1\r\n' % run.token
    post = 'POST /pause?token=%s HTTP/1.1\r\nHost: localhost\r\n' % run.token
    end = 'Connection: close\r\n\r\n'
    assert raw(run, get + 'Host: localhost\r\n' + end) == 200
    refused = [
        get + 'Host: localhost\r\nHost: evil.example\r\n' + end,
        get + 'Host: evil.example\r\nhost: localhost\r\n' + end,
        get + 'Host: localhost\r\nHOST: localhost\r\n' + end,
        get + 'Host: localhost\r\nHost : evil.example\r\n' + end,
        get + 'Host: localhost\r\nOrigin: http://localhost\r\nOrigin: null\r\n' + end,
        get.replace('?', '?token=0&') + 'Host: localhost\r\n' + end,
        get.replace(' HTTP', '&token=0 HTTP') + 'Host: localhost\r\n' + end,
        get + end,
        post + 'Content-Length: 1\r\nContent-Length: 0\r\n' + end + 'x',
        post + 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n' + end + '0\r\n\r\n',
    ]
    for head in refused:
        assert raw(run, head) in (0, 400, 403), head
    assert run.state()['given'] == 0, 'a refused order was taken'
    assert run.stop() == 0


def strangers_cannot_lock_the_owner_out():
    run = Run('crowd', ENDLESS)
    owner = http.client.HTTPConnection(run.parts.hostname, run.parts.port, timeout=60)
    owner.connect()
    first = owner.sock

    def owner_asks():
        owner.request('GET', '/state?token=' + run.token)
        answer = owner.getresponse()
        answer.read()
        assert answer.status == 200 and owner.sock is first, 'the owner had to connect again'

    owner_asks()
    strangers, over = [], threading.Event()

    def drip():
        """Keeps all of them just alive: a byte of a request that never ends."""
        while not over.is_set():
            for one in list(strangers):
                try:
                    one.send(b'a')
                except OSError:
                    pass  # it was sent off
            over.wait(0.5)

    dripping = threading.Thread(target=drip)
    dripping.start()
    try:
        for _ in range(150):
            one = socket.create_connection((run.parts.hostname, run.parts.port), timeout=60)
            one.sendall(b'GET /state HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
            strangers.append(one)
        owner_asks()
        for _ in range(20):
            run.state()  # each by a connection of its own
        owner_asks()
    finally:
        over.set()
        dripping.join()
        for one in strangers:
            one.close()
    owner.close()
    assert run.stop() == 0


def garbage(run, seed):
    """Something that is no request, or a wrong one."""
    chance = random.Random(seed)
    good = 'GET /state?token=%s HTTP/1.1\r\nHost: localhost\r\n' % run.token
    tries = [
        bytes(chance.randrange(256) for _ in range(chance.randrange(1, 4000))),
        good.encode() + b'X-Large: ' + b'a' * 200000 + b'\r\n\r\n',
        b'GET /' + b'a' * 100000 + b' HTTP/1.1\r\n\r\n',
        b'BREW /state HTTP/1.1\r\nHost: localhost\r\n\r\n',
        ('POST /pause?token=%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n'
         % run.token).encode() + b'x' * 300000,
        ('POST /stop?token=%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n'
         % run.token).encode(),
        b'GET /../../../etc/passwd HTTP/1.0\r\n\r\n',
        b'POST /stop HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
        good.encode(),  # not finished
        b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',  # TLS
    ]
    with socket.create_connection((run.parts.hostname, run.parts.port), timeout=60) as one:
        one.settimeout(0.2)
        try:
            one.sendall(tries[seed % len(tries)])
            one.recv(65536)
        except OSError:
            pass


def fifty_clients_and_garbage():
    run = Run('storm', ENDLESS + ['--threads', '2'])
    served, failed = [], []

    def client(number):
        try:
            for turn in range(4):
                while True:
                    try:
                        if (number + turn) % 3 == 0:
                            garbage(run, 7 * number + turn)
                        status = run.ask('GET', ('/state', '/', '/image.png')[turn % 3])[0]
                        break
                    except (ConnectionError, http.client.HTTPException):
                        time.sleep(0.02)  # there were too many at once
                served.append(status)
        except Exception as error:  # a thread's failure is the test's
            failed.append(repr(error))

    clients = [threading.Thread(target=client, args=(number,)) for number in range(50)]
    for each in clients:
        each.start()
    for each in clients:
        each.join()
    assert not failed, failed[:3]
    assert len(served) == 200 and set(served) <= {200, 204}, set(served)
    state = run.state()
    assert state['given'] == 0 and state['snapshot']['status'] == 'running', 'garbage gave an order'
    assert run.stop() == 0
    same_as_plain(run, ENDLESS)


def interrupt_ends_a_paused_run():
    run = Run('paused', ENDLESS)
    run.pause()
    run.process.send_signal(signal.SIGINT)
    assert run.end() == 130
    assert run.stats()['status'] == 'interrupted'
    assert 'paused at cycle' in run.said()
    same_as_plain(run, ENDLESS)


def status_on_a_signal():
    run = Run('status', ENDLESS + ['--quiet'])
    run.process.send_signal(signal.SIGUSR1)
    while not re.search(r'^cycle .* cycles/s', run.said(), re.M):
        time.sleep(0.01)
    while not os.path.exists('status/stats.json'):
        time.sleep(0.01)
    assert run.stats()['status'] == 'running'
    run.pause()
    os.remove('status/stats.json')
    run.process.send_signal(signal.SIGUSR1)
    while not os.path.exists('status/stats.json'):
        time.sleep(0.01)
    assert run.stop() == 0
    same_as_plain(run, ENDLESS)


def the_end_is_told():
    run = Run('end', ENDLESS + ['--stop-after', '200000'])
    state = run.until(lambda state: state['ended'])
    assert state['ended'] == 'stopped' and state['report'] == 'end/report.html', state['ended']
    assert state['snapshot']['cycle'] == 200000
    assert run.end() == 0
    assert os.path.exists('end/report.html')


def wrong_options_are_refused():
    def refused(arguments, words):
        done = subprocess.run([OGIVE, 'run', 'exchange', *arguments, '--out', 'refused'],
                              capture_output=True, text=True)
        assert done.returncode == 2 and words in done.stderr, (arguments, done.stderr)
    refused(['--live-bind', '127.0.0.1'], 'goes with --live')
    refused(['--live', '70000'], 'ports are 1 to 65535')
    refused(['--live=x'], 'a whole number is needed')
    refused(['--live', '--live-bind', 'somewhere'], 'in numbers')
    refused(['--live', '--live-bind', '203.0.113.1'], 'cannot listen')
    run = Run('first', ENDLESS)
    refused(['--live', str(run.parts.port)], 'without a number, a free port is taken')
    assert run.stop() == 0


def png_pixels(bytes_of_file):
    """The pixels of a PNG with one filter byte per row."""
    assert bytes_of_file[:8] == b'\x89PNG\r\n\x1a\n'
    at, packed = 8, b''
    while at < len(bytes_of_file):
        length, kind = struct.unpack('>I4s', bytes_of_file[at:at + 8])
        body = bytes_of_file[at + 8:at + 8 + length]
        if kind == b'IHDR':
            width, height, depth, colour = struct.unpack('>IIBB', body[:10])
            assert (depth, colour) == (8, 6), 'not RGBA'
        if kind == b'IDAT':
            packed += body
        at += 12 + length
    raw, before, pixels = zlib.decompress(packed), bytearray(4 * width), b''
    for row in range(height):
        start = row * (4 * width + 1)
        line = bytearray(raw[start + 1:start + 1 + 4 * width])
        for i in range(len(line)):
            left, up = line[i - 4] if i >= 4 else 0, before[i]
            corner = before[i - 4] if i >= 4 else 0
            guess = left + up - corner
            paeth = min((abs(guess - left), 0, left), (abs(guess - up), 1, up),
                        (abs(guess - corner), 2, corner))[2]
            line[i] = (line[i] + (0, left, up, (left + up) // 2, paeth)[raw[start]]) & 255
        pixels += line
        before = line
    return width, height, pixels


def picture_is_in_memory(machine):
    tiny = [machine, '--set', 'sm.count=1', '--set', 'chip.barrier.arrivals=1', '--scene',
            'cornell', '--size', '24x24', '--bounces', '1', '--threads', '1']
    out = 'picture-' + machine
    run = Run(out, tiny, wait=False)
    run.ask('POST', '/pause')  # it is taken when the run begins
    run.until(lambda state: state['snapshot'] and state['snapshot']['status'] == 'paused')
    while (answer := run.ask('GET', '/image.png'))[0] != 200 or \
            not any(png_pixels(answer[2])[2]):
        run.order('/step', cycles=1000)
        run.until(lambda state: state['snapshot']['status'] == 'paused')
        assert run.process.poll() is None
    number = int(answer[1]['X-Ogive-Number'])
    assert run.ask('GET', '/image.png', {'have': number})[0] in (200, 204)
    progress = run.state()['snapshot']['progress']
    assert progress['pixels_in_all'] == 576 and 0 <= progress['pixels'] <= 576
    run.step(1)
    while (answer := run.ask('GET', '/image.png', {'have': number}))[0] != 200:
        time.sleep(0.01)
    assert run.stop() == 0
    with open(out + '/image.png', 'rb') as file:
        assert png_pixels(file.read()) == png_pixels(answer[2]), 'the pictures differ'


def the_picture_is_what_is_in_memory():
    picture_is_in_memory('rtx2080')


def the_picture_of_warps_is_what_is_in_memory():
    picture_is_in_memory('rtx2080-simt')


tests = [nothing_without_token_and_host, what_can_be_read_in_two_ways_is_refused,
         strangers_cannot_lock_the_owner_out, orders_are_exact, fifty_clients_and_garbage,
         interrupt_ends_a_paused_run, status_on_a_signal, the_end_is_told,
         wrong_options_are_refused]
if shutil.which('riscv64-unknown-elf-gcc'):
    tests += [the_picture_is_what_is_in_memory, the_picture_of_warps_is_what_is_in_memory]
print('1..%d' % len(tests))
for count, test in enumerate(tests, 1):
    try:
        test()
        print('ok %d - %s' % (count, test.__name__))
    except Exception as error:
        print('# %s: %r' % (type(error).__name__, error))
        line = sys.exc_info()[2]
        while line.tb_next:
            line = line.tb_next
        print('# line %d' % line.tb_lineno)
        print('not ok %d - %s' % (count, test.__name__))
    sys.stdout.flush()
    for run in Run.started:
        run.process.kill()  # if the test left it behind
        run.process.wait()
shutil.rmtree(work, ignore_errors=True)
