"""Starts Python programs warm: forks a process for each, after the modules of all of them were imported once.

    python3 fork_server.py <settings>

The settings are JSON: `imports` (modules to import) and `path` (directories to import them from, beside those of
Python). The server listens on the Unix socket `socket` in its working directory. Requests and answers are lines of
JSON, as for the spawner process (process/spawner.ts). Each program has a supervisor that does what
process/supervise.sh does, so both survive the server and the engine.
Python 3.8 or newer on Linux, standard library only.
"""

import atexit
import builtins
import gc
import importlib
import importlib.machinery
import json
import os
import resource
import select
import signal
import socket
import sys
import time
import traceback
import types
import warnings

#: Variable whose value is replaced in the memory of a process by its mark, where other processes read it.
RESERVED = b"RUNYARD_WARM_RESERVED="
MARK = b"RUNYARD_ATTEMPT_DIR="
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
#: Interval at which an idle server checks its directory.
CHECK_MS = 60_000
#: Options of ulimit in dash: resource and unit.
RESOURCES = {
    "-d": (resource.RLIMIT_DATA, 1024),
    "-t": (resource.RLIMIT_CPU, 1),
    "-n": (resource.RLIMIT_NOFILE, 1),
    "-u": (resource.RLIMIT_NPROC, 1),
    "-p": (resource.RLIMIT_NPROC, 1),
}


class ForkServer:
    """Accepts connections and forks."""

    def __init__(self):
        self.environment = find_environment()
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            self.boot_id = file.read().strip()
        self.connections = {}
        #: Process id of a supervisor -> connection and id of the request.
        self.supervisors = {}
        self.poll = select.poll()
        self.wake_read, self.wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.wake_write, warn_on_full_buffer=False)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind("socket.new")
        self.listener.listen(64)
        for descriptor in (self.wake_read, self.listener.fileno()):
            self.poll.register(descriptor, select.POLLIN)
        # Clients find only a socket that accepts.
        os.rename("socket.new", "socket")

    def serve(self):
        """Serves requests. Returns only in the process of a program, with its request."""
        while True:
            # A server whose data directory was deleted ends by itself.
            if not os.path.exists("socket"):
                os._exit(0)
            for descriptor, _ in self.poll.poll(CHECK_MS):
                if descriptor == self.wake_read:
                    self.reap()
                elif descriptor == self.listener.fileno():
                    self.accept()
                elif descriptor in self.connections:
                    request = self.receive(descriptor)
                    if request is not None:
                        return request

    def accept(self):
        connection, _ = self.listener.accept()
        self.connections[connection.fileno()] = (connection, bytearray())
        self.poll.register(connection, select.POLLIN)

    def receive(self, descriptor):
        connection, buffer = self.connections[descriptor]
        try:
            received = connection.recv(1 << 16)
        except OSError:
            received = b""
        if not received:
            self.poll.unregister(descriptor)
            del self.connections[descriptor]
            connection.close()
            return None
        buffer += received
        *lines, rest = bytes(buffer).split(b"\n")
        buffer[:] = rest
        for line in lines:
            message = json.loads(line)
            request = self.start(connection, message["id"], message["request"])
            if request is not None:
                return request
        return None

    def start(self, connection, identifier, request):
        """Forks the supervisor. Returns the request in the process of the program, else None."""
        try:
            pid = fork()
        except OSError as error:
            self.answer(connection, {"id": identifier, "error": "fork: %s" % error.strerror})
            return None
        if pid > 0:
            self.supervisors[pid] = (connection, identifier)
            self.answer(connection, {"id": identifier, "pid": pid})
            return None
        try:
            self.release()
            supervise(request, self.boot_id, self.environment)
        except BaseException:
            os._exit(1)
        return request

    def reap(self):
        try:
            os.read(self.wake_read, 4096)
        except BlockingIOError:
            pass
        while self.supervisors:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            connection, identifier = self.supervisors.pop(pid, (None, 0))
            if connection is not None:
                self.answer(connection, {"id": identifier, "ended": True})

    @staticmethod
    def answer(connection, message):
        try:
            connection.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            # The engine is gone; the next one finds the files of the attempt.
            pass

    def release(self):
        """Closes the files of the server in a forked process, so that no later object closes their numbers."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for connection, _ in self.connections.values():
            os.close(connection.detach())
        os.close(self.listener.detach())
        os.close(self.wake_read)
        os.close(self.wake_write)


def fork():
    with warnings.catch_warnings():
        # Imported modules may have threads. Their locks are the concern of those modules (os.register_at_fork).
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def supervise(request, boot_id, environment):
    """Claims the attempt and supervises its program. Returns only in the process of the program."""
    os.setsid()
    directory = request["directory"]
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        log = os.open(os.path.join(directory, name), flags, 0o600)
        os.dup2(log, descriptor)
        os.close(log)
    try:
        claim = os.open(os.path.join(directory, "pid"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        os._exit(0)
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
        start_time = file.read().rpartition(")")[2].split()[19]
    os.write(claim, ("%d %s %s\n" % (os.getpid(), boot_id, start_time)).encode())
    os.close(claim)
    mark(environment, os.fsencode(request["attemptDirectory"]))
    # Signals to the group end the program; the supervisor records its exit code.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    pid = fork()
    if pid == 0:
        prepare_program(request)
        return
    for descriptor in (1, 2):
        os.close(descriptor)
    note_program(directory, pid)
    _, status = os.waitpid(pid, 0)
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
    keep(directory, "exit", b"%d\n" % code)
    os._exit(0)


def note_program(directory, pid):
    """Writes the pid of the program, which the log of the kernel names when it ends it for lack of memory."""
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        file = os.open(os.path.join(directory, "program"), flags, 0o644)
        os.write(file, b"%d\n" % pid)
        os.close(file)
    except OSError:
        pass


def keep(directory, name, content):
    """Writes a file. Retries on a full disk until it succeeds or the directory is deleted."""
    path = os.path.join(directory, name)
    while os.path.isdir(directory):
        try:
            # A draft: the program may have left a link or a pipe under this name.
            draft = os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o644)
            try:
                os.write(draft, content)
            finally:
                os.close(draft)
            os.replace(path + ".new", path)
            return
        except OSError:
            time.sleep(1)


def find_environment():
    """Returns the addresses of the mark and of the reserved variable in the memory of this process.

    Raises OSError and ValueError on a system where they cannot be written: its tasks start cold.
    """
    with open("/proc/self/environ", "rb") as file:
        variables = file.read()
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
        start = int(file.read().rpartition(")")[2].split()[47])
    padded = b"\0" + variables
    places = {}
    for name in (MARK, RESERVED):
        at = padded.index(b"\0" + name)
        places[name] = (start + at, variables.index(b"\0", at) - at)
        write_memory(start + at, name)
    return places


def write_memory(address, content):
    memory = os.open("/proc/self/mem", os.O_WRONLY)
    try:
        os.pwrite(memory, content, address)
    finally:
        os.close(memory)


def mark(places, directory):
    """Marks this process with its attempt instead of its cluster, as an exec with that environment would."""
    address, size = places[RESERVED]
    content = MARK + directory
    if len(content) > size:
        raise ValueError("The path of the attempt has %d bytes." % len(directory))
    write_memory(places[MARK][0], b"_")
    write_memory(address, content.ljust(size, b"\0"))


def prepare_program(request):
    """Gives this process what an exec would have given it."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    os.environ["RUNYARD_ATTEMPT_DIR"] = request["attemptDirectory"]
    # As set by the shell that supervises a cold start.
    os.environ["PWD"] = os.getcwd()
    words = request.get("limits", "").split()
    for option, value in zip(words[::2], words[1::2]):
        number, unit = RESOURCES[option]
        try:
            resource.setrlimit(number, (int(value) * unit, int(value) * unit))
        except (OSError, ValueError):
            # As in supervise.sh: what the system does not support is ignored.
            pass
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()


