"""`fnprof-analyze check` foretells what happens: each verdict is held against a run of the same file. (The ways to link that are known to work
are in ../package/link_matrix.py, which asks for the verdict as well.)"""
import json
import os
import stat
import subprocess

from harness import EVERY_BUILD, PROGRAMS, STAGE, TIMEOUT_S, Build, main

LIBRARY = os.path.join(STAGE, 'lib')
LINKED = ['-L' + LIBRARY, '-lfnprof', '-Wl,-rpath,' + LIBRARY]
INSTRUMENT = '-finstrument-functions'
FIB = os.path.join(PROGRAMS, 'fib.c')
LEAF = 'int leaf(int x) { return x + 1; }\n'
HOST = 'int leaf(int); int main(void) { return leaf(1) - 2; }\n'


def compile(box, name, sources, *flags, compiler='gcc'):
    """Compiles files and pieces of C."""
    paths = []
    for number, source in enumerate(sources):
        if '\n' in source:
            paths.append(box.path('%s-%d.c' % (name, number)))
            with open(paths[-1], 'w') as out:
                out.write(source)
        else:
            paths.append(source)
    result = box.path(name)
    command = [compiler, *paths, '-o', result, *flags]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S)
    if done.returncode != 0:
        raise AssertionError('%s\n%s' % (' '.join(command), done.stdout))
    return result


def check(box, path):
    answer = box.analyze('check', '--json', path)
    return answer.status, json.loads(answer.stdout)['binaries'][0]


def codes(binary):
    return [finding['code'] for finding in binary['findings']]


def recorded(box, program, *arguments):
    """Whether a run leaves a trace with calls."""
    done = box.run([program, *arguments])
    traces = box.traces()
    return done, bool(traces) and box.report(box.path('run', traces[0]))['total_calls'] > 0


def expect(box, what, program, traced, code=None, arguments=('5',), runs=True):
    status, binary = check(box, program)
    box.expect_equal('%s: verdict' % what, (binary['verdict'], status), ('traced', 0) if traced else ('not traced', 3))
    if code:
        box.expect('%s: %s is found' % (what, code), code in codes(binary), codes(binary))
    for finding in binary['findings']:
        box.expect('%s: %s says what to change' % (what, finding['code']), finding['weight'] == 'note' or finding['change'], finding)
    if runs:
        box.expect_equal('%s: a run leaves calls' % what, recorded(box, program, *arguments)[1], traced)
    lines = box.analyze('check', program).stdout.splitlines()
    box.expect('%s: the first line is the verdict' % what, lines[0] == '%s: %s' % (program, binary['summary']), lines[:1])
    return binary


def test_programs_as_they_are_meant_to_be_built(box):
    for build in EVERY_BUILD:
        program = box.build('fib.c', build)
        binary = expect(box, str(build), program, True)
        box.expect_equal('%s: instrumented functions' % build, sorted(f['name'] for f in binary['instrumented'] if f['name'] in ('fib', 'main')), ['fib', 'main'])
        box.expect('%s: nothing is wrong' % build, all(finding['weight'] == 'note' for finding in binary['findings']), binary['findings'])
        plain = box.build('fib.c', Build(build.compiler, build.optimization, 'none'), flags=(), output=box.path('plain'))
        expect(box, '%s, not instrumented' % build, plain, False, 'not-instrumented')


def test_programs_that_were_linked_without_fnprof_call_libc_s_hooks(box):
    for compiler in ('gcc', 'clang'):
        for flags in ([], ['-static'], ['-fno-plt'], ['-no-pie', '-fno-pie'], ['-fuse-ld=lld'], ['-s'], ['-flto']):
            if compiler == 'gcc' and '-flto' in flags:
                flags = ['-flto', '-O2']
            program = compile(box, 'unlinked', [FIB], INSTRUMENT, *flags, compiler=compiler)
            binary = expect(box, '%s %s' % (compiler, ' '.join(flags)), program, False, 'hooks-of-libc')
            box.expect('%s %s: calls of the hook are found' % (compiler, flags), binary['hook_calls'] >= 2, binary['hook_calls'])


