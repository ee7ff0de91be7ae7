"""Descriptors are the program's: which numbers it gets, what stands behind them, and who still holds the other end."""
from harness import BOTH_LINKS, main


def test_a_program_s_descriptors_have_the_numbers_that_it_expects(box):
    for build in BOTH_LINKS:
        done = box.run(box.build('counts_on_descriptors.c', build))
        box.expect_equal('%s: status and output' % build, (done.status, done.stdout), (0, ''))
        box.expect_calls(box.report(box.path('run', 'trace.zst')), str(build), main=1, waiting=200, leaf=800000)


if __name__ == '__main__':
    main(globals())
