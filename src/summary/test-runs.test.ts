import { describe, expect, it } from 'vitest';
import { readInvocations } from '../domain/shell-command.ts';
import { tallyShell } from './shell-work.ts';
import { failed, ran } from './testing/summary-input.ts';
import { findTestRuns } from './test-runs.ts';

const one = (command: string, output = '') => findTestRuns(ran(command, output))[0];

describe('test runs', () => {
  it.each([
    ['npm test', 'npm test'],
    ['npm run test:unit -- --watch=false', 'npm run test:unit'],
    ['pnpm --filter shop test', 'pnpm test'],
    ['yarn workspace shop test', 'yarn test'],
    ['pnpm test', 'pnpm test'],
    ['yarn test src/basket', 'yarn test'],
    ['cd app && CI=1 npx vitest run', 'vitest'],
    ['npx jest --ci', 'jest'],
    ['node --test test/', 'node --test'],
    ['(source .venv/bin/activate && pytest)', 'pytest'],
    ['uv run pytest -m tui test/test_tui.py -v', 'pytest'],
    ['python -m pytest tests', 'pytest'],
    ['python3 -m unittest discover', 'unittest'],
    ['go test ./... 2>&1 | tail -20', 'go test'],
    ['GOOS=linux timeout 60 go test -race ./pkg', 'go test'],
    ['cargo test --all', 'cargo test'],
    ['cargo nextest run', 'cargo test'],
    ['mvn -q clean test', 'mvn test'],
    ['./gradlew :app:test', 'gradlew test'],
    ['make test', 'make test'],
    ['mise run test:integration', 'mise run test:integration'],
    ['bundle exec rspec spec/basket_spec.rb', 'rspec'],
    ['vendor/bin/phpunit', 'phpunit'],
    ['php artisan test', 'artisan test'],
    ['dotnet test', 'dotnet test'],
    ['swift test', 'swift test'],
    ['mix test', 'mix test'],
    ['npx playwright test', 'playwright'],
    ['npx playwright install', null],
    ['pytest --collect-only -q', null],
    ['echo "npm test"', null],
    ['git commit -m "run npm test"', null],
    ['cat test/basket.test.ts', null],
    ["cat > x <<'EOF'\nnpm test\nEOF\nls", null],
    ['ls # npm test', null],
  ])('%s is %s', (command, label) => {
    expect(one(command)?.label ?? null).toBe(label);
  });

  it.each([
    ['vitest', ' Test Files  1 failed | 3 passed (4)\n      Tests  2 failed | 30 passed (32)', 'failed', 30, 2],
    ['jest', 'Tests:       1 failed, 5 passed, 6 total', 'failed', 5, 1],
    ['jest', '\u001b[1mTests:\u001b[22m       \u001b[32m5 passed\u001b[39m, 5 total', 'passed', 5, 0],
    ['pytest', '===== 2 failed, 10 passed, 1 warning in 3.21s =====', 'failed', 10, 2],
    ['pytest', '80 passed in 12.3s', 'passed', 80, 0],
    ['pytest', '== 3 passed, 1 error in 0.5s ==', 'failed', 3, 1],
    [
      'cargo test',
      'test result: ok. 3 passed; 0 failed; 0 ignored\n\ntest result: ok. 4 passed; 0 failed;',
      'passed',
      7,
      0,
    ],
    ['npx mocha', '  12 passing (3s)\n  1 failing', 'failed', 12, 1],
    ['rspec', '10 examples, 0 failures', 'passed', 10, 0],
    ['mvn test', '[INFO] Tests run: 8, Failures: 1, Errors: 1, Skipped: 0', 'failed', 6, 2],
    ['phpunit', 'FAILURES!\nTests: 5, Assertions: 8, Failures: 1.', 'failed', 4, 1],
    ['phpunit', 'OK (5 tests, 8 assertions)', 'passed', 5, 0],
    ['node --test', '# pass 7\n# fail 0', 'passed', 7, 0],
    ['dotnet test', 'Passed!  - Failed:     0, Passed:    14, Skipped: 0', 'passed', 14, 0],
    ['go test ./...', 'ok  \tshop/basket\t0.012s', 'passed', null, null],
    ['go test ./... | tail', '--- FAIL: TestBasket (0.00s)\nFAIL\tshop/basket', 'failed', null, null],
    ['go test ./... | tail', 'ok  \tshop/basket\t0.012s', 'unknown', null, null],
    ['./gradlew test', 'BUILD SUCCESSFUL in 3s', 'passed', null, null],
    ['python -m unittest', 'Ran 3 tests in 0.1s\n\nFAILED (failures=1, errors=1)', 'failed', null, 2],
    ['npm test', '', 'passed', null, null],
    ['npm test | tail -3', '', 'unknown', null, null],
  ])('%s that printed %j %s', (command, output, outcome, passed, failures) => {
    expect(one(command, output)).toMatchObject({ outcome, passed, failed: failures });
  });

  it('relies on the exit status if nothing was printed', () => {
    expect(findTestRuns(failed('npm test'))[0]?.outcome).toBe('failed');
    expect(findTestRuns(failed('npm test', 'sh: npm: command not found', 127))[0]?.outcome).toBe('unknown');
    expect(findTestRuns(ran('npm test', '', { status: 'denied' }))).toEqual([]);
    expect(findTestRuns(ran('npm test', '', { status: 'background' }))[0]?.outcome).toBe('unknown');
  });
});

