"""The programs: where their sources come from, how they are compiled, and the work that they are given."""
import glob
import os
import random
import shutil

from support.measure import run

FOLDER = os.path.dirname(os.path.abspath(__file__))


class Program:
    """A program to build from `sources` with `flags`, and to run with `arguments` in an empty folder."""

    def __init__(self, name, sources, flags=(), arguments=(), stdin=None, threads=False, libraries=()):
        self.name, self.sources, self.flags, self.libraries = name, sources, list(flags), list(libraries)
        self.arguments, self.stdin, self.threads = list(arguments), stdin, threads

    def build(self, program, compiler, flags=(), link=()):
        """Compiles each file with the compiler of its language and links; returns the path of the program."""
        objects = []
        place = program + '.objects'
        os.makedirs(place, exist_ok=True)
        plus = {'gcc': 'g++', 'clang': 'clang++'}[compiler]
        for source in self.sources:
            target = os.path.join(place, os.path.basename(source) + '.o')
            driver = [plus, '-std=gnu++98'] if source.endswith('.cpp') else [compiler, '-std=gnu11']
            run(driver + ['-O2', '-g', '-w', '-pthread', *flags, *self.flags, '-c', source, '-o', target])
            objects.append(target)
        driver = plus if any(source.endswith('.cpp') for source in self.sources) else compiler
        run([driver, '-pthread', *objects, '-o', program, *link, *self.libraries])
        shutil.rmtree(place)
        return program


def write_text(path, size):
    """A file of words with a long-tailed distribution, always the same."""
    numbers = random.Random(1)
    words = [''.join(numbers.choice('etaoinshrdlucm') for _ in range(numbers.randint(2, 9))) for _ in range(4000)]
    with open(path, 'w') as text:
        written = 0
        while written < size:
            written += text.write(' '.join(words[int(4000 * numbers.random() ** 3)] for _ in range(12)) + '\n')
    return path


def lua(sources, work):
    place = os.path.join(sources.fetch('lua5.4'), 'src')
    files = [f for f in sorted(glob.glob(place + '/*.c')) if os.path.basename(f) not in ('luac.c', 'ltests.c', 'onelua.c')]
    # Debian's configuration asks for a header that its build system makes.
    with open(os.path.join(work, 'lua5.4-deb-multiarch.h'), 'w') as header:
        header.write('#define DEB_HOST_MULTIARCH "any"\n')
    # The interpreter seeds its string hash with addresses and the time of day; calls would differ from run to run.
    return Program('lua', files, ['-DLUA_USE_POSIX', '-I' + work, '-DLUA_COMPAT_5_3', '-Dluai_makeseed(state)=42u'],
                   [os.path.join(FOLDER, 'workload.lua')], libraries=['-lm'])


def sqlite3(sources, work):
    place = sources.fetch('sqlite3')
    build = os.path.join(work, 'sqlite3-amalgamation')
    if not os.path.exists(build + '/shell.c'):
        os.makedirs(build, exist_ok=True)
        run([place + '/configure', '--disable-tcl', '--disable-readline'], cwd=build)
        run(['make', 'sqlite3.c', 'shell.c'], cwd=build)
    flags = ['-I' + build, '-DSQLITE_THREADSAFE=0', '-DSQLITE_OMIT_LOAD_EXTENSION', '-DSQLITE_DEFAULT_MEMSTATUS=1']
    return Program('sqlite3', [build + '/sqlite3.c', build + '/shell.c'], flags, ['-batch', 'work.db'],
                   stdin=os.path.join(FOLDER, 'workload.sql'), libraries=['-lm'])


def bzip2_library(sources):
    place = sources.fetch('bzip2')
    names = ('blocksort', 'huffman', 'crctable', 'randtable', 'compress', 'decompress', 'bzlib')
    return place, [os.path.join(place, name + '.c') for name in names]


def bzip2(sources, work):
    place, files = bzip2_library(sources)
    text = write_text(os.path.join(work, 'bzip2.txt'), 8_000_000)
    return Program('bzip2', files + [place + '/bzip2.c'], ['-D_FILE_OFFSET_BITS=64'], ['-c', text])


def pbzip2(sources, work):
    library, files = bzip2_library(sources)
    place = sources.fetch('pbzip2')
    text = write_text(os.path.join(work, 'pbzip2.txt'), 8_000_000)
    own = [os.path.join(place, name + '.cpp') for name in ('pbzip2', 'BZ2StreamScanner', 'ErrorContext')]
    flags = ['-D_FILE_OFFSET_BITS=64', '-DUSE_STACKSIZE_CUSTOMIZATION', '-I' + library]
    return Program('pbzip2', files + own, flags, ['-p3', '-1', '-c', text], threads=True)


PROGRAMS = {'lua': lua, 'sqlite3': sqlite3, 'bzip2': bzip2, 'pbzip2': pbzip2}