def test_the_library_alone_is_not_enough_where_the_linker_drops_it(box):
    """With the library itself instead of the linker script: gcc -flto does not ask for it in time, and --as-needed drops it when it is named first."""
    library = os.path.join(LIBRARY, 'libfnprof.so.0')
    run_path = '-Wl,-rpath,' + LIBRARY
    expect(box, 'gcc -flto', compile(box, 'lto', [FIB], INSTRUMENT, '-flto', '-O2', '-Wl,--as-needed', library, run_path), False, 'hooks-of-libc')
    first = compile(box, 'first', ['-Wl,--as-needed', library, FIB], INSTRUMENT, run_path)
    expect(box, 'library first', first, False, 'hooks-of-libc')
    behind = compile(box, 'behind', [FIB], INSTRUMENT, '-Wl,--no-as-needed', '-lc', library, run_path)
    expect(box, 'libc before it', behind, False, 'hooks-of-libc')
    right = compile(box, 'right', [FIB], INSTRUMENT, '-Wl,--no-as-needed', library, run_path)
    expect(box, 'library before libc', right, True, 'bound-by-order')


def test_hooks_of_the_program_s_own(box):
    own = ('#define PLAIN __attribute__((no_instrument_function))\nPLAIN void __cyg_profile_func_enter(void* f, void* s) { (void)f; (void)s; }\n'
           'PLAIN void __cyg_profile_func_exit(void* f, void* s) { (void)f; (void)s; }\n')
    for compiler in ('gcc', 'clang'):
        expect(box, compiler, compile(box, 'own', [FIB, own], INSTRUMENT, *LINKED, compiler=compiler), False, 'own-hooks')


def test_a_runtime_that_the_loader_does_not_find(box):
    program = compile(box, 'lost', [FIB], INSTRUMENT, '-L' + LIBRARY, '-lfnprof')
    status, binary = check(box, program)
    box.expect_equal('verdict', (binary['verdict'], status), ('not traced', 3))
    box.expect('library-not-found is found', 'library-not-found' in codes(binary), codes(binary))
    box.expect('it does not start', box.run([program, '5']).status != 0)
    found = subprocess.run([os.path.join(STAGE, 'bin', 'fnprof-analyze'), 'check', program], env=dict(os.environ, LD_LIBRARY_PATH=LIBRARY),
                           stdout=subprocess.PIPE, text=True)
    box.expect_equal('status with LD_LIBRARY_PATH', found.returncode, 0)
    box.expect_equal('it runs with LD_LIBRARY_PATH', box.run([program, '5'], LD_LIBRARY_PATH=LIBRARY).status, 0)


def test_libraries_that_a_program_needs(box):
    for compiler in ('gcc', 'clang'):
        here = '-Wl,-rpath,$ORIGIN'
        compile(box, 'libleaf.so', [LEAF], INSTRUMENT, '-shared', '-fPIC', *LINKED, compiler=compiler)
        program = compile(box, 'host', [HOST], '-L' + box.folder, '-l:libleaf.so', here, compiler=compiler)
        binary = expect(box, '%s, library linked with fnprof' % compiler, program, True, arguments=())
        box.expect_equal('%s: its libraries' % compiler, [(os.path.basename(l['path']), l['verdict']) for l in binary['libraries']], [('libleaf.so', 'traced')])
        compile(box, 'libleaf.so', [LEAF], INSTRUMENT, '-shared', '-fPIC', compiler=compiler)
        binary = expect(box, '%s, library linked without' % compiler, program, False, arguments=())
        box.expect_equal('%s: the library calls libc' % compiler, codes(binary['libraries'][0])[0], 'hooks-of-libc')
        status, alone = check(box, box.path('libleaf.so'))
        box.expect_equal('%s: the library alone' % compiler, (alone['verdict'], status), ('depends', 3))


def test_set_user_id_programs_are_not_traced(box):
    program = compile(box, 'rights', [FIB], INSTRUMENT, *LINKED)
    os.chown(program, 65534, 65534)
    os.chmod(program, 0o755 | stat.S_ISUID)
    expect(box, 'of another user', program, False, 'set-user-id')
    os.chown(program, os.getuid(), os.getgid())
    os.chmod(program, 0o755 | stat.S_ISUID)
    expect(box, 'of the user himself', program, True)