describe('the exit code and one program of a command', () => {
  it.each([
    ['npm test && npm run lint', 0, 'passed'],
    ['npm run build && npm test', 0, 'passed'],
    ['npm test; npm run lint', 0, 'unknown'],
    ['npm test || true', 0, 'unknown'],
    ['npm test &', 0, 'unknown'],
    ['for d in a b; do npm test; done', 0, 'unknown'],
    ['! npm test', 0, 'unknown'],
    ['cd app && npm test', 1, 'failed'],
    ['npm run build && npm test', 1, 'unknown'],
    ['npm test && npm run lint', 1, 'unknown'],
    ["bash -lc 'npm test'", 1, 'failed'],
  ])('%s with exit code %d: %s', (command, exitCode, outcome) => {
    const run = exitCode === 0 ? ran(command) : failed(command, '', exitCode);
    expect(findTestRuns(run).map((test) => test.outcome)).toEqual([outcome]);
  });

  it('counts every runner of a command and ignores output shared by two of them', () => {
    const runs = findTestRuns(ran('npm test; pytest', '3 passed in 0.1s'));
    expect(runs.map(({ label, outcome }) => [label, outcome])).toEqual([
      ['npm test', 'unknown'],
      ['pytest', 'passed'],
    ]);
  });

  it('does not mistake the first lines of an output for all of it', () => {
    expect(one('npx jest | head -20', 'PASS src/a.test.ts')?.outcome).toBe('unknown');
    expect(one('npx jest | head -20', 'FAIL src/a.test.ts')?.outcome).toBe('failed');
  });
});

it('determines the last run by time, since sub-agent files come after the main one', async () => {
  const { tests, lastTest } = await tallyShell([
    ran('npm test', '', { at: '2026-11-01T10:00:00.000Z' }),
    failed('npm test', 'Tests  2 failed (2)'),
    { ...failed('npm test', 'Tests  1 failed (1)'), at: '2026-11-01T10:00:09.000Z' },
    ran('npm test', '', { at: '2026-11-01T10:00:05.000Z' }),
  ]);
  expect(tests).toMatchObject([{ calls: 4, passed: 2, failed: 2, last: { outcome: 'failed', failed: 1 } }]);
  expect(lastTest?.outcome).toBe('failed');
});

describe('commands', () => {
  it('are counted by label, except those that only read', async () => {
    const {
      commands,
      failed: blamed,
      failures,
    } = await tallyShell([
      ran('cd /x && npm run build'),
      ran('npm run build && git push -u origin main'),
      ran('git -C /x commit -m "a && b; c"'),
      ran('ls -la | grep x'),
      ran('gh pr create --title "x | y"'),
      failed('docker compose up -d'),
      failed('npm run build && npm run lint'),
    ]);
    expect(commands).toEqual([
      { label: 'npm run build', calls: 3 },
      { label: 'gh pr create', calls: 1 },
      { label: 'docker compose up', calls: 1 },
      { label: 'npm run lint', calls: 1 },
    ]);
    expect(failures).toBe(2);
    expect(blamed).toEqual([{ label: 'docker compose up', calls: 1 }]);
  });

  it('are parsed through quotes, here-documents, pipes and redirections', () => {
    const command = `A=1 B="x y" cat <<'EOF' > out.txt && echo "it's; fine" 2>&1 | tee log\nnpm publish\nEOF\nmake all &`;
    expect(readInvocations(command).map(({ program, next }) => [program, next])).toEqual([
      ['cat', '&&'],
      ['echo', '|'],
      ['tee', ';'],
      ['make', '&'],
    ]);
  });

  it('are parsed through substitutions with their own quotes and here-documents', () => {
    const message = `git commit -m "$(cat <<'EOF'\nSay "no" (twice); npm test\nEOF\n)" && N=$(git describe --tags) make`;
    expect(readInvocations(message).map(({ program }) => program)).toEqual(['git', 'make']);
  });

  it.each([
    ['echo x | \\\n  A=1 \\\n  bash x.sh', ['echo', 'bash']],
    ['env -u A -u B C=1 make', ['make']],
    ['sudo -u www -E docker ps', ['docker']],
    ['A=1 B=2 C=3 D=4 E=5 F=6 G=7 H=8 make', ['make']],
  ])('of %j are %j', (command, programs) => {
    expect(readInvocations(command).map(({ program }) => program)).toEqual(programs);
  });
});

