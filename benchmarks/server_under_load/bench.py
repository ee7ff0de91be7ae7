"""A server with threads under load: is anything lost when it is killed in the middle, or when it ends as it should?

memcached from Debian's source package, built by each compiler with -finstrument-functions -lfnprof, under a load on loopback. The
counting hooks are preloaded and pass every call on; their counts lie in a file, and outlive the process as fnprof's records do. Both
must be the same for every function: exactly after a normal end, and after SIGKILL but for one call a thread that one of the two had
seen and the other not yet. A call starts with no caller only where a thread or a signal handler does.
"""
import os
import signal
import socket
import subprocess
import sys
import time

from real_programs.programs import Program
from real_programs.sources import Sources
from server_under_load.load import Client
from support import measure
from support.measure import run

sys.path.insert(0, os.path.join(measure.ROOT, 'tests', 'support'))
import compare_counts  # noqa: E402

SOURCES = ('memcached hash jenkins_hash murmur3_hash slabs items assoc thread daemon stats_prefix util cache bipbuffer base64 logger '
           'crawler itoa_ljust slab_automove authfile restart proto_text proto_bin crc32c slab_automove_extstore storage extstore linux_priv')
CLIENTS, WORKERS = 6, 4
BATCHES = 150  # of each client; the one that is killed has no end of them
START_LIMIT_S = 60
# Where threads and handlers begin.
ROOTS = {'main', 'worker_libevent', 'assoc_maintenance_thread', 'lru_maintainer_thread', 'item_crawler_thread', 'slab_rebalance_thread',
         'slab_maintenance_thread', 'logger_thread', 'sig_handler', 'sighup_handler', 'sig_usrhandler', 'extstore_io_thread',
         'extstore_maint_thread', 'storage_write_thread', 'storage_compact_thread'}


def program(sources, work):
    place = sources.fetch('memcached')
    configured = os.path.join(work, 'memcached-configured')
    if not os.path.exists(os.path.join(configured, 'config.h')):
        os.makedirs(configured, exist_ok=True)
        run([os.path.join(place, 'configure'), '--disable-coverage', '--disable-docs'], cwd=configured)
    with open(os.path.join(configured, 'config.h')) as text:
        enabled = text.read()
    names = [name for name in SOURCES.split() if name != 'linux_priv' or '#define HAVE_DROP_PRIVILEGES 1' in enabled]
    files = [os.path.join(place, name + '.c') for name in names]
    return Program('memcached', files, ['-DHAVE_CONFIG_H', '-I' + configured, '-I' + place, '-DNDEBUG'], libraries=['-levent'])


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


class Run:
    """The server from its start to its end, with clients."""

    def __init__(self, binary, folder, counting):
        self.folder = measure.fresh(folder)
        self.trace = os.path.join(folder, 'trace.zst')
        self.shared = os.path.join(folder, 'counts')
        self.port = free_port()
        environment = dict(os.environ, LD_PRELOAD=counting, FNCOUNT_SHARED=self.shared, FNCOUNT_FORWARD='1', FNPROF_OUTPUT=self.trace)
        command = [binary, '-u', 'root', '-l', '127.0.0.1', '-p', str(self.port), '-t', str(WORKERS), '-m', '8', '-c', '64']
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def wait_until_it_listens(self):
        limit = time.monotonic() + START_LIMIT_S
        while self.process.poll() is None and time.monotonic() < limit:
            try:
                socket.create_connection(('127.0.0.1', self.port)).close()
                return
            except OSError:
                time.sleep(0.01)
        self.process.kill()
        raise measure.Failure('memcached does not listen: ' + self.process.communicate()[1][-2000:])

    def load(self, killed_after=None):
        """Answered requests. killed_after: in the middle, when so many were answered."""
        clients = [Client(self.port, seed, BATCHES if killed_after is None else 10 ** 9) for seed in range(CLIENTS)]
        for client in clients:
            client.start()
        while killed_after is not None and self.process.poll() is None and sum(client.requests for client in clients) < killed_after:
            time.sleep(0.001)
        with open('/proc/%d/maps' % self.process.pid) as maps:
            self.maps = maps.read()
        if killed_after is not None:
            self.process.send_signal(signal.SIGKILL)
        for client in clients:
            client.join()
            if client.fault is not None:
                raise measure.Failure('a client of memcached: %s' % client.fault)
        return sum(client.requests for client in clients)

    def end(self, expected):
        if expected == 0:
            self.process.send_signal(signal.SIGTERM)
        complaints = self.process.communicate(timeout=START_LIMIT_S)[1]
        if self.process.returncode != expected:
            raise measure.Failure('memcached ended with status %d\n%s' % (self.process.returncode, complaints[-2000:]))


def check(run_of, answer, killed, who):
    """The number of functions, all with equal counts."""
    threads = len(answer['threads'])
    functions, differences = compare_counts.compare(compare_counts.read_shared(run_of.shared, run_of.maps), answer, threads if killed else 0)
    integrity = answer['integrity']
    for key in ('lost_events', 'damaged_blocks', 'missing_chunks', 'unmatched_exits'):
        if integrity[key] != 0:
            differences.append('%s: %d' % (key, integrity[key]))
    if not integrity['complete'] or integrity['remarks']:
        differences.append('not complete: %s' % integrity['remarks'])
    if answer['processes'][0]['ended'] == killed:
        differences.append('the trace %s an end record' % ('has' if killed else 'lacks'))
    names = {function['id']: function['name'] for function in answer['functions']}
    roots = {names[edge['callee']] for edge in answer['edges'] if edge['caller'] is None}
    if roots - ROOTS:
        differences.append('called by nobody: %s' % sorted(roots - ROOTS))
    if threads <= WORKERS:
        differences.append('%d threads, expected more than %d' % (threads, WORKERS))
    if differences or not functions:
        raise measure.Failure('%s: %s' % (who, '\n'.join(differences[:20])))
    return functions


def bench(arguments, work):
    counting = measure.build_hooks(work, 'counting')
    sources = Sources(os.path.join(work, 'sources'))
    memcached = program(sources, work)
    library = os.path.join(arguments.prefix, 'lib')
    rows = []
    for compiler in arguments.compilers.split(','):
        folder = measure.fresh(os.path.join(work, 'memcached-' + compiler))
        binary = memcached.build(os.path.join(folder, 'memcached'), compiler, ['-finstrument-functions', '-fPIE'],
                                 ['-pie', '-L' + library, '-lfnprof', '-Wl,-rpath,' + library])
        for killed in (False, True):
            who = 'memcached by %s, %s' % (compiler, 'killed' if killed else 'ended')
            measure.say('server: ' + who)
            one = Run(binary, os.path.join(folder, 'killed' if killed else 'ended'), counting)
            one.wait_until_it_listens()
            requests = one.load(CLIENTS * BATCHES * 20 if killed else None)
            one.end(-signal.SIGKILL if killed else 0)
            answer = measure.report(arguments.prefix, one.trace)
            functions = check(one, answer, killed, who)
            rows.append(['memcached', compiler, 'SIGKILL under load' if killed else 'SIGTERM (exit status 0)', str(requests),
                         '%.1f' % (answer['total_calls'] / 1e6), str(len(answer['threads'])), str(answer['integrity']['live_events']),
                         str(answer['integrity']['lost_events']), 'all %d equal' % functions])
    columns = ['server', 'by', 'ended by', 'requests', 'M calls', 'threads', 'events from the live file', 'lost events', 'counts of functions']
    return measure.table(columns, rows)
