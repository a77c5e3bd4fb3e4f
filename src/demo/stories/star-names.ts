import { VERSIONS } from '../client-version.ts';
import { createScribe, type Scribe } from '../scribe.ts';
import { ago, type DemoFile, projectFolder, sessionId, STARS, transcriptFile } from '../story.ts';
import { bash, edit } from '../tools.ts';

/** Two weeks ago: Japanese and emoji, progress lines, hidden thinking, and a line that a power cut tore. */
export function starNames(now: Date): DemoFile[] {
  const id = sessionId('d94e17a2');
  const scribe = createScribe({
    sessionId: id,
    cwd: STARS,
    gitBranch: 'feature/wamei',
    version: VERSIONS.middle,
    model: 'claude-opus-4-5-20251101',
    startedAt: ago(now, 13, 8),
  });
  scribe.prompt(
    '星図に和名を表示したい。昴（すばる）とかオリオン座の平家星・源氏星とか。データは data/names.tsv にあります 🌟',
  );
  findNames(scribe);
  tear(scribe);
  widths(scribe);
  scribe.loose({ type: 'custom-title', customTitle: 'Japanese star names' });
  return [transcriptFile(`${projectFolder(STARS)}/${id}.jsonl`, scribe)];
}

function progress(scribe: Scribe, output: string): void {
  scribe.chained({
    type: 'progress',
    data: { type: 'bash_progress', output, fullOutput: output, elapsedTimeSeconds: 2, totalLines: 1 },
    toolUseID: 'bash-progress-0',
    parentToolUseID: 'toolu_01demo',
  });
}

function findNames(scribe: Scribe): void {
  scribe.call(
    bash({
      command: 'head -4 data/names.tsv && wc -l data/names.tsv',
      about: 'Look at the names',
      output:
        'HIP\t和名\tよみ\n17702\t昴\tすばる\n27989\t平家星\tへいけぼし\n24436\t源氏星\tげんじぼし\n  164 data/names.tsv',
      think: '',
      say: '和名のデータを見てみます。',
    }),
  );
  progress(scribe, 'Compiling hoshi-zu v0.3.0');
  scribe.call(
    edit({
      path: `${STARS}/src/label.rs`,
      before: 'fn label(star: &Star) -> String {\n    star.name.clone()\n}',
      after:
        'fn label(star: &Star, names: &Names) -> String {\n    names.japanese(star.hip).unwrap_or(&star.name).to_string()\n}',
    }),
  );
}

/** Half a line, then the next one on the same line: what is left when the machine goes off while writing. */
function tear(scribe: Scribe): void {
  const torn = `{"parentUuid":"${scribe.mark() ?? ''}","isSidechain":false,"userType":"external","cwd":"${STARS}","type":"assist`;
  scribe.torn(torn);
}

function widths(scribe: Scribe): void {
  scribe.wait(900);
  scribe.prompt('停電でした。続けてください。あと、全角文字の幅も考えてね 🙏');
  scribe.call(
    bash({
      command: 'cargo test',
      about: 'Run the tests',
      output: 'test label::wide ... FAILED\n\n  left: "昴  "\n right: "昴"',
      exitCode: 101,
      seconds: 14,
    }),
  );
  scribe.call(
    edit({
      path: `${STARS}/src/label.rs`,
      before: 'let width = text.chars().count();',
      after: 'let width = text.width(); // 全角は二桁',
    }),
  );
  scribe.call(
    bash({
      command: 'cargo test',
      about: 'Run the tests again',
      output: 'test result: ok. 31 passed; 0 failed',
      seconds: 11,
    }),
  );
  scribe.answer({
    text: `できました ✨

- \`昴\`、\`平家星\`（ベテルギウス）、\`源氏星\`（リゲル）など 163 の星に和名が付きます。
- 全角文字は二桁として数えるので、表がずれません。

絵文字の幅は端末によって違うため、**星の印は ★ のまま**にしました。`,
  });
}
