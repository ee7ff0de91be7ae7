"""What the end-to-end tests share: building programs with fnprof as a user does, running them, asking the analyzer.

A test file defines functions `test_<behaviour>(box)`; its last line calls main(). CMake registers each function as a ctest
entry of its own, `e2e.<file>.<behaviour>`. A test says what it expected and what it found; nothing is skipped.
"""
import glob
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

PROGRAMS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'programs')
STAGE = os.environ.get('E2E_STAGE', '')
COUNTING_HOOKS = os.environ.get('E2E_COUNTING_HOOKS', '')
TIMEOUT_S = 120


def pkg_config(*arguments):
    environment = dict(os.environ, PKG_CONFIG_PATH=os.path.join(STAGE, 'lib', 'pkgconfig'))
    return subprocess.run(['pkg-config', *arguments], stdout=subprocess.PIPE, text=True, check=True, env=environment).stdout.split()


class Build:
    """How a program is built: by which compiler, how optimised, and with which of fnprof's libraries."""

    def __init__(self, compiler='gcc', optimization='-O2', link='shared'):
        self.compiler, self.optimization, self.link = compiler, optimization, link

    def __str__(self):
        return '%s %s %s' % (self.compiler, self.optimization, self.link)

    def driver(self, source):
        plus = {'gcc': 'g++', 'clang': 'clang++'}[self.compiler]
        return plus if source.endswith('.cpp') else self.compiler

    def link_flags(self, source=''):
        library = os.path.join(STAGE, 'lib')
        package = 'fnprof-c++' if source.endswith('.cpp') and self.link != 'static as for C' else 'fnprof'
        if self.link == 'none':
            return []
        if self.link in ('static', 'static as for C'):
            return ['-static', *pkg_config('--static', '--libs', package)]
        shared = ['-L' + library, '-lfnprof', '-Wl,-rpath,' + library]
        return {'shared': shared, 'static without wrapping': ['-static', *shared[:2]],
                'shared, C++ library inside': ['-static-libstdc++', '-static-libgcc', *shared]}[self.link]


EVERY_BUILD = [Build(c, o, l) for c in ('gcc', 'clang') for o in ('-O0', '-O2') for l in ('shared', 'static')]
BOTH_LINKS = [Build(link='shared'), Build(link='static')]


class Finished:
    """A process that has ended: status (negative: the signal), stdout, stderr."""

    def __init__(self, status, stdout, stderr):
        self.status, self.stdout, self.stderr = status, stdout, stderr

    def fnprof_lines(self):
        return [line for line in self.stderr.splitlines() if line.startswith('fnprof:')]


