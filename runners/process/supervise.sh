#!/bin/sh
# Supervises one process of an attempt: claims it, runs the program, keeps its exit code. It outlives the engine.
# usage: supervise.sh DIRECTORY LIMITS PROGRAM [ARGUMENT ...]
# LIMITS are options of ulimit and their values by turns, in one word; they hold for the program, not for this shell.
# In DIRECTORY it leaves `pid` ("<pid> <boot id> <start time>", when it has claimed) and `exit` (the code, at the end).
directory=$1
limits=$2
shift 2

# The claim: whoever creates `pid` runs the program, every other supervisor of this attempt leaves without a word.
set -C
{ : > "$directory/pid"; } 2>/dev/null || exit 0
set +C

start_of() { shift 19; start=$1; }
if { read -r boot < /proc/sys/kernel/random/boot_id && read -r stat < "/proc/$$/stat"; } 2>/dev/null; then
  # Behind the last parenthesis stand the fields from the third on; the start time is the 22nd.
  # shellcheck disable=SC2086
  start_of ${stat##*) }
else
  boot=unknown
  # The same words as engine/process-identity.ts asks for; unquoted below, so that runs of blanks become one.
  # shellcheck disable=SC2046,SC2116
  start=$(echo $(LC_ALL=C TZ=UTC ps -o lstart= -p $$))
fi

# A full disk makes these writes wait instead of losing what happened; a deleted directory ends them.
keep() {
  until { printf '%s\n' "$2" > "$directory/$1.new" && command -p mv -f "$directory/$1.new" "$directory/$1"; } 2>/dev/null; do
    [ -d "$directory" ] || exit 0
    command -p sleep 1
  done
}

keep pid "$$ $boot $start"

# What the system or this shell does not know is left as it is.
limit() {
  while [ $# -gt 1 ]; do
    ulimit "$1" "$2"
    shift 2
  done
}

# The group is told to stop with SIGTERM: the program dies of it, this shell stays to write down how.
trap : TERM INT HUP
# The log is the program's own: what the shell would say of its end ("Killed") does not belong there.
exec 3>&2 2>/dev/null
# shellcheck disable=SC2086
( limit $limits; exec "$@" 2>&3 3>&- )
keep exit $?
