"""Programs that replace what everybody takes for granted, by functions that are instrumented themselves."""
import os
import subprocess

from harness import PROGRAMS, STAGE, Build, calls, edges, main

COMPILERS = {'gcc': ['-fno-tree-loop-distribute-patterns'], 'clang': []}
SHARED = Build().link_flags()
STATIC = ['-static', *Build(link='static without wrapping').link_flags()[1:]]
ARCHIVE = ['-L' + os.path.join(STAGE, 'lib'), '-l:libfnprof.a']
# In a static program the C library copies once before there is thread-local storage; hooks do nothing then.
BEFORE_THREADS = {'memcpy': 1}


def link(box, compiler, output, sources, *flags, hooks=True):
    subprocess.run([compiler, '-O2', '-g', '-pthread', '-fno-builtin', *COMPILERS[compiler], *(['-finstrument-functions'] if hooks else []),
                    *[os.path.join(PROGRAMS, source) for source in sources], '-o', box.path(output), *flags], check=True)
    return box.path(output)


def counts_of(done):
    return {name: int(count) for name, count in (line.split() for line in done.stdout.splitlines())}


def expect_all_counted(box, what, program, unseen={}, preload=''):
    """The profile has the calls that the replacements counted themselves; these counts."""
    done = box.run(program, **({'LD_PRELOAD': preload} if preload else {}))
    box.expect_equal('%s: (status, what it says)' % what, (done.status, done.stderr), (0, ''))
    counted = counts_of(done)
    report = box.report(box.path('run', 'trace.zst'))
    reported = calls(report)
    expected = {name: count - unseen.get(name, 0) for name, count in counted.items()}
    box.expect_equal('%s: calls' % what, {name: reported.get(name, 0) for name in expected}, expected)
    box.expect('%s: the replacements are used' % what, all(counted[name] >= 20000 for name in ('malloc', 'free', 'memcpy', 'clock_gettime')), counted)
    box.expect('%s: the trace is complete' % what, report['integrity']['complete'], report['integrity'])
    return counted


def test_functions_replaced_in_the_program(box):
    for compiler in COMPILERS:
        sources = ['replacements.c', 'uses_replacements.c']
        alone = counts_of(box.run(link(box, compiler, 'alone', sources, '-rdynamic')))
        for form, flags in (('shared', SHARED), ('archive', ARCHIVE)):
            counted = expect_all_counted(box, '%s, %s' % (compiler, form), link(box, compiler, 'program', sources, '-rdynamic', *flags))
            box.expect_equal('%s, %s: calls made without fnprof' % (compiler, form), alone, counted)


def test_functions_replaced_by_a_preloaded_library(box):
    for compiler in COMPILERS:
        library = link(box, compiler, 'replacements.so', ['replacements.c'], '-shared', '-fPIC', *SHARED)
        for kind, hooks in (('traced', True), ('plain', False)):
            program = link(box, compiler, kind, ['uses_replacements.c'], *(SHARED if hooks else []), hooks=hooks)
            expect_all_counted(box, '%s, %s program' % (compiler, kind), program, preload=library)


def test_functions_replaced_in_a_static_program(box):
    for compiler in COMPILERS:
        program = link(box, compiler, 'program', ['replacements.c', 'uses_replacements.c'], '-DSTATIC', *STATIC)
        expect_all_counted(box, compiler, program, BEFORE_THREADS)


def test_an_unwinder_walks_through_the_hooks_at_every_instruction(box):
    for compiler in COMPILERS:
        for form, flags in (('shared', SHARED), ('static', STATIC)):
            done = box.run(link(box, compiler, 'program', ['steps_through_hooks.c'], '-mno-red-zone', *flags))
            what = '%s, %s' % (compiler, form)
            box.expect_equal('%s: status' % what, done.status, 0)
            walks, astray = (int(word) for word in done.stdout.split())
            box.expect('%s: two calls are more than a hundred instructions' % what, walks > 100, walks)
            box.expect_equal('%s: walks that do not come to main' % what, astray, 0)
            box.expect_calls(box.report(box.path('run', 'trace.zst')), what, main=1, leaf=4)


def zstd_forms():
    return {'shared': SHARED, 'archive': ARCHIVE, 'static': STATIC}


def test_a_program_that_has_zstd_inside_uses_its_own(box):
    for compiler in COMPILERS:
        for form, flags in zstd_forms().items():
            report = box.profile(link(box, compiler, 'program', ['uses_zstd.c'], '-rdynamic', '-l:libzstd.a', *flags))
            what = '%s, %s' % (compiler, form)
            box.expect_calls(report, what, main=1, fill=1, there_and_back=12, checked=48)
            box.expect('%s: the trace is complete' % what, report['integrity']['complete'], report['integrity'])


def test_functions_named_like_zstd_s_are_the_program_s(box):
    for compiler in COMPILERS:
        for form, flags in zstd_forms().items():
            report = box.profile(link(box, compiler, 'program', ['named_like_zstd.c'], '-rdynamic', *flags))
            box.expect_calls(report, '%s, %s' % (compiler, form), main=1, ZSTD_compress=100000)
            box.expect_equal('%s, %s: calls in all' % (compiler, form), report['total_calls'], 100001)


def test_a_program_with_a_throw_of_its_own_goes_on_to_the_library_s(box):
    for compiler in COMPILERS:
        done = box.run(box.build('own_throw.cpp', Build(compiler), ['-finstrument-functions', '-rdynamic']))
        box.expect_equal('%s: (status, throws)' % compiler, (done.status, done.stdout), (0, '10\n'))
        report = box.report(box.path('run', 'trace.zst'))
        box.expect_calls(report, compiler, main=1, catcher=10, thrower=10, handled=10, __cxa_throw=10)
        box.expect_equal('%s: caller of handled' % compiler, [pair[0] for pair in edges(report) if pair[1] == 'handled'], ['catcher'])


if __name__ == '__main__':
    main(globals())