class Box:
    """An empty folder, gone with the test, and everything that happens in it."""

    def __init__(self, folder):
        self.folder = folder
        self.failures = 0

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def fresh(self, name='run'):
        """An empty folder inside the box."""
        shutil.rmtree(self.path(name), ignore_errors=True)
        os.makedirs(self.path(name))
        return self.path(name)

    def build(self, source, build=Build(), flags=('-finstrument-functions',), output=None):
        source = source if os.path.isabs(source) else os.path.join(PROGRAMS, source)
        program = output or self.path('%s-%s' % (os.path.basename(source).split('.')[0], str(build).replace(' ', '')))
        command = [build.driver(source), build.optimization, '-g', '-pthread', *flags, source, '-o', program, *build.link_flags(source)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S)
        if done.returncode != 0:
            raise AssertionError('%s does not build: %s\n%s' % (os.path.basename(source), ' '.join(command), done.stdout))
        return program

    def environment(self, variables):
        """The caller's environment without fnprof's variables, plus the given ones."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith('FNPROF_')}
        environment.update(variables)
        return environment

    def run(self, command, cwd=None, file_limit=None, **variables):
        """Runs a command to its end; `file_limit`: no file may grow beyond so many bytes."""
        command = [command] if isinstance(command, str) else command
        limit = file_limit and (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit)))
        done = subprocess.run(command, cwd=cwd or self.fresh(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env=self.environment(variables), timeout=TIMEOUT_S, preexec_fn=limit)
        return Finished(done.returncode, done.stdout, done.stderr)

    def start(self, command, cwd, **variables):
        """A process with pipes; wait for its lines instead of sleeping."""
        return subprocess.Popen([command], cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.environment(variables))

    def analyze(self, *arguments):
        tool = os.path.join(STAGE, 'bin', 'fnprof-analyze')
        done = subprocess.run([tool, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S)
        return Finished(done.returncode, done.stdout, done.stderr)

    def document(self, subcommand, *traces):
        answer = self.analyze(subcommand, '--json', *traces)
        if answer.status != 0:
            raise AssertionError('fnprof-analyze %s --json %s: status %d\n%s' % (subcommand, ' '.join(traces), answer.status, answer.stderr))
        return json.loads(answer.stdout)

    def report(self, *traces):
        return self.document('report', *traces)

    def traces(self, folder=None):
        """Names of the traces in a folder."""
        return sorted(os.path.basename(path) for path in glob.glob(os.path.join(folder or self.path('run'), '*.zst')))

    def profile(self, program, *arguments, **variables):
        """Runs a program in an empty folder and returns the report on trace.zst."""
        done = self.run([program, *arguments], **variables)
        self.expect_equal('exit status', done.status, 0)
        return self.report(self.path('run', 'trace.zst'))

    def expect(self, what, holds, found=''):
        """Prints what is expected; remembers when it does not hold."""
        print('%s: %s%s' % ('ok' if holds else 'WRONG', what, '' if holds or found == '' else ' - found %s' % (found,)), flush=True)
        self.failures += not holds

    def expect_equal(self, what, found, expected):
        self.expect('%s is %r' % (what, expected), found == expected, repr(found))

    def expect_calls(self, report, context='', **expected):
        """Calls by unqualified function name; every recorded event must be there."""
        found = calls(report)
        for name, count in expected.items():
            self.expect_equal('%scalls of %s' % (context and context + ': ', name), found.get(name, 0), count)
        self.expect_equal('%slost events' % (context and context + ': '), report['integrity']['lost_events'], 0)


def short_name(function):
    """The unqualified name without parameters."""
    return function['name'].replace('(anonymous namespace)::', '').split('(')[0].split('::')[-1]


def calls(report):
    """{function: calls}"""
    found = {}
    for function in report['functions']:
        found[short_name(function)] = found.get(short_name(function), 0) + function['ncalls']
    return found


def edges(report):
    """{(caller or None, callee): calls}"""
    names = {function['id']: short_name(function) for function in report['functions']}
    return {(names.get(edge['caller']), names[edge['callee']]): edge['ncalls'] for edge in report['edges']}


def records_by_kind(path):
    """What a trace holds, by a reader that knows nothing of calls: {"enter": ..., "exit": ..., "gap": ...} and more."""
    return json.loads(subprocess.run([os.environ['E2E_COUNT_RECORDS'], path], stdout=subprocess.PIPE, check=True).stdout)


def trace_records(path):
    """Records in the record blocks of a trace file, read without fnprof: zstd's own tool, and the header of each block."""
    content = subprocess.run(['zstd', '-dc', '--no-progress', path], stdout=subprocess.PIPE, check=True).stdout
    at, records = 0, 0
    while at < len(content):
        if content[at:at + 4] != b'FNPB':
            raise AssertionError('no block header at byte %d of %s' % (at, path))
        kind, header_bytes = content[at + 6], content[at + 7]
        payload_bytes = int.from_bytes(content[at + 8:at + 12], 'little')
        if kind == 2:
            records += int.from_bytes(content[at + 28:at + 32], 'little')
        at += header_bytes + payload_bytes
    return records


def main(namespace):
    """`FILE.py --list` prints the behaviours of a test file, `FILE.py BEHAVIOUR` tests one."""
    tests = {name[len('test_'):]: test for name, test in namespace.items() if name.startswith('test_')}
    if sys.argv[1:] == ['--list']:
        print(';'.join(tests))
        return
    if len(sys.argv) != 2 or sys.argv[1] not in tests:
        sys.exit('usage: %s BEHAVIOUR, one of: %s' % (sys.argv[0], ', '.join(tests)))
    with tempfile.TemporaryDirectory(prefix='fnprof-e2e-') as folder:
        box = Box(os.path.realpath(folder))
        tests[sys.argv[1]](box)
    if box.failures:
        sys.exit('%d of the expectations above are wrong' % box.failures)
