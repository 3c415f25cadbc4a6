/** Faults of Python programs: errors, exit codes, signals, limits, full disks. */
import { python, pythonFault, type Fault } from './fault.ts';

const small = { new_cluster: { spark_version: '16.4.x-scala2.12', node_type_id: 'tiny', num_workers: 0 } };

export const programFaults: readonly Fault[] = [
  pythonFault('/etl/load.py', ['import os', "open('/no/such/table')"], {
    name: 'a Python program opens a file that does not exist',
    code: 'USER_CODE',
    cause: "FileNotFoundError: [Errno 2] No such file or directory: '/no/such/table'",
    place: 'managed_fs:/etl/load.py, line 2',
    nextStep: 'Check that the file exists',
  }),
  pythonFault('/etl/key.py', ["row = {'id': 1}", "print(row['region'])"], {
    name: 'a Python program reads a missing key',
    code: 'USER_CODE',
    cause: "KeyError: 'region'",
    place: 'managed_fs:/etl/key.py, line 2',
    nextStep: 'Correct the code there and start the run again.',
  }),
  pythonFault('/etl/parse.py', ['import json', '', 'def read():', "    return json.loads('{')", 'read()'], {
    name: 'a library raises an error deep inside',
    code: 'USER_CODE',
    cause: 'JSONDecodeError: Expecting property name',
    place: 'managed_fs:/etl/parse.py, line 4',
    nextStep: 'Correct the code there',
  }),
  pythonFault(
    '/etl/chain.py',
    [
      'try:',
      '    1 / 0',
      'except ZeroDivisionError as error:',
      "    raise RuntimeError('no rate') from error",
    ],
    {
      name: 'an error with a cause',
      code: 'USER_CODE',
      cause: 'RuntimeError: no rate',
      place: 'managed_fs:/etl/chain.py, line 4',
      nextStep: 'Correct the code there',
    },
  ),
  pythonFault('/etl/syntax.py', ['print("a")', 'def broken(:', '    pass'], {
    name: 'a Python file with a syntax error',
    code: 'USER_CODE',
    cause: 'SyntaxError',
    place: 'managed_fs:/etl/syntax.py, line 2',
    nextStep: 'Correct the syntax there',
  }),
  pythonFault('/etl/indent.py', ['if True:', 'print(1)'], {
    name: 'a Python file with a wrong indentation',
    code: 'USER_CODE',
    cause: 'IndentationError',
    place: 'managed_fs:/etl/indent.py, line 2',
    nextStep: 'Correct the syntax there',
  }),
  pythonFault('/etl/module.py', ['import no_such_module_xyz'], {
    name: 'a module is missing',
    code: 'DEPENDENCY',
    cause: "ModuleNotFoundError: No module named 'no_such_module_xyz'",
    place: 'managed_fs:/etl/module.py, line 1',
    nextStep: 'Add it to the libraries of the task ({"pypi": {"package": "no_such_module_xyz"}})',
  }),
  pythonFault('/etl/refused.py', ['import socket', "socket.create_connection(('127.0.0.1', 1))"], {
    name: 'another service refuses the connection',
    code: 'USER_CODE',
    cause: 'ConnectionRefusedError',
    place: 'managed_fs:/etl/refused.py, line 2',
    nextStep: 'Check the address and that the other service runs',
  }),
  pythonFault('/etl/say.py', ['import sys', "sys.exit('no rows for 2026-01-01')"], {
    name: 'a program ends with a message',
    code: 'USER_CODE',
    cause: 'The Python program ended with exit code 1',
    nextStep: 'The program chose this code itself; its last output: "no rows for 2026-01-01".',
  }),
  pythonFault('/etl/code.py', ['import sys', "print('validation failed: 12 bad rows')", 'sys.exit(3)'], {
    name: 'a program chooses an exit code',
    code: 'USER_CODE',
    cause: 'The Python program ended with exit code 3',
    nextStep: 'The program chose this code itself; its last output: "validation failed: 12 bad rows".',
  }),
  pythonFault('/etl/silent.py', ['import sys', 'sys.exit(7)'], {
    name: 'a program chooses an exit code and says nothing',
    code: 'USER_CODE',
    cause: 'The Python program ended with exit code 7',
    nextStep: 'The program chose this code itself and wrote nothing.',
  }),
  pythonFault('/etl/tool.py', ['import os', "os.execvp('sh', ['sh', '-c', 'no-such-tool'])"], {
    name: 'a program that the task starts is missing',
    code: 'DEPENDENCY',
    cause: 'ended with exit code 127',
    nextStep: 'A program that the task started was not found. Install it',
  }),
  pythonFault('/etl/kill.py', ['import os, signal', 'os.kill(os.getpid(), signal.SIGKILL)'], {
    name: 'something kills the process with SIGKILL',
    code: 'CLUSTER',
    cause: 'exit code 137 (killed by signal 9, SIGKILL)',
    nextStep:
      "Runyard did not send the signal, and the kernel's out-of-memory killer did not either: a user or another program on node <n> did.",
    requires: 'kernel log',
  }),
  pythonFault(
    '/etl/oom.py',
    [
      'import os',
      "with open(os.environ['MEMORY_GROUP'] + '/cgroup.procs', 'w') as group: group.write('0')",
      "rows = b'x' * (300 * 2 ** 20)",
    ],
    {
      name: 'the kernel ends a program that needs more memory than its control group has',
      code: 'RESOURCE_LIMIT',
      cause: 'exit code 137 (killed by signal 9, SIGKILL)',
      nextStep:
        "Runyard did not send the signal; the kernel's out-of-memory killer did, because the memory limit of its control group was reached. A process of this task may use 512 MB (node type tiny).",
      requires: 'memory group',
      job: { ...small, spark_python_task: { python_file: 'managed_fs:/etl/oom.py' } },
    },
  ),
  pythonFault('/etl/term.py', ['import os, signal', 'os.kill(os.getpid(), signal.SIGTERM)'], {
    name: 'something ends the process with SIGTERM',
    code: 'CLUSTER',
    cause: 'killed by signal 15, SIGTERM',
    nextStep: 'Runyard did not send the signal; a user or another program on node <n> did.',
  }),
  pythonFault('/etl/native.py', ['import ctypes', 'ctypes.string_at(0)'], {
    name: 'a native library crashes',
    code: 'DEPENDENCY',
    cause: 'killed by signal 11, SIGSEGV',
    nextStep: 'A native library read memory that it does not own.',
  }),
  pythonFault('/etl/abort.py', ['import os', 'os.abort()'], {
    name: 'a program aborts',
    code: 'USER_CODE',
    cause: 'killed by signal 6, SIGABRT',
    nextStep: 'read the last lines of its log',
  }),
  pythonFault('/etl/memory.py', ['rows = bytearray(900 * 2 ** 20)', 'print(len(rows))'], {
    name: 'a program needs more memory than its node has',
    code: 'RESOURCE_LIMIT',
    cause: 'MemoryError',
    place: 'managed_fs:/etl/memory.py, line 1',
    nextStep:
      'A process of this task may use 512 MB (node type tiny). Choose a larger node_type_id, for example <n>',
    job: { ...small, spark_python_task: { python_file: 'managed_fs:/etl/memory.py' } },
  }),
  pythonFault(
    '/etl/disk.py',
    ['import os', "with open(os.environ['SMALL_DISK'] + '/x', 'wb') as f:", "    f.write(b'x' * 4_000_000)"],
    {
      name: 'the disk that a program writes to is full',
      code: 'STORAGE',
      cause: 'OSError: [Errno 28] No space left on device',
      place: 'managed_fs:/etl/disk.py, line <n>',
      nextStep: 'Free space on the disk that the task writes to',
      requires: 'tmpfs',
    },
  ),
  {
    name: 'the Python file does not exist',
    code: 'CONFIGURATION',
    cause: 'File managed_fs:/etl/none.py was not found',
    place: 'managed_fs:/etl/none.py',
    nextStep: 'Put it there with POST /api/2.0/managed_fs/put and start the run again.',
    job: python('/etl/none.py'),
  },
  pythonFault('/etl/flaky.py', ["raise ValueError('still no data')"], {
    name: 'all attempts fail',
    code: 'USER_CODE',
    cause: 'ValueError: still no data',
    place: 'managed_fs:/etl/flaky.py, line 1',
    nextStep: 'Correct the code there',
    also: ['Failed after 3 attempts (max_retries 2)'],
    job: python('/etl/flaky.py', { max_retries: 2 }),
  }),
];
