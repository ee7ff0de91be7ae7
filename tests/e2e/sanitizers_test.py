"""Sanitizers beside fnprof: they find the program's faults as ever, and none of ours; and the profile is right."""
from harness import Build, edges, main

# Sanitizer: (fault, what is said of it, flags of its own)
SANITIZERS = {
    'address': ('address', 'heap-buffer-overflow', []),
    'undefined': ('undefined', 'signed integer overflow', ['-fno-sanitize-recover=all']),
    'leak': ('leak', 'detected memory leaks', []),
    'thread': ('thread', 'data race', []),
    'memory': ('memory', 'use-of-uninitialized-value', []),
}


def builds(box, sanitizer):
    flags = ['-finstrument-functions', '-fsanitize=' + sanitizer, *SANITIZERS[sanitizer][2]]
    for compiler in ('gcc', 'clang'):
        if sanitizer == 'memory' and compiler == 'gcc':
            continue
        yield '%s -fsanitize=%s' % (compiler, sanitizer), box.build('faulty.c', Build(compiler, '-O1'), flags)
    if sanitizer in ('address', 'thread'):
        yield 'gcc, inside of the program', box.build('faulty.c', Build('gcc', '-O1'), [*flags, {'address': '-static-libasan', 'thread': '-static-libtsan'}[sanitizer]])


def run(box, program, *arguments):
    # Their shadows need addresses as they have always been.
    return box.run(['setarch', '-R', program, *arguments])


def look(box, sanitizer):
    fault, said, _ = SANITIZERS[sanitizer]
    for what, program in builds(box, sanitizer):
        done = run(box, program)
        box.expect_equal('%s, no fault: (status, what it says)' % what, (done.status, done.stderr), (0, ''))
        report = box.report(box.path('run', 'trace.zst'))
        box.expect_calls(report, what, main=1, outer=1, inner=1)
        done = run(box, program, fault)
        box.expect('%s: the status tells of the fault' % what, done.status != 0, done.status)
        box.expect('%s: the fault is said' % what, said in done.stderr, done.stderr)
        box.expect('%s: of the function that has it' % what, 'increment' in done.stderr if fault == 'thread' else 'faulty.c' in done.stderr, done.stderr)
        box.expect('%s: nothing is said of fnprof' % what, 'fnprof::' not in done.stderr and 'fnprof_e' not in done.stderr, done.stderr)
        report = box.report(box.path('run', 'trace.zst'))
        box.expect_calls(report, what, main=1, outer=1, inner=1, **({'increment': 2} if fault == 'thread' else {}))
        box.expect_equal('%s: caller of inner' % what, edges(report).get(('outer', 'inner')), 1)


def test_an_address_fault_is_found(box):
    look(box, 'address')


def test_undefined_behaviour_is_found(box):
    look(box, 'undefined')


def test_a_leak_is_found(box):
    look(box, 'leak')


def test_a_data_race_is_found(box):
    look(box, 'thread')


def test_uninitialised_memory_is_found(box):
    look(box, 'memory')


def test_marks_are_on_behind_interceptors(box):
    for compiler in ('gcc', 'clang'):
        for sanitizer in ('address', 'thread', 'undefined', 'leak'):
            program = box.build('unwinds.cpp', Build(compiler, '-O1'), ['-finstrument-functions', '-fsanitize=' + sanitizer])
            done = run(box, program)
            what = '%s -fsanitize=%s' % (compiler, sanitizer)
            box.expect_equal('%s: (status, what it says)' % what, (done.status, done.stderr), (0, ''))
            report = box.report(box.path('run', 'trace.zst'))
            box.expect_equal('%s: marks are on' % what, report['processes'][0]['marks_on'], True)
            box.expect_equal('%s: calls' % what, edges(report), {
                (None, 'main'): 1, ('main', 'thrower'): 1, ('main', 'handler'): 1, ('main', 'jumper'): 1, ('main', 'landed'): 1})


if __name__ == '__main__':
    main(globals())
