#!/bin/sh
# Reports an event of Claude Code to fuel-code. It prints nothing and always exits with 0.
{
  # `fuel-code hooks install` reports the same events from the settings; each is reported once.
  grep -qs ': fuel-code hook;' "${CLAUDE_CONFIG_DIR:-$HOME/.claude}/settings.json" && exit 0
  script=${FUEL_CODE_HOME:-$HOME/.fuel-code}/hooks/hook.sh
  nice=nice
  command -v nice || nice=
  if [ -r "$script" ]; then
    $nice /bin/sh "$script" <&3 3<&- &
  elif command -v fuel-code; then
    # Only once: fuel-code writes the script, while the event waits in the pipe.
    { $nice fuel-code hooks prepare </dev/null 3<&- && $nice /bin/sh "$script" <&3; } &
  fi
} 3<&0 >/dev/null 2>&1
exit 0