describe('pull requests', () => {
  it('reads a command whose quotes and substitutions are nested without end', () => {
    expect(readInvocations(`echo ${'"$('.repeat(50_000)}`).map(({ program }) => program)).toEqual(['echo']);
    expect(readInvocations('echo "$(cat "$(ls "$(pwd)")")" && make').map(({ program }) => program)).toEqual([
      'echo',
      'make',
    ]);
  });

  it('are those printed by gh pr create, each once', async () => {
    const url = 'https://github.com/ada/shop/pull/7';
    const { pullRequests } = await tallyShell([
      ran('gh pr create --fill', `Creating pull request\n\n${url}`),
      ran('git push && gh pr create --fill', url),
      ran('gh pr view', 'https://github.com/ada/shop/pull/8'),
      ran('echo "gh pr create"', 'https://github.com/ada/shop/pull/9'),
      failed('gh pr create', 'already exists:\nhttps://github.com/ada/shop/pull/10'),
    ]);
    expect(pullRequests).toEqual([{ number: 7, url, repository: 'ada/shop' }]);
  });

  it.each([
    [
      'gh pr create --fill || true',
      'a pull request for branch "x" already exists:\nhttps://github.com/ada/shop/pull/7',
    ],
    ['gh pr view --json url -q .url || gh pr create --fill', 'https://github.com/ada/shop/pull/7'],
    ['gh pr create --dry-run --fill; cat pr.txt', 'Would have created\nhttps://github.com/ada/shop/pull/7'],
    ['gh pr create --help && gh pr view 7 --json url -q .url', 'https://github.com/ada/shop/pull/7'],
  ])('are not those that %j only names', async (command, output) => {
    expect((await tallyShell([ran(command, output)])).pullRequests).toEqual([]);
  });

  it('are also those that the client noted as created, and no others', async () => {
    const noted = { kind: 'pr', sha: null, url: null } as const;
    const { pullRequests } = await tallyShell([
      ran('make release', '', { noted: [{ ...noted, action: 'created', number: 3 }] }),
      ran('gh pr close 4', '', { noted: [{ ...noted, action: 'closed', number: 4 }] }),
    ]);
    expect(pullRequests.map(({ number }) => number)).toEqual([3]);
  });
});

describe('commits', () => {
  const madeBy = async (...runs: Parameters<typeof ran>[]) => {
    const { commits, unknownCommits, pushes } = await tallyShell(runs.map((run) => ran(...run)));
    return { made: commits.map(({ sha, isAmend }) => (isAmend ? `amend ${sha}` : sha)), unknownCommits, pushes };
  };

  it.each([
    ['git commit -m a', '[main 1a2b3c4] a', ['1a2b3c4'], 0],
    ['git commit -q -m a', '', [null], 0],
    ['git add -A && git commit -qm a && git push -q', '', [null], 0],
    ['git commit -q -m a; git log -1', 'x', [], 1],
    ['git commit -m a | tail -1', '', [], 1],
    ['git commit --amend --no-edit', '[main 1a2b3c4] a', ['amend 1a2b3c4'], 0],
    ['git commit --dry-run', '', [], 0],
    ['git cherry-pick abc', '[main 1a2b3c4] a', ['1a2b3c4'], 0],
    ['git log', '[main 1a2b3c4] a', [], 0],
  ])('%s that printed %j', async (command, output, made, unknownCommits) => {
    expect(await madeBy([command, output])).toMatchObject({ made, unknownCommits });
  });

  it('and test runs are not counted for calls that the client stopped or rejected', async () => {
    const { runs, failures, commits, tests } = await tallyShell([
      ran('git commit -m a', "The user doesn't want to proceed with this tool use.", {
        status: 'interrupted',
        exitCode: null,
      }),
      failed('npm test', '<tool_use_error>Blocked: use Monitor.</tool_use_error>', null),
    ]);
    expect({ runs, failures, commits, tests }).toEqual({ runs: 0, failures: 0, commits: [], tests: [] });
  });

  it.each(['(eval):cd:1: no such file or directory: app', '/bin/bash: line 1: cd: app: No such file or directory'])(
    'a program after a cd that failed with %j is not blamed',
    async (output) => {
      const { failures, failed: culprits } = await tallyShell([
        failed('cd app && python run.py', `Exit code 1\n${output}`),
        failed('python run.py', 'Exit code 1\nTraceback: cdr:x'),
      ]);
      expect({ failures, culprits }).toEqual({ failures: 2, culprits: [{ label: 'python', calls: 1 }] });
    },
  );

  it('are not counted for a refused or failed call', async () => {
    const { commits, unknownCommits } = await tallyShell([
      ran('git commit -m a', '', { status: 'denied' }),
      failed('git commit -m a', 'nothing to commit'),
    ]);
    expect([commits, unknownCommits]).toEqual([[], 0]);
  });

  it('use the hash noted by the client if git printed none', async () => {
    const { commits } = await tallyShell([
      ran('git commit -q -m a', '', {
        noted: [{ kind: 'commit', action: 'committed', sha: 'abc1234', url: null, number: null }],
      }),
    ]);
    expect(commits).toEqual([{ sha: 'abc1234', subject: null, isAmend: false }]);
  });
});
