import { describe, expect, it } from 'vitest';
import { readInvocations } from '../domain/shell-command.ts';
import { tallyShell } from './shell-work.ts';
import { findTestRuns } from './test-runs.ts';
import { failed, ran } from './testing/summary-input.ts';

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
    ['.venv/bin/python3.12 -m pytest -q', 'pytest'],
    ['coverage run -m pytest', 'pytest'],
    ['timeout -k 5 60 npm test', 'npm test'],
    ['make -C app -j4 test', 'make test'],
    ['cargo +nightly --manifest-path app/Cargo.toml test', 'cargo test'],
    ['npx nx run-many -t lint test', 'nx test'],
    ['turbo run lint test', 'turbo test'],
    ['python3 tests/run_tests.py', 'run_tests.py'],
    ['npx --yes vitest@latest run', 'vitest'],
    ['yarn jest src', 'jest'],
    ['npx jest --init', null],
    ['npx vitest list', null],
    ['go test -list . ./...', null],
    ['go build -o test .', null],
    ['dotnet new xunit -n test', null],
    ['./gradlew build -x test', null],
    ['mvn verify -DskipTests', null],
    ['node latest.js', null],
    ['bash contest.sh', null],
    ['npm run build:test', null],
    ['npm run test:setup', null],
    ['just check', null],
    ['make check', 'make check'],
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
    ['go test ./...', 'ok  \tshop/basket\t0.012s\n?   \tshop\t[no test files]', 'passed', null, null],
    ['go test -run X ./...', 'ok  \tshop/basket\t0.002s [no tests to run]', 'unknown', null, null],
    ['npx jest --passWithNoTests', 'No tests found, exiting with code 0', 'unknown', null, null],
    ['go test ./... | tail', '--- FAIL: TestBasket (0.00s)\nFAIL\tshop/basket', 'failed', null, null],
    ['go test ./... | tail', 'ok  \tshop/basket\t0.012s', 'unknown', null, null],
    ['./gradlew test', 'BUILD SUCCESSFUL in 3s', 'passed', null, null],
    ['python -m unittest', 'Ran 3 tests in 0.1s\n\nFAILED (failures=1, errors=1)', 'failed', null, 2],
    ['python -m unittest', 'Ran 9 tests in 0.1s\n\nOK (skipped=2)', 'passed', 7, 0],
    ['mvn test', '[INFO] Tests run: 8, Failures: 0, Errors: 0, Skipped: 3', 'passed', 5, 0],
    [
      './mvnw verify',
      '[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in A\n' +
        '[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0',
      'passed',
      5,
      0,
    ],
    ['pytest | tail -1', '9 passed, 2 skipped, 10 subtests passed in 1.5s', 'passed', 9, 0],
    ['rspec', '10 examples, 0 failures, 2 pending', 'passed', 8, 0],
    ['phpunit', 'OK, but some tests were skipped!\nTests: 5, Assertions: 8, Skipped: 1.', 'passed', 4, 0],
    ['deno test', 'FAILED | 4 passed | 1 failed (20ms)', 'failed', 4, 1],
    ['cargo nextest run', '     Summary [   0.020s] 5 tests run: 4 passed, 1 failed, 0 skipped', 'failed', 4, 1],
    ['swift test', '\t Executed 7 tests, with 2 failures (0 unexpected) in 0.004 seconds', 'failed', 5, 2],
    ['mix test', '2 doctests, 5 tests, 1 failure', 'failed', 6, 1],
    ['rails test', '12 runs, 30 assertions, 1 failures, 2 errors, 1 skips', 'failed', 8, 3],
    ['ctest', '86% tests passed, 1 tests failed out of 7', 'failed', 6, 1],
    ['sbt test', '[info] Tests: succeeded 5, failed 1, canceled 0', 'failed', 5, 1],
    ['ng test', 'Chrome 120: Executed 5 of 5 (2 FAILED) (0.02 secs)', 'failed', 3, 2],
    ['gotestsum', 'DONE 12 tests, 2 failures in 1.2s', 'failed', 10, 2],
    ['npx ava', '  ─\n\n  1 test failed\n  2 tests passed', 'failed', 2, 1],
    ['npx playwright test', '  1 failed\n    a.spec.ts:3:1 › x\n  4 passed (4.2s)', 'failed', 4, 1],
    ['bazel test //...', 'Executed 2 out of 2 tests: 1 test passes and 1 fails locally.', 'failed', 1, 1],
    ['forge test', 'Ran 2 test suites in 10ms: 5 tests passed, 1 failed, 0 skipped (6 total tests)', 'failed', 5, 1],
    ['pytest', '1 failed, 5 passed in 0.33s\r\n', 'failed', 5, 1],
    // Several summaries: one run printed twice, or two runs.
    ['npm test', 'Tests:       5 passed, 5 total\n\nTests:       5 passed, 5 total', 'passed', 5, 0],
    ['npm test', 'Tests:       5 passed, 5 total\n\nTests:       7 passed, 7 total', 'passed', null, 0],
    [
      'dotnet test | tail',
      'Failed!  - Failed:     3, Passed:    10\nPassed!  - Failed:     0, Passed:    42',
      'failed',
      52,
      3,
    ],
    // A file that cannot be loaded fails without a failed test.
    ['vitest | tail', ' Test Files  1 failed | 1 passed (2)\n      Tests  4 passed (4)', 'failed', 4, 0],
    ['jest | tail', 'Test Suites: 1 failed, 2 passed, 3 total\nTests:       7 passed, 7 total', 'failed', 7, 0],
    ['vitest | tail', ' Test Files  2 passed (2)\n      Tests  5 passed (5)\n     Errors  1 error', 'failed', 5, 0],
    ['rspec | tail', '0 examples, 0 failures, 1 error occurred outside of examples', 'failed', 0, 1],
    ['node --test | tail', 'ℹ pass 4\nℹ fail 0\nℹ cancelled 1', 'failed', 4, 1],
    ['cargo test | tail', 'error: could not compile `shop` (lib test)', 'failed', null, null],
    ['npm test | tail', 'npm error Test failed.  See above for more details.', 'failed', null, null],
    // What a filter or `tail` left may hide failures.
    ['vitest | tail -3', '      Tests  5 passed (5)\n   Duration  300ms', 'unknown', null, null],
    ['vitest | tail -5', ' Test Files  2 passed (2)\n      Tests  5 passed (5)', 'passed', 5, 0],
    ['mocha | grep passing', '  12 passing (30ms)', 'unknown', null, null],
    ['mocha | tail', '  12 passing (30ms)', 'passed', 12, 0],
    ['playwright test | tail -1', '  4 passed (4.2s)', 'unknown', null, null],
    ['pytest | grep passed', '5 passed in 0.3s', 'passed', 5, 0],
    ['pytest', 'no tests ran in 0.01s', 'unknown', null, null],
    ['npm test', '', 'passed', null, null],
    ['npm test | tail -3', '', 'unknown', null, null],
  ])('%s that printed %j %s', (command, output, outcome, passed, failures) => {
    expect(one(command, output)).toMatchObject({ outcome, passed, failed: failures });
  });

  it('relies on the exit status if nothing was printed', () => {
    expect(findTestRuns(failed('npm test'))[0]?.outcome).toBe('failed');
    expect(findTestRuns(failed('npm test', 'sh: npm: command not found', 127))[0]?.outcome).toBe('unknown');
    expect(findTestRuns(failed('pytest -k x', 'no tests ran in 0.01s', 5))[0]?.outcome).toBe('unknown');
    expect(findTestRuns(failed('cargo clippy && cargo test', 'error: could not compile `shop`'))[0]?.outcome).toBe(
      'unknown',
    );
    expect(findTestRuns(failed('cd app && cargo test 2>&1', 'error: could not compile `shop`'))[0]?.outcome).toBe(
      'failed',
    );
    expect(findTestRuns(failed('npm test', 'Command timed out after 2m', 143))[0]?.outcome).toBe('unknown');
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
    ['test -f ok || npm test', 0, 'unknown'],
    ['npm test &', 0, 'unknown'],
    ['for d in a b; do npm test; done', 0, 'unknown'],
    ['! npm test', 0, 'unknown'],
    ['cd app && npm test', 1, 'failed'],
    ['npm run build && npm test', 1, 'unknown'],
    ['npm run build; npm test', 1, 'failed'],
    ['set -e; npm run build; npm test', 1, 'unknown'],
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
      ran('gh -R ada/shop pr new --fill', url),
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
    [
      'gh pr create --fill; gh pr list --json url -q ".[].url"',
      'pull request create failed: No commits between main and x\nhttps://github.com/ada/shop/pull/7',
    ],
    [
      'gh pr create --fill || gh pr view --json url -q .url',
      'a pull request already exists:\nhttps://github.com/ada/shop/pull/7\nhttps://github.com/ada/shop/pull/7',
    ],
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
    ['git commit --help', 'GIT-COMMIT(1)', [], 0],
    // Without -q, git always prints the commit that it made.
    ['git commit -m a; git status', 'nothing to commit, working tree clean', [], 0],
    ['git commit -m a || true', 'husky - pre-commit script failed', [], 0],
    ['git diff --quiet || git commit -m a', '', [], 0],
    ['git commit -m a > log; cat log', '', [], 1],
    ['{ git commit -m a; git push; } 2>&1 | tail -1', '', [], 1],
    ['git commit -m a 2>&1 | tail -1', 'nothing to commit, working tree clean', [], 0],
    ['git commit -qm a; git status', 'nothing to commit, working tree clean', [], 1],
    // The copies of a rebase.
    ['git commit -m a && git pull --rebase', '[main 1a2b3c4] a\n[detached HEAD 9a2b3c4] a', ['1a2b3c4'], 0],
  ])('%s that printed %j', async (command, output, made, unknownCommits) => {
    expect(await madeBy([command, output])).toMatchObject({ made, unknownCommits });
  });

  it('are not made by a call that fails, whatever its hooks print', async () => {
    const { commits, unknownCommits } = await tallyShell([
      failed('git commit -m a', '[eslint 1234567] a problem'),
      failed('npm run build && git commit -qm a', 'error TS1'),
      failed('cd nowhere && git commit -m a', 'cd: nowhere: No such file or directory'),
      failed('git commit -qm a && npm run build', 'error TS1'),
    ]);
    expect({ commits, unknownCommits }).toEqual({ commits: [], unknownCommits: 1 });
  });

  it('of sub-agents, whose results have no exit code, are those of calls without an error', async () => {
    expect(await madeBy(['git commit -qm a', '', { exitCode: null }])).toMatchObject({ made: [null] });
    expect(await madeBy(['git commit -qm a && git log | grep x', '', { exitCode: null }])).toMatchObject({ made: [] });
  });

  it.each([
    ['git push -n', 'To x\n   a1b2c3d..b2c3d4e  main -> main', 0],
    ['git push origin --delete old', 'To x\n - [deleted]         old', 0],
    ['git push -q origin :old :older', '', 0],
    ['git push -q origin main :old', '', 1],
    ['git push -q origin', '', 1],
  ])('are pushed unless the push is only tried or only deletes: %s', async (command, output, pushes) => {
    expect(await madeBy([command, output])).toMatchObject({ pushes });
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
