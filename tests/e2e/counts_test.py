"""Every call is counted, whoever makes it and however the program was built."""
import os
import subprocess
import sys

import harness
from harness import EVERY_BUILD, Build, edges, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import compare_counts  # noqa: E402


def test_fib_is_counted_exactly_by_every_build(box):
    for build in EVERY_BUILD:
        report = box.profile(box.build('fib.c', build), '20')
        box.expect_calls(report, str(build), main=1, fib=21891)
        found = edges(report)
        box.expect_equal('%s: calls of fib from main' % build, found.get(('main', 'fib')), 1)
        box.expect_equal('%s: calls of fib from fib' % build, found.get(('fib', 'fib')), 21890)
        box.expect_equal('%s: calls in all' % build, report['total_calls'], 21892)
        # Recursion is one activation: 21,890 of fib's calls are not primitive.
        box.expect_equal('%s: primitive calls' % build, report['primitive_calls'], 2)
        box.expect('%s: the trace is complete' % build, report['integrity']['complete'], report['integrity'])


def test_c_programs_need_no_cpp_library(box):
    for compiler in ('gcc', 'clang'):
        program = box.build('fib.c', Build(compiler))
        dynamic = subprocess.run(['readelf', '--dynamic', program], stdout=subprocess.PIPE, text=True, check=True).stdout
        needed = [line.split('[')[1].rstrip(']') for line in dynamic.splitlines() if '(NEEDED)' in line]
        box.expect('%s: needs libfnprof' % compiler, any(name.startswith('libfnprof.so') for name in needed), needed)
        box.expect('%s: needs no C++ library' % compiler, not any('++' in name for name in needed), needed)
        loaded = box.run(['env', 'LD_TRACE_LOADED_OBJECTS=1', program]).stdout
        box.expect('%s: loads no C++ library' % compiler, 'libfnprof' in loaded and '++' not in loaded, loaded)
        static = box.build('fib.c', Build(compiler, link='static'))
        box.expect_calls(box.profile(static, '10'), '%s, static' % compiler, main=1, fib=177)


def test_threads_are_counted_exactly(box):
    threads, rounds = 8, 30000
    for build in (Build('gcc'), Build('clang'), Build('gcc', link='static')):
        report = box.profile(box.build('threads.c', build), str(threads), str(rounds))
        box.expect_calls(report, str(build), main=1, run=threads, work=threads * rounds, leaf=2 * threads * rounds)
        box.expect_equal('%s: threads' % build, len(report['threads']), threads + 1)
        by_thread = sorted(thread['ncalls'] for thread in report['threads'])
        box.expect_equal('%s: calls by thread' % build, by_thread, [1] + threads * [3 * rounds + 1])


def build_training_loop(box, *link):
    folder = os.path.join(os.path.dirname(harness.PROGRAMS), '..', 'benchmarks', 'training_loop')
    sources = [os.path.join(folder, name) for name in ('training_loop.cpp', 'dataset.cpp', 'model.cpp')]
    program = box.path('training_loop')
    subprocess.run(['g++', '-std=c++17', '-O2', '-g', '-finstrument-functions', '-finstrument-functions-exclude-file-list=/usr/include',
                    *sources, *link, '-o', program], check=True)
    return program


def test_counting_hooks_agree_function_by_function(box):
    # The counting hooks pass every call on to fnprof: both see the same run.
    programs = {
        'training_loop': build_training_loop(box, *Build().link_flags()),
        'threads': box.build('threads.c', Build('clang')),
        'profilee': box.build('profilee.cpp', Build('clang')),
        'around_main': box.build('around_main.c'),
    }
    for name, program in programs.items():
        counts = box.path('counts.txt')
        done = box.run(program, LD_PRELOAD=harness.COUNTING_HOOKS, FNCOUNT_OUTPUT=counts, FNCOUNT_FORWARD='1')
        box.expect_equal('%s: exit status' % name, done.status, 0)
        compared, differences = compare_counts.compare(compare_counts.read_counts(counts), box.report(box.path('run', 'trace.zst')))
        box.expect('%s: functions are compared' % name, compared >= 4, compared)
        box.expect_equal('%s: functions whose counts differ' % name, differences, [])


