import { quoteShell } from '../../lib/shell-word.ts';

/**
 * The hook script. POSIX sh, for dash, bash, busybox and zsh: starting Node.js costs many times as much, and twenty
 * starts at once exceed the time Claude Code allows a SessionEnd hook. Nothing waits for the script: the command line
 * passes its standard input to it in the background and exits. Data the client has already written waits in the pipe,
 * whose buffer is larger than what we store. If a client never closes the pipe, only the reader waits, and it is
 * stopped after READER_SECONDS.
 */

const READER_SECONDS = 5;
/** Extensions by READER_SECONDS while no data has arrived, as words for a shell loop. */
const EXTENSIONS = '1 2 3';
/** dd reads at most this many blocks of 1 KiB. */
const MAX_PAYLOAD_KIB = 64;
/** Limit on the spool while no worker can be started because Node.js or fuel-code itself was removed. */
const MAX_SPOOL_KIB = 50 * 1024;

/** Measured after an import of 1,000 sessions: resident memory drops from 292 to 177 MB with no measurable slowdown. */
const MEMORY_SETTINGS = 'MALLOC_ARENA_MAX=1 NODE_OPTIONS=--max-semi-space-size=4';

export const HOOK_SCRIPT = `#!/bin/sh
# The hook of fuel-code, written by \`fuel-code hooks install\` and removed by \`fuel-code hooks uninstall\`.
# It copies its standard input, the payload of Claude Code, into the spool and starts the worker of fuel-code.
# It prints nothing and always exits with 0. While Claude Code waits, it runs neither Node.js nor git and opens no
# connection.
umask 077
trap '' HUP INT
PATH=/usr/bin:/bin\${PATH:+:$PATH}
# The output of the programs below is discarded, so they need not load a locale.
export LC_ALL=C
home=\${0%/hooks/hook.sh}
spool=$home/spool
temp=$spool/.t.$$-$PPID
exec 3<&0 </dev/null >/dev/null 2>&1

# The spool must be a folder of ours: a link could point anywhere.
is_ours() {
  [ -d "$spool" ] && [ ! -h "$spool" ] && [ -O "$spool" ]
}

# Copies standard input into the spool, even if it is incomplete.
store() {
  trap 'kill "$reader"' TERM
  [ -d "$spool" ] || mkdir "$spool"
  code=1
  if is_ours; then
    # A shell gives background commands /dev/null as standard input, so the payload is on another descriptor.
    dd bs=1024 count=${MAX_PAYLOAD_KIB} of="$temp" <&3 &
    reader=$!
    exec 3<&-
    wait "$reader"
    code=$?
    # Above 128: our own trap interrupted the wait and killed the reader.
    [ "$code" -gt 128 ] && wait "$reader"
  fi
  exec 3<&-
  kill "$limit"
  make_name
  if [ -s "$temp" ] && { [ "$code" -eq 0 ] || [ "$code" -gt 128 ]; }; then
    mv -f "$temp" "$spool/$name.json" || drop
  else
    drop
  fi
  echo "$ms" >"$home/hooks/last"
}

# Sets the entry's name, which orders entries by time. Linux provides its uptime without starting a program; the time
# is then that of the file. Elsewhere: milliseconds and the remaining nanoseconds, or zeros where date only has seconds.
make_name() {
  if read -r up ms </proc/uptime; then
    up=0000000000\${up%%.*}\${up##*.}
    name=0000000000000-\${up#"\${up%??????????}"}-$$$PPID
    ms=0
    return
  fi
  now=$(date +%s%N)
  now=\${now%%[!0-9]*}
  case \${#now} in
    19) ;;
    10) now=\${now}000000000 ;;
    *) now=0000000000000000000 ;;
  esac
  ms=\${now%??????}
  name=$ms-$$-\${now#?????????????}$PPID
}

# Nothing arrived, or it could not be written. One byte per dropped entry: the file size is the count.
drop() {
  is_ours || return
  rm -f "$temp"
  printf . >>"$spool/.dropped"
}

# Sets ticks to the start time of process $1 in kernel ticks: empty if it is gone or a zombie, a dash if unknown.
started_at() {
  case $1 in '' | *[!0-9]*) return ;; esac
  kill -0 "$1" || return
  if [ -r "/proc/$1/stat" ]; then
    read -r line <"/proc/$1/stat" || return
    set -- \${line##*) }
    [ "$1" = Z ] || ticks=\${20}
  else
    case $(ps -o command= -p "$1") in *fuel-code*) ticks=- ;; esac
  fi
}

# Is process $1 running and, if its start time $2 is known, still the same process?
is_running() {
  ticks=
  started_at "$1"
  [ -n "$ticks" ] && { [ -z "$2" ] || [ "$2" = "$ticks" ]; }
}

# The worker writes its process id to worker.pid, and its start time to worker.lock as well.
is_worker_running() {
  pid=
  lock=
  since=
  [ -r "$home/worker.pid" ] && read -r pid <"$home/worker.pid"
  [ -r "$home/worker.lock" ] && read -r lock <"$home/worker.lock"
  case $lock in
    *'"pid":'"$pid,"*'"started":"'*)
      since=\${lock##*'"started":"'}
      since=\${since%%[!0-9]*}
      ;;
  esac
  is_running "$pid" "$since"
}

# Another hook may just have started a worker.
is_worker_starting() {
  pid=
  since=
  [ -r "$home/hooks/starting" ] && read -r pid since <"$home/hooks/starting"
  is_running "$pid" "$since"
}

# Records the process of the session; when it is gone, the session has ended. Clients before 2.1 do not name it.
record_process() {
  case $CLAUDE_PID in '' | *[!0-9]*) return ;; esac
  case $CLAUDE_CODE_SESSION_ID in '' | *[!A-Za-z0-9._-]*) return ;; esac
  ticks=
  started_at "$CLAUDE_PID"
  [ -n "$ticks" ] || return
  [ -d "$home/hooks/live" ] || mkdir "$home/hooks/live"
  echo "$CLAUDE_CODE_SESSION_ID $ticks" >"$home/hooks/live/$CLAUDE_PID"
}

start_worker() {
  [ -z "$FUEL_CODE_NO_WORKER" ] || return
  is_worker_running && return
  is_worker_starting && return
  node=
  program=
  [ -r "$home/hooks/env" ] && { read -r node && read -r program; } <"$home/hooks/env"
  if [ ! -x "$node" ] || [ ! -f "$program" ]; then
    limit_spool
    return
  fi
  # The environment of the session belongs to its project, so the worker gets that of the installation instead. It may
  # be slow, so its memory use is limited.
  set -- PATH="$PATH" FUEL_CODE_HOME="$home" ${MEMORY_SETTINGS}
  [ -n "$HOME" ] && set -- "$@" HOME="$HOME"
  [ -n "$TMPDIR" ] && set -- "$@" TMPDIR="$TMPDIR"
  [ -r "$home/hooks/options" ] && while IFS= read -r option; do set -- "$@" "$option"; done <"$home/hooks/options"
  cd /
  if command -v setsid; then
    setsid env -i "$@" "$node" "$program" worker &
  else
    set -m
    env -i "$@" "$node" "$program" worker &
  fi
  ticks=
  started_at "$!"
  echo "$! $ticks" >"$home/hooks/starting"
}

# Without a worker, nothing empties the spool: drop the oldest entries. Their transcripts are found without them.
limit_spool() {
  is_ours || return
  size=$(du -sk "$spool")
  size=\${size%%[!0-9]*}
  [ "\${size:-0}" -gt ${MAX_SPOOL_KIB} ] || return
  left=4
  for file in $(ls -tr "$spool"); do
    case $file in [0-9]*.json) ;; *) continue ;; esac
    [ "$left" -gt 0 ] || break
    left=$((left - 1))
    rm -f "$spool/$file" && printf . >>"$spool/.dropped"
  done
}

# The reader kills the sleep when it has read everything; if the sleep ends first, the reader stores what it has.
sleep ${READER_SECONDS} 3<&- &
limit=$!
{
  store
  record_process
  start_worker
} &
keeper=$!
exec 3<&-
wait "$limit" || exit 0
# A reader that has not started waits for a busy machine, not for the client; one without data may wait for either.
until [ -e "$temp" ]; do
  kill -0 "$keeper" || exit 0
  sleep ${READER_SECONDS}
done
for _ in ${EXTENSIONS}; do
  [ -s "$temp" ] || sleep ${READER_SECONDS}
done
kill "$keeper"
exit 0
`;

/** Identifies our entries in settings.json, in every version of the command line. */
export const COMMAND_MARK = ': fuel-code hook;';

/**
 * The command in settings.json. No failure of the script can print anything or change the exit code from 0. A shell gives
 * background commands /dev/null as standard input, so the input is passed under another file descriptor. The script
 * runs under `nice` because twenty of them at once slow down the clients that started them.
 */
export function hookCommand(scriptPath: string): string {
  const script = `${NICE_PREFIX} /bin/sh "$f" <&3 3<&- &`;
  return `${COMMAND_MARK} f=${quoteShell(scriptPath)}; [ -r "$f" ] && { ${script} } 3<&0 >/dev/null 2>&1; exit 0`;
}

/** Falls back to running without `nice` where it does not exist. */
const NICE_PREFIX = 'PATH=/usr/bin:/bin${PATH:+:$PATH}; n=nice; command -v nice || n=; $n';
