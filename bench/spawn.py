"""Starting a process and waiting for its end, beside `posix_spawn` in C, and in a large process."""

import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final

from adapters.process.spawn import LocalProcesses
from bench.harness import Benchmark, Pair
from bench.stage import folder

__all__ = ("BENCHMARKS",)

TIMES: Final = 20
LARGE: Final = 512 * 1024**2
"""What the large process holds: as much as a fork would have to make copies of the tables of."""

C: Final = r"""
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

int main(int count, char **words) {
    char *command[] = {words[1], NULL};
    int times = atoi(words[2]);
    struct timespec begun, over;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    for (int each = 0; each < times; each++) {
        pid_t child;
        if (posix_spawn(&child, command[0], NULL, NULL, command, environ)) return 1;
        waitpid(child, NULL, 0);
    }
    clock_gettime(CLOCK_MONOTONIC, &over);
    double took = (over.tv_sec - begun.tv_sec) + (over.tv_nsec - begun.tv_nsec) / 1e9;
    printf("%.9f\n", took / times);
    return 0;
}
"""


def _ours(true: str) -> Callable[[], Awaitable[float]]:
    processes = LocalProcesses(None)

    async def measure() -> float:
        begun = time.perf_counter()
        for _ in range(TIMES):
            started = await processes.start(
                [true], directory="/", environment={}, on_stdout=_unheard, on_stderr=_unheard
            )
            await started.unwrap().wait()
        return (time.perf_counter() - begun) / TIMES

    return measure


def _unheard(_: bytes) -> None: ...


@contextmanager
def _beside_c() -> Iterator[Pair]:
    compiler, true = shutil.which("cc"), shutil.which("true")
    assert compiler is not None, "a C compiler makes the reference"
    assert true is not None
    with folder() as root:
        source, program = root / "spawn.c", root / "spawn"
        source.write_text(C, encoding="ascii")
        subprocess.run([compiler, "-O2", "-o", str(program), str(source)], check=True)
        yield Pair(_ours(true), lambda: _in_c(program, true))


def _in_c(program: Path, true: str) -> float:
    words = [str(program), true, str(TIMES)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return float(done.stdout)


@asynccontextmanager
async def _in_a_large_process() -> AsyncIterator[Pair]:
    true = shutil.which("true")
    assert true is not None
    measure = _ours(true)

    async def large() -> float:
        held = bytearray(LARGE)
        held[::4096] = b"x" * (LARGE // 4096)  # so that each page is there
        try:
            return await measure()
        finally:
            del held

    yield Pair(large, measure)


BENCHMARKS: Final = (
    Benchmark("spawn.c", 2.0, _beside_c, rounds=10),
    Benchmark("spawn.large", 1.5, _in_a_large_process, rounds=7),
)
