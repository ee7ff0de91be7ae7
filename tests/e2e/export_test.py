"""Exports, read by the tools that they are for: every figure of theirs is the one of --json."""
import os
import pstats
import subprocess
import sys

from harness import STAGE, Build, main

TOOL = os.path.join(STAGE, 'bin', 'fnprof-analyze')
KEYS = ['calls', 'ncalls', 'pcalls', 'cumulative', 'cumtime', 'time', 'tottime', 'filename', 'module', 'line', 'name', 'nfl', 'stdname',
        'file,line', 'calls,name', 'pcalls,tot,nfl', 'line,calls,cumtime', 'ca,ti', 'name,cumu']


def recorded(box, source='profilee.cpp', flags=('-finstrument-functions',), **build):
    program = box.build(source, Build(**build), flags)
    box.run(program)
    return box.path('run', 'trace.zst')


def exported(box, trace, *options):
    path = box.path('profile.pstats')
    done = box.analyze('export', 'pstats', *options, trace, '-o', path)
    box.expect_equal('export %s: status, stdout' % ' '.join(options), (done.status, done.stdout), (0, ''))
    return pstats.Stats(path)


def near(seconds, ns):
    """JSON rounds to nanoseconds."""
    return abs(seconds * 1e9 - ns) <= 0.5 + 1e-6


def compare(box, what, stats, report, raw=False):
    self_ns, cumulative_ns = ('self_ns', 'cumulative_ns') if raw else ('self_net_ns', 'cumulative_net_ns')
    keys = {function['id']: (function['file'] or function['module'], function['line'] or 0, function['name']) for function in report['functions']}
    box.expect_equal('%s: functions' % what, sorted(stats.stats), sorted(keys.values()))
    box.expect_equal('%s: calls' % what, (stats.total_calls, stats.prim_calls), (report['total_calls'], report['primitive_calls']))
    wrong = []
    callers = {key: {} for key in keys.values()}
    for edge in report['edges']:
        if edge['caller'] is not None:
            callers[keys[edge['callee']]][keys[edge['caller']]] = edge
    for function in report['functions']:
        primitive, calls, tottime, cumtime, found = stats.stats[keys[function['id']]]
        expected = callers[keys[function['id']]]
        if (primitive, calls) != (function['primitive_calls'], function['ncalls']) or set(found) != set(expected):
            wrong.append((function, primitive, calls, found))
        if not near(tottime, function[self_ns]) or not near(cumtime, function[cumulative_ns]):
            wrong.append((function, tottime, cumtime))
        for caller, (calls, primitive, tottime, cumtime) in found.items():
            edge = expected[caller]
            if (calls, primitive) != (edge['ncalls'], edge['primitive_calls']) or not near(tottime, edge[self_ns]) or not near(cumtime, edge[cumulative_ns]):
                wrong.append((edge, calls, primitive, tottime, cumtime))
    box.expect_equal('%s: figures that differ' % what, wrong, [])


def test_pstats_reads_the_figures_of_json(box):
    for build in ({}, {'compiler': 'clang', 'optimization': '-O0', 'link': 'static'}):
        trace = recorded(box, **build)
        report = box.report(trace)
        box.expect('%s: there is recursion in it' % build, any(function['ncalls'] != function['primitive_calls'] for function in report['functions']))
        compare(box, '%s: net' % build, exported(box, trace), report)
        compare(box, '%s: measured' % build, exported(box, trace, '--raw'), report, raw=True)


def test_pstats_profiles_by_name_agree(box):
    trace = recorded(box)
    report = box.report(trace)
    profile = exported(box, trace, '--raw').get_stats_profile()
    names = [function['name'] for function in report['functions']]
    box.expect_equal('functions', sorted(profile.func_profiles), sorted(names))
    for function in report['functions']:
        found = profile.func_profiles[function['name']]
        calls, primitive = function['ncalls'], function['primitive_calls']
        seconds = [round(ns / 1e9, 3) for ns in (function['self_ns'], function['self_ns'] / calls, function['cumulative_ns'], function['cumulative_ns'] / primitive)]
        box.expect_equal(function['name'], (found.ncalls, found.file_name, found.line_number),
                         (str(calls) if calls == primitive else '%d/%d' % (calls, primitive), function['file'], function['line']))
        box.expect('%s: times' % function['name'], all(abs(a - b) < 0.0011 for a, b in zip(seconds, (found.tottime, found.percall_tottime, found.cumtime, found.percall_cumtime))), found)