def test_names_that_will_be_missing(box):
    program = compile(box, 'stripped', [FIB], INSTRUMENT, '-s', *LINKED)
    expect(box, 'stripped', program, True, 'stripped')
    report = box.report(box.path('run', 'trace.zst'))
    box.expect('no function has a name', all('+0x' in function['name'] for function in report['functions']), report['functions'])
    box.expect('no-debug-info is found', 'no-debug-info' in codes(check(box, program)[1]))
    static = compile(box, 'static', [FIB], INSTRUMENT, '-static', '-s', '-L' + LIBRARY, '-lfnprof')
    status, binary = check(box, static)
    box.expect_equal('static and stripped: nothing can be told', (binary['verdict'], status, codes(binary)), ('depends', 3, ['stripped-static']))
    box.expect_equal('static and stripped: a run leaves calls', recorded(box, static, '5')[1], True)
    same = ''.join('__attribute__((noinline)) int %s(int x) { return x * 3 + 1; }\n' % name for name in ('one', 'two'))
    folded = compile(box, 'folded', [same + 'int main(void) { return one(1) + two(1) - 8; }\n'], INSTRUMENT, '-O2', '-g', '-ffunction-sections', '-fuse-ld=lld',
                     '-Wl,--icf=all', *LINKED)
    expect(box, 'folded', folded, True, 'folded', arguments=())
    box.expect_equal('functions called one or two', sum(f['name'] in ('one', 'two') for f in box.report(box.path('run', 'trace.zst'))['functions']), 1)


def test_whether_exceptions_will_be_recorded(box):
    for compiler in ('gcc', 'clang'):
        for link in ('shared', 'shared, C++ library inside', 'static', 'static as for C', 'static without wrapping'):
            program = box.build('unwinds.cpp', Build(compiler, link=link))
            binary = expect(box, '%s, %s' % (compiler, link), program, True, arguments=())
            marks = box.report(box.path('run', 'trace.zst'))['processes'][0]['marks_on']
            box.expect_equal('%s, %s: marks will be on' % (compiler, link), 'marks-off' not in codes(binary), marks)


def test_the_hook_that_says_nothing(box):
    program = compile(box, 'bare', [FIB, 'void __cyg_profile_func_enter_bare(void) {}\n'], '-finstrument-function-entry-bare', *LINKED, compiler='clang')
    expect(box, 'entry-bare', program, False, 'entry-bare')


def test_files_that_are_no_program(box):
    with open(box.path('script'), 'w') as out:
        out.write('#!/bin/sh\n')
    with open(box.path('text'), 'w') as out:
        out.write('nothing')
    for name, words in (('script', 'is a script'), ('text', 'is not an ELF file'), ('gone', 'there is no'), ('.', 'is a directory')):
        answer = box.analyze('check', box.path(name))
        box.expect_equal('%s: status and output' % name, (answer.status, answer.stdout), (1, ''))
        box.expect('%s: says why' % name, words in answer.stderr, answer.stderr)
    box.expect_equal('none named', box.analyze('check').status, 2)
    item = compile(box, 'fib.o', [FIB], INSTRUMENT, '-c')
    box.expect_equal('object file', (check(box, item)[1]['verdict'], check(box, item)[1]['hook_calls'] >= 2), ('depends', True))
    lto = compile(box, 'lto.o', [FIB], INSTRUMENT, '-c', '-flto')
    box.expect('object file of intermediate code', 'lto' in codes(check(box, lto)[1]))
    # ELF header of another machine: bytes 18 and 19.
    content = bytearray(open(compile(box, 'fib', [FIB], INSTRUMENT, *LINKED), 'rb').read())
    content[18:20] = (183).to_bytes(2, 'little')
    with open(box.path('arm'), 'wb') as out:
        out.write(content)
    binary = expect(box, 'another machine', box.path('arm'), False, 'other-machine', runs=False)
    box.expect('it is named', '64-bit ARM' in binary['findings'][0]['what'], binary['findings'])


def test_damaged_files_are_no_crash(box):
    content = open(compile(box, 'fib', [FIB], INSTRUMENT, '-g', *LINKED), 'rb').read()
    path = box.path('damaged')
    statuses = set()
    def look(damaged, what):
        with open(path, 'wb') as out:
            out.write(damaged)
        status = box.analyze('check', path).status
        statuses.add(status)
        if status not in (0, 1, 3):
            box.expect('%s: status %d' % (what, status), False)
    tables = int.from_bytes(content[40:48], 'little')
    for cut in list(range(0, 64, 7)) + [len(content) * part // 20 for part in range(20)]:
        look(content[:cut], 'cut at %d' % cut)
    for at in list(range(4, 64, 2)) + list(range(64, 700, 29)) + list(range(tables, len(content), 47)):
        for value in (0xff, 0x00):
            damaged = bytearray(content)
            damaged[at] = value
            look(bytes(damaged), 'byte %d is %d' % (at, value))
    box.expect('some were unreadable, some not', {1} < statuses, statuses)


if __name__ == '__main__':
    main(globals())
