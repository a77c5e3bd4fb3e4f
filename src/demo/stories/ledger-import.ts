import { VERSIONS } from '../client-version.ts';
import { createScribe, type Scribe } from '../scribe.ts';
import { ago, bash, type DemoFile, edit, LEDGER, projectFolder, read, sessionId, transcriptFile } from '../story.ts';

/** Two days ago: the API is overloaded for a while, the work goes on. */
export function ledgerImport(now: Date): DemoFile[] {
  const id = sessionId('e83b6c41');
  const scribe = createScribe({
    sessionId: id,
    cwd: LEDGER,
    gitBranch: 'main',
    version: VERSIONS.recent,
    model: 'claude-sonnet-5-5',
    startedAt: ago(now, 2, 5),
  });
  scribe.prompt('`tea-ledger import bank.csv` drops every line with an umlaut. The bank exports Latin-1, I think.');
  overload(scribe);
  fix(scribe);
  giveUpOnce(scribe);
  return [transcriptFile(`${projectFolder(LEDGER)}/${id}.jsonl`, scribe)];
}

function overload(scribe: Scribe): void {
  for (const attempt of [1, 2, 3]) {
    scribe.chained({
      type: 'system',
      subtype: 'api_error',
      level: 'error',
      error: { status: 529, message: 'Overloaded', requestId: null, formatted: '529 Overloaded' },
      retryInMs: 500 * 2 ** attempt,
      retryAttempt: attempt,
      maxRetries: 10,
    });
    scribe.wait(2 ** attempt);
  }
}

function fix(scribe: Scribe): void {
  const path = `${LEDGER}/tea_ledger/importers/bank.py`;
  scribe.call(
    bash({
      command: 'file bank.csv && python -m tea_ledger import bank.csv --dry-run 2>&1 | tail -3',
      about: 'Look at the file and try it',
      output: 'bank.csv: ISO-8859 text, with CRLF line terminators\nskipped 14 lines that are not UTF-8\n212 entries',
      think: '',
    }),
  );
  scribe.call(
    read({
      path,
      content: `def rows(path):
    with open(path, "rb") as f:
        for line in f:
            try:
                yield line.decode("utf-8").rstrip("\\r\\n").split(";")
            except UnicodeDecodeError:
                skipped.append(line)`,
    }),
  );
  scribe.call(
    edit({
      path,
      before: `            try:
                yield line.decode("utf-8").rstrip("\\r\\n").split(";")
            except UnicodeDecodeError:
                skipped.append(line)`,
      after: `            yield decode(line).rstrip("\\r\\n").split(";")


def decode(line):
    """UTF-8 if it is that, else what German banks have used since 1985."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("iso-8859-15")`,
      say: 'You are right: ISO 8859. Lines that are not UTF-8 were thrown away without a word.',
    }),
  );
  scribe.call(
    bash({
      command: 'python -m pytest -q && python -m tea_ledger import bank.csv --dry-run | tail -1',
      about: 'Test and try',
      output: '41 passed in 0.82s\n226 entries',
      seconds: 5,
    }),
  );
  scribe.answer({
    text: 'All 226 entries arrive, *Grüner Tee, Fa. Möller* among them. A line is read as UTF-8 when it is valid UTF-8, else as ISO 8859-15 (it has the € sign, which 8859-1 lacks).',
  });
}

function giveUpOnce(scribe: Scribe): void {
  scribe.wait(240);
  scribe.prompt('Now do the same for the credit card export.');
  scribe.chained({
    type: 'assistant',
    message: {
      id: 'b1f6b3d2-6f0e-4a2c-9d57-1c7a9e0f5521',
      model: '<synthetic>',
      role: 'assistant',
      type: 'message',
      stop_reason: 'stop_sequence',
      stop_sequence: '',
      usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
      content: [{ type: 'text', text: 'API Error: 529 Overloaded. Try again in a moment.' }],
    },
    isApiErrorMessage: true,
    error: 'server_error',
    apiErrorStatus: 529,
  });
  scribe.wait(600);
  scribe.prompt('Again, please.');
  scribe.call(
    bash({
      command: 'file card.csv',
      about: 'Look at the other export',
      output: 'card.csv: UTF-8 Unicode (with BOM) text',
    }),
  );
  scribe.answer({
    text: 'The card export is UTF-8 with a byte order mark, so it was read, but its first column was called `\\ufeffDatum`. I strip the mark now; 97 entries, none skipped.',
  });
  scribe.loose({ type: 'ai-title', aiTitle: 'Bank export loses umlauts' });
}
