"""A program that is spoken to over three pipes."""

import asyncio
import subprocess
from collections.abc import Callable
from io import FileIO
from typing import cast

from typing_extensions import override

from adapters.process.pipes import Input, Output
from adapters.process.program import Program
from adapters.process.table import Root, Scanner

__all__ = ("LocalChild",)


class LocalChild(Program):
    """`ports.processes.Child`."""

    __slots__ = ("_stderr", "_stdin", "_stdout")

    def __init__(
        self,
        popen: "subprocess.Popen[bytes]",
        root: Root,
        scan: Scanner,
        on_stdout: Callable[[bytes], None],
        on_stderr: Callable[[bytes], None],
    ) -> None:
        self._stdin = Input()
        self._stdout = Output(cast("FileIO", popen.stdout), on_stdout, self._settle)
        self._stderr = Output(cast("FileIO", popen.stderr), on_stderr, self._settle)
        super().__init__(popen, root, scan)

    async def connect(self) -> None:
        """Attach the pipes to the running loop."""
        loop = asyncio.get_running_loop()
        await loop.connect_write_pipe(lambda: self._stdin, self._popen.stdin)
        await loop.connect_read_pipe(lambda: self._stdout, self._popen.stdout)
        await loop.connect_read_pipe(lambda: self._stderr, self._popen.stderr)

    async def write(self, data: bytes) -> None:
        await self._stdin.write(data)

    def close_stdin(self) -> None:
        self._stdin.close()

    def pause_stdout(self) -> None:
        self._stdout.pause()

    def resume_stdout(self) -> None:
        self._stdout.resume()
        if self._exited.done():
            self._give_up_later()

    @override
    def _ask_to_end(self) -> None:
        self.close_stdin()

    @override
    def _at_exit(self) -> None:
        self._stdin.abort()

    @override
    def _outputs_ended(self) -> bool:
        return self._stdout.ended and self._stderr.ended

    @override
    def _abandon_outputs(self) -> None:
        self._stdout.give_up()
        self._stderr.give_up()

    @override
    def _give_up(self) -> None:
        """A paused output waits for its owner: what it holds was written before the end."""
        if not self._stdout.paused:
            self._stdout.give_up()
        self._stderr.give_up()
