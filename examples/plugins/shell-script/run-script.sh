#!/bin/sh
# Runs the script of a shell_script_task; stops at the first command that fails and names the run.
# usage: run-script.sh SCRIPT [ARGUMENT ...]
script=$1
shift
sh -eu "$script" "$@"
code=$?
[ "$code" -eq 0 ] || echo "script of run $RUNYARD_RUN_ID: exit code $code" >&2
exit "$code"
