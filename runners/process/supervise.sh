#!/bin/sh
# Supervises one process of an attempt: claims it, runs the program, records its exit code. Survives the
# engine.
# usage: supervise.sh DIRECTORY BOOT_ID LIMITS PROGRAM [ARGUMENT ...]
# BOOT_ID is empty on a system without /proc.
# LIMITS is one word of alternating ulimit options and values, which apply to the program, not to this shell.
# Writes to DIRECTORY: `pid` ("<pid> <boot id> <start time>") after the claim, `program` (the pid of the program),
# and `exit` (the exit code).
directory=$1
boot=$2
limits=$3
shift 3

# The claim: the supervisor that creates `pid` runs the program; all others of this attempt exit silently.
set -C
{ : > "$directory/pid"; } 2>/dev/null || exit 0
set +C

start_of() { shift 19; start=$1; }
if [ -n "$boot" ] && read -r stat < "/proc/$$/stat"; then
  # The third field follows the last parenthesis; the start time is the 22nd.
  # shellcheck disable=SC2086
  start_of ${stat##*) }
else
  boot=unknown
  # The same command as in engine/process-identity.ts; unquoted, which collapses blanks.
  # shellcheck disable=SC2046,SC2116
  start=$(echo $(LC_ALL=C TZ=UTC ps -o lstart= -p $$))
fi

# Retries writes on a full disk until they succeed or the directory is deleted.
keep() {
  until { printf '%s\n' "$2" > "$directory/$1.new" && command -p mv -f "$directory/$1.new" "$directory/$1"; } 2>/dev/null; do
    [ -d "$directory" ] || exit 0
    command -p sleep 1
  done
}

# In place: the claim is the own file of this shell, and readers ignore a line without its end. A rename would
# cost a process, which takes longer than all the rest of this script.
{ printf '%s\n' "$$ $boot $start" > "$directory/pid"; } 2>/dev/null || keep pid "$$ $boot $start"

# Limits that the system or this shell does not support are ignored.
limit() {
  while [ $# -gt 1 ]; do
    ulimit "$1" "$2"
    shift 2
  done
}

# Writes the pid of the program, which the log of the kernel names when it ends the program for lack of memory.
# bwrap is only the parent of the program.
note_program() {
  case $1 in */bwrap) return ;; esac
  { read -r program _ < /proc/self/stat && printf '%s\n' "$program" > "$directory/program"; } 2>/dev/null
}

# SIGTERM to the group ends the program; this shell ignores it to record the exit code.
trap : TERM INT HUP
# Keeps messages of the shell ("Killed") out of the log of the program.
exec 3>&2 2>/dev/null
# shellcheck disable=SC2086
( note_program "$1"; limit $limits; exec "$@" 2>&3 3>&- )
code=$?

# Only a new file is written in place: the program may have left a link or a pipe under this name.
set -C
[ ! -e "$directory/exit" ] && [ ! -L "$directory/exit" ] && { printf '%s\n' $code > "$directory/exit"; } && exit 0
set +C
keep exit $code
