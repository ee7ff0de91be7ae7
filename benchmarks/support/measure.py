"""What all benchmarks share: building, running, statistics, tables, and the machine in general terms."""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COUNTING_HOOKS = os.path.join(ROOT, 'tests', 'support', 'counting_hooks', 'counting_hooks.c')
HOOKS = os.path.join(ROOT, 'benchmarks', 'hooks')


class Failure(Exception):
    """Something that a benchmark needs did not work; its text is for the user."""


def run(command, **options):
    """Runs a command to its end and returns its standard output; a failure shows what it said."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors='replace', **options)
    if done.returncode != 0:
        raise Failure('%s: status %d\n%s' % (' '.join(map(str, command)), done.returncode, (done.stdout + done.stderr)[-2000:]))
    return done.stdout


class Usage:
    """Wall time, processor time and peak memory of one finished command."""

    def __init__(self, wall_s, cpu_s, peak_bytes):
        self.wall_s, self.cpu_s, self.peak_bytes = wall_s, cpu_s, peak_bytes


def timed(command, stdin=None, stdout=None, cwd=None, environment=None):
    """Runs a command, its output going to a file or nowhere, and returns its Usage."""
    # By way of time(1): the peak that the kernel tells of a process's child is at least the process's own size.
    with open(stdin or os.devnull, 'rb') as source, open(stdout or os.devnull, 'wb') as sink, tempfile.NamedTemporaryFile('r') as told:
        start = time.monotonic()
        done = subprocess.run(['time', '-q', '-f', '%U %S %M', '-o', told.name, *command], stdin=source, stdout=sink, stderr=subprocess.PIPE,
                              cwd=cwd, env=environment)
        wall = time.monotonic() - start
        if done.returncode != 0:
            raise Failure('%s: status %d\n%s' % (' '.join(command), done.returncode, done.stderr.decode(errors='replace')[-2000:]))
        user, system, peak_kib = told.read().split()
    return Usage(wall, float(user) + float(system), int(peak_kib) * 1024)


def installed_fnprof(prefix, work):
    """The prefix of an installed fnprof: the one given, or this source tree built and installed under `work`."""
    if prefix is None:
        build, prefix = os.path.join(work, 'build'), os.path.join(work, 'stage')
        run(['cmake', '-S', ROOT, '-B', build, '-DCMAKE_BUILD_TYPE=Release', '-DFNPROF_BUILD_TESTS=OFF',
             '-DFNPROF_BUILD_BENCHMARKS=OFF', '-DCMAKE_INSTALL_LIBDIR=lib', '-DCMAKE_INSTALL_PREFIX=' + prefix])
        run(['cmake', '--build', build, '--parallel', str(os.cpu_count())])
        run(['cmake', '--install', build])
    prefix = os.path.abspath(prefix)
    if not os.path.exists(os.path.join(prefix, 'bin', 'fnprof-analyze')):
        raise Failure('%s holds no installed fnprof' % prefix)
    return prefix


def shared_library(prefix):
    """The shared library itself, for LD_PRELOAD (libfnprof.so is a linker script)."""
    return os.path.join(prefix, 'lib', 'libfnprof.so.0')


def report(prefix, *traces):
    return json.loads(run([os.path.join(prefix, 'bin', 'fnprof-analyze'), 'report', '--json', *traces]))


def build_hooks(work, name):
    """One of the small hook libraries as a shared object for linking or LD_PRELOAD."""
    source = COUNTING_HOOKS if name == 'counting' else os.path.join(HOOKS, name + '_hooks.c')
    library = os.path.join(work, 'lib%s_hooks.so' % name)
    run(['gcc', '-std=gnu11', '-O2', '-fPIC', '-shared', '-pthread', source, '-o', library])
    return library


def build_codec_bench(work):
    """The bench of the record codec, from this source tree."""
    program = os.path.join(work, 'codec_bench')
    runtime = os.path.join(ROOT, 'runtime')
    run(['g++', '-std=c++20', '-O2', '-I', runtime, os.path.join(ROOT, 'benchmarks', 'codec_bench.cpp'),
         os.path.join(runtime, 'src', 'frame.cpp'), '-o', program, '-l:libzstd.a'])
    return program


def coded_per_second(codec_bench, trace):
    """Million events a second that one core codes and compresses, of the records of a trace."""
    return re.search(r'encode .*? = (\d+) M/s', run([codec_bench, trace])).group(1)


def folder_bytes(folder, ending=''):
    """Size of all files in a folder whose names end so."""
    return sum(os.path.getsize(os.path.join(where, name)) for where, _, names in os.walk(folder) for name in names if name.endswith(ending))


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def quartiles(values):
    """Lower quartile, median and upper quartile."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    return tuple(statistics.quantiles(values, n=4, method='inclusive'))


def spread(values, digits=2):
    """Median with both quartiles, as the tables show it."""
    low, middle, high = quartiles(values)
    return '%.*f (%.*f-%.*f)' % (digits, middle, digits, low, digits, high)


def table(columns, rows):
    lines = ['| ' + ' | '.join(columns) + ' |', '|' + '---|' * len(columns)]
    lines += ['| ' + ' | '.join(row) + ' |' for row in rows]
    return '\n'.join(lines)


def clock_step(work):
    """(MHz, step in ticks, ns a reading) of the time stamp counter."""
    program = os.path.join(work, 'clock_step')
    run(['gcc', '-O2', os.path.join(HOOKS, 'clock_step.c'), '-o', program])
    mhz, step, read_ns = run([program]).split()
    return float(mhz), int(step), float(read_ns)


def machine(work):
    """One line about the machine, without anything that would identify it."""
    with open('/proc/cpuinfo') as info:
        text = info.read()
    model = re.search(r'model name\s*: (.*)', text)
    name = re.sub(r'\s+', ' ', re.sub(r'\(R\)|\(TM\)|CPU|Processor|@.*', ' ', model.group(1))).strip() if model else 'unknown processor'
    family = [re.search(key + r'\s*: (\d+)', text) for key in ('cpu family', 'model')]
    numbers = '/'.join(found.group(1) for found in family if found)
    mhz, step, read_ns = clock_step(work)
    kind = ', virtual machine' if re.search(r'^flags.*\bhypervisor\b', text, re.M) else ''
    gcc = run(['gcc', '-dumpfullversion']).strip()
    return ('%s (family/model %s), %d cores%s; time stamp counter %.0f MHz in steps of %d tick%s, %.1f ns a reading; gcc %s' %
            (name, numbers, os.cpu_count(), kind, mhz, step, '' if step == 1 else 's', read_ns, gcc))


def say(text):
    print(text, file=sys.stderr, flush=True)


def peer_note():
    """What a table's title says about the peer."""
    if shutil.which('uftrace') is None:
        return '; uftrace is not installed, its rows are missing'
    return '; ' + ' '.join(run(['uftrace', '--version']).split()[:2])