def test_memoizing_changes_no_loss_and_few_calls(box):
    program = build_training_loop(box, *Build().link_flags())
    losses = []
    for arguments, loads in (([], 4800), (['--memoize'], 800)):
        done = box.run([program, *arguments])
        losses.append(done.stdout)
        report = box.report(box.path('run', 'trace.zst'))
        box.expect_calls(report, ' '.join(['training_loop', *arguments]), get_item=4800, load_item=loads, forward_backward=150, train_epoch=6)
    box.expect_equal('the losses of the second run', losses[1], losses[0])
    box.expect_equal('epochs printed', losses[0].count('epoch'), 6)


def test_recursion_and_exceptions_are_counted_as_known_by_hand(box):
    # calls, primitive calls
    expected = {
        'main': (1, 1), 'whole': (1, 1), 'part': (2, 2), 'first_part': (4, 4), 'second_part': (8, 8), 'second_part_indirectly': (2, 2),
        'look_twice': (8, 8), 'has_attribute': (12, 12), 'attribute': (28, 28), 'factorial': (23, 3), 'multiply': (20, 20),
    }
    expected_edges = {
        ('main', 'whole'): 1, ('whole', 'part'): 2, ('whole', 'factorial'): 1, ('part', 'first_part'): 4, ('part', 'second_part'): 6,
        ('part', 'second_part_indirectly'): 2, ('second_part_indirectly', 'second_part'): 2, ('second_part_indirectly', 'factorial'): 2,
        ('first_part', 'has_attribute'): 4, ('second_part', 'has_attribute'): 8, ('second_part', 'look_twice'): 8,
        ('has_attribute', 'attribute'): 12, ('look_twice', 'attribute'): 16, ('factorial', 'factorial'): 20, ('factorial', 'multiply'): 20,
    }
    for build in EVERY_BUILD:
        report = box.profile(box.build('profilee.cpp', build))
        found = {harness.short_name(f): (f['ncalls'], f['primitive_calls']) for f in report['functions']}
        box.expect_equal('%s: (calls, primitive calls)' % build, {name: found.get(name) for name in expected}, expected)
        found_edges = edges(report)
        box.expect_equal('%s: calls by caller' % build, {pair: found_edges.get(pair) for pair in expected_edges}, expected_edges)


def test_a_shared_library_and_its_program_are_both_recorded(box):
    for link in ('shared', 'static'):
        library = box.path('libpart.so')
        source = box.path('part.c')
        with open(source, 'w') as text:
            text.write('int part_of_library(int n) { return n == 0 ? 0 : 1 + part_of_library(n - 1); }\n')
        subprocess.run(['gcc', '-O0', '-g', '-fPIC', '-shared', '-finstrument-functions', source, '-o', library,
                        *Build(link='shared').link_flags()], check=True)
        program_source = box.path('program.c')
        with open(program_source, 'w') as text:
            text.write('int part_of_library(int n);\nint main(void) { return part_of_library(9) != 9; }\n')
        program = box.path('program')
        flags = Build(link='shared').link_flags() if link == 'shared' else []
        subprocess.run(['gcc', '-O0', '-g', '-finstrument-functions', program_source, library, '-Wl,-rpath,' + box.path(),
                        *flags, '-o', program], check=True)
        report = box.profile(program)
        # A program that is not linked with fnprof itself has libc's hooks, which do nothing.
        box.expect_calls(report, 'program linked with fnprof' if flags else 'only the library linked with fnprof',
                         part_of_library=10, **({'main': 1} if flags else {}))


if __name__ == '__main__':
    main(globals())
