#!/usr/bin/env python3
"""Runs every program of docs/samples as the first lines of its .expected say, and compares what it prints.

    samples_test.py LAB-CLI SOURCE
    UPDATE=1 ctest --preset gcc -R docs.samples     writes the .expected files; git diff then shows what has changed

A .expected is what a terminal shows: a line `$ ./lab run ...` and what the command prints, once or several times.
"""

import os
import subprocess
import sys
from pathlib import Path


def transcript(command_line, cli, source):
    words = command_line.split()
    words[0] = cli
    done = subprocess.run(words, cwd=source, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=120, check=False)
    output = f'$ {command_line}\n{done.stdout.decode("utf-8", "replace")}'
    # findings are told by 1
    return output if done.returncode in (0, 1) else f'{output}(exit code {done.returncode})\n'


def main():
    cli, source = sys.argv[1], Path(sys.argv[2])
    samples = sorted(source.glob('docs/samples/*.cu'))
    wrong = [f'{path.name} has no program' for path in source.glob('docs/samples/*.expected') if not path.with_suffix('.cu').exists()]
    for sample in samples:
        expected = sample.with_suffix('.expected')
        before = expected.read_text(encoding='utf-8') if expected.exists() else ''
        commands = [line[2:] for line in before.splitlines() if line.startswith('$ ./lab run ')]
        if not commands:
            commands = [f'./lab run {sample.relative_to(source)}']
        seen = '\n'.join(transcript(command, cli, source) for command in commands)
        if os.environ.get('UPDATE'):
            expected.write_text(seen, encoding='utf-8')
        elif seen != before:
            wrong.append(f'{expected.relative_to(source)} has\n{before}\nbut now it is\n{seen}')
    print('\n'.join(wrong) or f'{len(samples)} samples')
    sys.exit(1 if wrong or not samples else 0)


if __name__ == '__main__':
    main()
