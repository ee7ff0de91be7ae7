"""What the packaging tests share: running commands, and counting what is in a trace without the analyzer's help."""
import os, shutil, struct, subprocess, sys, tempfile

BLOCK_HEADER = struct.Struct('<IHBBIIQIIIIQQ')  # BlockHeader of the format
BLOCK_MAGIC = 0x42504e46
RECORD_BLOCK = 2


class Failure(Exception):
    pass


class Skipped(Exception):
    """The tools of this machine cannot do what the check is about."""


def run(command, env=None, cwd=None, timeout=600):
    """Runs a command; its output, or Failure with everything that it said."""
    try:
        done = subprocess.run(command, cwd=cwd, env=dict(os.environ, **(env or {})), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors='replace', stdin=subprocess.DEVNULL, timeout=timeout)
    except subprocess.TimeoutExpired as hang:
        raise Failure('hangs: %s\n%s' % (' '.join(command), hang.stdout))
    if done.returncode != 0:
        raise Failure('exit %s of: %s\n%s' % (done.returncode, ' '.join(command), done.stdout))
    return done.stdout


def count_records(trace):
    """Records in the record blocks of a finished trace, from the block headers alone."""
    content = subprocess.run(['zstd', '-qdc', trace], stdout=subprocess.PIPE, check=True).stdout
    at = records = 0
    while at < len(content):
        magic, _, kind, header_bytes, payload_bytes, _, _, _, record_count, *_ = BLOCK_HEADER.unpack_from(content, at)
        if magic != BLOCK_MAGIC:
            raise Failure('%s: no block at byte %d of the content' % (trace, at))
        if kind == RECORD_BLOCK:
            records += record_count
        at += header_bytes + payload_bytes
    return records


def recorded_calls(command, env=None):
    """Runs an instrumented program in a directory of its own: (calls in its trace, 0 without a trace; what it printed)."""
    with tempfile.TemporaryDirectory(prefix='fnprof-package-') as room:
        trace = os.path.join(room, 'trace.zst')
        output = run(command, dict(env or {}, FNPROF_OUTPUT=trace), cwd=room, timeout=60)
        left = sorted(name for name in os.listdir(room) if name.startswith('trace'))
        if left not in ([], ['trace.zst']):
            raise Failure('left behind: %s' % left)
        if not left:
            return 0, output
        records = count_records(trace)
        if records % 2 != 0:
            raise Failure('%d records, not two for each call' % records)
        return records // 2, output


def check_calls(command, expected, env=None):
    """As recorded_calls, for a program that must make `expected` calls and print nothing."""
    calls, output = recorded_calls(command, env)
    if calls != expected:
        raise Failure('%d calls recorded, %d made: %s' % (calls, expected, ' '.join(command)))
    if output:
        raise Failure('unexpected output of %s: %s' % (' '.join(command), output))


def report(results):
    """Prints what went wrong in (name, outcome of attempt) pairs as they come; exits with 1 if anything did."""
    passed = failed = skipped = 0
    for name, problem in results:
        if problem is None:
            passed += 1
        elif isinstance(problem, Skipped):
            skipped += 1
            print('skip %s' % name, flush=True)
        else:
            failed += 1
            print('FAIL %s: %s' % (name, problem), flush=True)
    print('%d passed, %d failed, %d skipped' % (passed, failed, skipped))
    sys.exit(failed > 0 or passed == 0)


def attempt(check, *arguments):
    """None, or why the check failed or was left out."""
    try:
        check(*arguments)
    except (Failure, Skipped) as outcome:
        return outcome
    return None


class Workroom:
    """A temporary directory for build results."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix='fnprof-package-')
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def __call__(self, name):
        return os.path.join(self.path, name)
