"""Marks: where frames die without their exit, in every way to link; and where there are none, the trace says so."""
from harness import Build, edges, main

COMPILERS = ('gcc', 'clang')


def unwinds(box, build):
    report = box.profile(box.build('unwinds.cpp', build))
    box.expect_calls(report, str(build), main=1, thrower=1, handler=1, jumper=1, landed=1)
    return report['processes'][0]['marks_on'], report


def expect_marks(box, build):
    on, report = unwinds(box, build)
    box.expect_equal('%s: marks are on' % build, on, True)
    box.expect_equal('%s: calls' % build, edges(report), {
        (None, 'main'): 1, ('main', 'thrower'): 1, ('main', 'handler'): 1, ('main', 'jumper'): 1, ('main', 'landed'): 1})


def expect_none(box, build):
    on, _ = unwinds(box, build)
    box.expect_equal('%s: marks are on' % build, on, False)


def test_the_shared_library_interposes(box):
    for compiler in COMPILERS:
        for optimization in ('-O0', '-O2'):
            expect_marks(box, Build(compiler, optimization))


def test_static_links_wrap_as_pkg_config_says(box):
    for compiler in COMPILERS:
        for optimization in ('-O0', '-O2'):
            expect_marks(box, Build(compiler, optimization, 'static'))


def test_static_links_without_wrapping_say_that_there_are_no_marks(box):
    for compiler in COMPILERS:
        expect_none(box, Build(compiler, link='static without wrapping'))


def test_a_static_link_that_wraps_the_c_library_alone_says_that_there_are_no_marks(box):
    for compiler in COMPILERS:
        expect_none(box, Build(compiler, link='static as for C'))


def test_a_program_with_the_cxx_library_inside_runs_and_says_that_there_are_no_marks(box):
    for compiler in COMPILERS:
        expect_none(box, Build(compiler, link='shared, C++ library inside'))


def test_a_program_that_unwinds_nothing_misses_no_marks(box):
    for link in ('static without wrapping', 'static', 'shared'):
        report = box.profile(box.build('fib.c', Build(link=link)), '5')
        box.expect_equal('%s: marks are on' % link, report['processes'][0]['marks_on'], True)


if __name__ == '__main__':
    main(globals())