def run_program(argv):
    """Runs a program as `python3 program argument ...` does, and ends the process."""
    script = argv[1]
    sys.argv = argv[1:]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = list(argv)
    sys.path[0] = os.path.dirname(os.path.realpath(script))
    module = types.ModuleType("__main__")
    module.__dict__.update(
        __file__=script,
        __builtins__=builtins,
        __cached__=None,
        __loader__=importlib.machinery.SourceFileLoader("__main__", script),
        __annotations__={},
    )
    imported = set(sys.modules)
    sys.modules["__main__"] = module
    gc.enable()
    code = execute(argv[0], script, module.__dict__)
    end_program(code, [module] + [value for name, value in list(sys.modules.items()) if name not in imported])


def execute(python, script, namespace):
    """Returns the exit code of a program; `None` after an interrupt."""
    try:
        with open(script, "rb") as file:
            source = file.read()
    except OSError as error:
        sys.stderr.write("%s: can't open file %r: [Errno %d] %s\n" % (python, script, error.errno, error.strerror))
        return 2
    try:
        exec(compile(source, script, "exec", dont_inherit=True), namespace)
    except SystemExit as error:
        return exit_code_of(error.code)
    except BaseException as error:
        # Without the frame of this function.
        error.__traceback__ = error.__traceback__.tb_next
        try:
            sys.excepthook(type(error), error, error.__traceback__)
        except SystemExit as ended:
            return exit_code_of(ended.code)
        except BaseException:
            traceback.print_exc()
        return None if isinstance(error, KeyboardInterrupt) else 1
    return 0


def exit_code_of(value):
    if value is None:
        return 0
    if isinstance(value, int):
        return value & 0xFF if -(2**31) <= value < 2**31 else 255
    try:
        print(value, file=sys.stderr)
    except Exception:
        pass
    return 1


def end_program(code, modules):
    """Ends the process as Python does, except that it destroys only what came after the fork.

    The whole would take longer than most programs, because it touches the memory of every imported module.
    """
    ignore_errors(threading_shutdown)
    ignore_errors(atexit._run_exitfuncs)
    flush_streams()
    for module in modules:
        ignore_errors(clear_module, module)
    ignore_errors(gc.collect)
    is_flushed = flush_streams()
    if code is None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(code if is_flushed else 120)


def ignore_errors(function, *arguments):
    try:
        function(*arguments)
    except BaseException:
        traceback.print_exc()


def threading_shutdown():
    """Waits for threads that are not daemons."""
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()


def clear_module(module):
    """Drops the names of a module in the order of Python: private ones first."""
    names = getattr(module, "__dict__", None)
    if type(names) is not dict:
        return
    for is_private in (True, False):
        for name in list(names):
            if isinstance(name, str) and name != "__builtins__":
                if (name.startswith("_") and not name.startswith("__")) == is_private:
                    names[name] = None


def flush_streams():
    is_flushed = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except BaseException:
            is_flushed = False
    return is_flushed


def import_modules(names, path):
    """Imports modules. One that cannot be imported is left to the programs, which report it."""
    before = list(sys.path)
    sys.path[1:1] = path
    for name in names:
        try:
            importlib.import_module(name)
        except BaseException:
            traceback.print_exc()
    sys.path[:] = before


def main():
    settings = json.loads(sys.argv[1])
    import_modules(settings["imports"], settings["path"])
    server = ForkServer()
    # Objects of the server stay in pages that the programs share.
    gc.collect()
    gc.disable()
    gc.freeze()
    request = server.serve()
    run_program(request["argv"])


if __name__ == "__main__":
    main()
