import type { z } from 'zod';
import { bool, fields, num, opt, str } from '../kit.ts';

const command = fields({
  command: str,
  description: opt(str),
  timeout: opt(num),
  run_in_background: opt(bool),
  dangerouslyDisableSandbox: opt(bool),
  sandbox: opt(bool),
});

export const SHELL_INPUTS = {
  Bash: command,
  PowerShell: command,
  BashOutput: fields({ bash_id: opt(str), filter: opt(str) }),
  KillShell: fields({ shell_id: opt(str) }),
  KillBash: fields({ shell_id: opt(str) }),
  Monitor: fields({
    command: opt(str),
    description: opt(str),
    target: opt(str),
    persistent: opt(bool),
    timeout_ms: opt(num),
  }),
} satisfies Record<string, z.ZodType>;