def test_sort_keys_order_as_pstats_does(box):
    trace = recorded(box)
    stats = exported(box, trace)
    def ours(*options):
        rows = box.analyze('--pstats', '--full-paths', 'all', *options, trace).stdout.split('filename:lineno(function)\n')[1].splitlines()
        return [row.split(None, 5)[5] for row in rows if row]
    def theirs(keys):
        ordered = stats.sort_stats(*[pstats_key(key) for key in keys.split(',')]).fcn_list
        return ['%s:%d(%s)' % function for function in ordered]
    def pstats_key(key):
        return {'tot': 'tottime'}.get(key, key)
    for keys in KEYS:
        box.expect_equal('sorted by %s' % keys, ours('-s', keys), theirs(keys))
    for keys in ('nfl', 'stdname'):
        box.expect_equal('reversed by %s' % keys, ours('-s', keys, '-r'), theirs(keys)[::-1])


def test_pstats_shell_prints_it(box):
    exported(box, recorded(box))
    commands = 'sort cumtime\nstats 3\ncallers factorial\ncallees factorial\nstrip\nstats\nquit\n'
    done = subprocess.run([sys.executable, '-m', 'pstats', box.path('profile.pstats')], input=commands, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    box.expect_equal('status', done.returncode, 0)
    for line in ('List reduced from 11 to 3 due to restriction <3>', 'was called by...', 'called...', '20/3', '23/3', 'profilee.cpp:'):
        box.expect('it prints %s' % line, line in done.stdout, done.stdout)
    box.expect('it complains of nothing', 'Error' not in done.stdout and 'Traceback' not in done.stdout, done.stdout)


def test_no_function_is_lost_under_one_key(box):
    for name, result in (('a', 'x + 1'), ('b', 'x * 2')):
        os.makedirs(box.path(name))
        with open(box.path(name, 'util.c'), 'w') as source:
            source.write('static int helper(int x) { return %s; }\nint %s(int x) { return helper(x); }\n' % (result, name))
    with open(box.path('one.c'), 'w') as one:
        one.write('int a(int), b(int);\nint main(void) { return a(-1) + b(0) + b(0); }\n')
    for debug in ('-g', '-g0'):
        trace = recorded(box, box.path('one.c'), ('-finstrument-functions', debug, box.path('a', 'util.c'), box.path('b', 'util.c')), optimization='-O0')
        stats = exported(box, trace)
        for what in ('as it is', 'stripped'):
            helpers = sorted(figures[1] for key, figures in stats.stats.items() if key[2].startswith('helper'))
            box.expect_equal('%s, %s: calls of the two helpers' % (debug, what), helpers, [1, 2])
            box.expect_equal('%s, %s: callers' % (debug, what), sorted(key[2] for figures in stats.stats.values() for key in figures[4] if key[2] != 'main'), ['a', 'b'])
            stats.strip_dirs()


def test_where_an_export_goes(box):
    trace = recorded(box)
    exported(box, trace)
    with open(box.path('profile.pstats'), 'rb') as file:
        written = file.read()
    for options in ((), ('-o', '-')):
        piped = subprocess.run([TOOL, 'export', 'pstats', *options, trace], stdout=subprocess.PIPE).stdout
        box.expect_equal('%s: the same bytes on standard output' % (options,), piped, written)
    with open(trace, 'rb') as file:
        before = file.read()
    for what, arguments, words in (('the trace itself', ('pstats', trace, '-o', trace), 'is the trace itself'),
                                   ('no format', (), 'formats are: pstats'), ('a mistyped one', ('psats', trace), 'did you mean pstats'),
                                   ('restrictions', ('pstats', trace, '20', '-o', box.path('x')), 'no restrictions')):
        done = box.analyze('export', *arguments)
        box.expect('%s: refused as wrong usage' % what, done.status == 2 and words in done.stderr, (done.status, done.stderr))
    with open(trace, 'rb') as file:
        box.expect_equal('the trace is as it was', file.read() == before, True)
    done = box.analyze('export', 'pstats', trace, '-o', box.path('no', 'such', 'folder'))
    box.expect('a file that cannot be written', done.status == 1 and 'cannot write' in done.stderr, done.stderr)
    full = subprocess.run([TOOL, 'export', 'pstats', trace, '-o', '/dev/full'], stderr=subprocess.PIPE, text=True)
    box.expect('a full disk', full.returncode == 1 and 'not complete' in full.stderr, full.stderr)
    master, slave = os.openpty()
    done = subprocess.run([TOOL, 'export', 'pstats', trace], stdout=slave, stderr=subprocess.PIPE, text=True)
    os.close(slave)
    os.close(master)
    box.expect('nothing binary for a terminal', done.returncode == 2 and 'terminal' in done.stderr, done.stderr)


if __name__ == '__main__':
    main(globals())
