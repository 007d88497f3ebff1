"""Runs s3kit the way a person does: a clean environment, real pipes, real signals."""

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

from servers import BINARY, clean_environment


class Run(subprocess.CompletedProcess):
    """A finished run; `out` and `err` as text, `lines` without their line ends."""

    @property
    def code(self):
        """The status as a shell shows it: 128 + N for death by signal N."""
        return self.returncode if self.returncode >= 0 else 128 - self.returncode

    @property
    def out(self):
        return self.stdout.decode("utf-8", "surrogateescape")

    @property
    def err(self):
        return self.stderr.decode("utf-8", "surrogateescape")

    @property
    def lines(self):
        return self.out.split("\n")[:-1] if self.out.endswith("\n") else self.out.split("\n") if self.out else []

    def __repr__(self):
        return f"s3kit {' '.join(map(str, self.args[1:]))} -> {self.code}\n  stdout {self.stdout!r:.2000}\n  stderr {self.stderr!r:.4000}"

    def ok(self):
        """Fails the test unless the run succeeded; returns the run."""
        assert self.code == 0, self
        return self

    def fails(self, code, *words):
        """Fails the test unless the run ended with that status and named the given words on stderr."""
        assert self.code == code, self
        for word in words:
            assert word.lower() in self.err.lower(), f"{word!r} is not in stderr of {self!r}"
        return self


class Tool:
    """s3kit with the credentials and the endpoint of one server in its environment."""

    def __init__(self, home, cwd, environment):
        self.home, self.cwd = Path(home), Path(cwd)
        self.environment = {**clean_environment(home), **environment}

    def at(self, cwd):
        """The same tool in another directory."""
        return Tool(self.home, cwd, {k: v for k, v in self.environment.items()})

    def spawn(self, *args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=None, cwd=None, **more):
        environment = {**self.environment, **(env or {})}
        return subprocess.Popen(
            [str(BINARY), *map(_text, args)],
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env={k: v for k, v in environment.items() if v is not None},
            cwd=cwd or self.cwd,
            restore_signals=True,
            **more,
        )

    def __call__(self, *args, stdin=None, timeout=120, **more):
        """Runs to the end. `stdin`: bytes are piped in; None is /dev/null; a file is passed on as it is."""
        piped = isinstance(stdin, (bytes, str))
        source = subprocess.PIPE if piped else subprocess.DEVNULL if stdin is None else stdin
        process = self.spawn(*args, stdin=source, **more)
        try:
            data = stdin.encode() if isinstance(stdin, str) else stdin if piped else None
            out, err = process.communicate(data, timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise AssertionError(f"still running after {timeout} s: {Run(process.args, None, out, err)!r}") from None
        return Run(process.args, process.returncode, out or b"", err or b"")

    def measured(self, *args, stdin=None, timeout=600, **more):
        """Runs to the end; returns the run and its peak resident memory in bytes (sampled, so short peaks may be missed)."""
        process = self.spawn(*args, stdin=subprocess.DEVNULL if stdin is None else stdin, **more)
        peak = [0]
        sampler = threading.Thread(target=_sample, args=(process.pid, peak), daemon=True)
        sampler.start()
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise AssertionError(f"still running after {timeout} s: {Run(process.args, None, out, err)!r}") from None
        return Run(process.args, process.returncode, out or b"", err or b""), peak[0]

    def on_terminal(self, *args, answer=None, stdin_is_terminal=True, timeout=30, **more):
        """Runs with a controlling terminal; types `answer` once the program asks. Returns the run, terminal output as stderr."""
        import pty

        pid, master = pty.fork()
        if pid == 0:
            os.chdir(more.get("cwd") or self.cwd)
            os.execve(str(BINARY), [str(BINARY), *map(_text, args)], {**self.environment, **(more.get("env") or {})})
        seen, until, typed = b"", time.monotonic() + timeout, answer is None
        status = None
        os.set_blocking(master, False)
        while time.monotonic() < until:
            try:
                seen += os.read(master, 65536)
            except BlockingIOError:
                pass
            except OSError:
                break
            if not typed and b"?" in seen:
                os.write(master, answer)
                typed = True
            time.sleep(0.02)
        else:
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        os.close(master)
        return Run([str(BINARY), *args], os.waitstatus_to_exitcode(status), b"", seen)


def _text(argument):
    return argument if isinstance(argument, (bytes, str)) else str(argument)


def _sample(pid, peak):
    """Keeps the highest VmHWM seen: unlike getrusage it starts anew at exec, so the test runner's own size is not in it."""
    try:
        while True:
            with open(f"/proc/{pid}/status") as status:
                for line in status:
                    if line.startswith("VmHWM:"):
                        peak[0] = max(peak[0], int(line.split()[1]) * 1024)
                        break
                else:
                    return
            time.sleep(0.02)
    except OSError:
        return


def status_of(process, timeout=15):
    """The shell's status of a spawned process that should end by itself; the seconds it took."""
    began = time.monotonic()
    try:
        code = process.wait(timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise AssertionError(f"still running after {timeout} s") from None
    return (code if code >= 0 else 128 - code), time.monotonic() - began


def eventually(check, seconds=10, step=0.05):
    """Waits until a check is true; returns what it returned, or fails the test."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := check():
            return found
        time.sleep(step)
    raise AssertionError(f"not so within {seconds} s: {check}")
