import { anything, bool, fields, num, openFields, opt, str, type Shape } from '../kit.ts';
import { result } from './shape.ts';

/** What a command did to a git repository, as far as the client could tell from its output. */
const gitOperation = fields({
  commit: opt(fields({ sha: opt(str), kind: opt(str), branch: opt(str) })),
  push: opt(fields({ branch: opt(str) })),
  branch: opt(fields({ ref: opt(str), action: opt(str) })),
  pr: opt(openFields({ number: opt(num), url: opt(str), action: opt(str) })),
});

const background = {
  backgroundTaskId: opt(str),
  backgroundedByUser: opt(bool),
  assistantAutoBackgrounded: opt(bool),
  backgroundCwdHint: opt(str),
};

export const SHELL_RESULTS = {
  shell: result('shell', 'Bash, PowerShell: a command.', ['stdout', 'interrupted'], {
    stdout: opt(str),
    stderr: opt(str),
    interrupted: opt(bool),
    isImage: opt(bool),
    noOutputExpected: opt(bool),
    returnCodeInterpretation: opt(str),
    timedOutAfterMs: opt(num),
    sandbox: opt(bool),
    dangerouslyDisableSandbox: opt(bool),
    persistedOutputPath: opt(str),
    persistedOutputSize: opt(num),
    rawOutputPath: opt(str),
    structuredContent: opt(anything),
    bashEditDiff: opt(anything),
    tokenSaverOutput: opt(str),
    staleReadFileStateHint: opt(str),
    gitOperation: opt(gitOperation),
    ...background,
  }),
  shell_output: result('shell_output', 'BashOutput: a look at a background command (until 2.0).', ['shellId'], {
    shellId: opt(str),
    command: opt(str),
    status: opt(str),
    exitCode: opt(num),
    stdout: opt(str),
    stderr: opt(str),
    stdoutLines: opt(num),
    stderrLines: opt(num),
    timestamp: opt(str),
    filterPattern: opt(str),
  }),
  shell_killed: result('shell_killed', 'KillShell, KillBash: a background command was stopped.', ['shell_id'], {
    shell_id: opt(str),
    message: opt(str),
  }),
} satisfies Record<string, Shape>;
