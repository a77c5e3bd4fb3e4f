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
# The hook of fuel-code; \`fuel-code hooks install\` wrote it, \`fuel-code hooks uninstall\` removes it.
# It copies what Claude Code says on standard input into the spool and wakes the worker of fuel-code.
# It prints nothing, always ends with 0, and starts neither Node.js nor git nor a connection while anybody waits.
umask 077
trap '' HUP INT
PATH=/usr/bin:/bin\${PATH:+:$PATH}
# Nobody reads what the programs below say, so they need not learn a language first.
export LC_ALL=C
home=\${0%/hooks/hook.sh}
spool=$home/spool
temp=$spool/.t.$$-$PPID
exec 3<&0 </dev/null >/dev/null 2>&1

# The spool must be our own folder: a link could lead anywhere.
is_ours() {
  [ -d "$spool" ] && [ ! -h "$spool" ] && [ -O "$spool" ]
}

# Reads standard input into the spool: whole, or as far as it comes.
store() {
  trap 'kill "$reader"' TERM
  [ -d "$spool" ] || mkdir "$spool"
  code=1
  if is_ours; then
    # A shell gives background commands /dev/null to read, so the payload comes by another number.
    dd bs=1024 count=${MAX_PAYLOAD_KIB} of="$temp" <&3 &
    reader=$!
    exec 3<&-
    wait "$reader"
    code=$?
    # Above 128 it was our own trap that ended the wait, and then the reader.
    [ "$code" -gt 128 ] && wait "$reader"
  fi
  exec 3<&-
  kill "$limit"
  name_it
  if [ -s "$temp" ] && { [ "$code" -eq 0 ] || [ "$code" -gt 128 ]; }; then
    mv -f "$temp" "$spool/$name.json" || drop
  else
    drop
  fi
  echo "$ms" >"$home/hooks/last"
}

# Linux tells how long it has been up without another program: in names of that order, the time is that of the file.
# Elsewhere milliseconds, and what is left of the nanoseconds; where date knows seconds only, zeros.
name_it() {
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

# Nothing came, or the disk refused it. One byte a drop: the length of the file is their number.
drop() {
  is_ours || return
  rm -f "$temp"
  printf . >>"$spool/.dropped"
}

# When process $1 began, in the kernel's ticks; nothing for one that is gone or a zombie, a dash where that is unknown.
began() {
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

# Is $1 a living process and, if we know when that began ($2), still the same one?
lives() {
  ticks=
  began "$1"
  [ -n "$ticks" ] && { [ -z "$2" ] || [ "$2" = "$ticks" ]; }
}

# The worker writes its number into worker.pid, and into worker.lock also when it began.
worker_lives() {
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
  lives "$pid" "$since"
}

# Another hook may have started one a moment ago.
one_starts() {
  pid=
  since=
  [ -r "$home/hooks/starting" ] && read -r pid since <"$home/hooks/starting"
  lives "$pid" "$since"
}

# Which process runs the session: once that is gone, the session has ended. Clients before 2.1 do not say it.
note_process() {
  case $CLAUDE_PID in '' | *[!0-9]*) return ;; esac
  case $CLAUDE_CODE_SESSION_ID in '' | *[!A-Za-z0-9._-]*) return ;; esac
  ticks=
  began "$CLAUDE_PID"
  [ -n "$ticks" ] || return
  [ -d "$home/hooks/live" ] || mkdir "$home/hooks/live"
  echo "$CLAUDE_CODE_SESSION_ID $ticks" >"$home/hooks/live/$CLAUDE_PID"
}

wake() {
  [ -z "$FUEL_CODE_NO_WORKER" ] || return
  worker_lives && return
  one_starts && return
  node=
  program=
  [ -r "$home/hooks/env" ] && { read -r node && read -r program; } <"$home/hooks/env"
  if [ ! -x "$node" ] || [ ! -f "$program" ]; then
    bound
    return
  fi
  # The session's environment is that of the project it works on; the worker gets that of the installation, and no more
  # memory than it needs: nobody waits for it.
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
  began "$!"
  echo "$! $ticks" >"$home/hooks/starting"
}

# Nobody empties the spool: the oldest entries go. The transcripts they point at are found without them.
bound() {
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

# The reader ends the sleep when it has read everything; if the sleep ends first, the reader takes what it has.
sleep ${READER_SECONDS} 3<&- &
limit=$!
{
  store
  note_process
  wake
} &
keeper=$!
exec 3<&-
wait "$limit" || exit 0
# A reader that has not begun yet waits for a busy machine, not for the client; one that has nothing yet may wait for both.
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
 * The command in settings.json. No failure after it can print anything or change the exit code from 0. A shell gives
 * background commands /dev/null as standard input, so the input is passed under another file descriptor. The script
 * runs under `nice` because twenty of them at once slow down the clients that started them.
 */
export function hookCommand(scriptPath: string): string {
  const script = `${NICE_PREFIX} /bin/sh "$f" <&3 3<&- &`;
  return `${COMMAND_MARK} f=${shellQuote(scriptPath)}; [ -r "$f" ] && { ${script} } 3<&0 >/dev/null 2>&1; exit 0`;
}

/** Falls back to running without `nice` where it does not exist. */
const NICE_PREFIX = 'PATH=/usr/bin:/bin${PATH:+:$PATH}; n=nice; command -v nice || n=; $n';

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
