import { describe, expect, it } from 'vitest';
import { groupCommands } from './command-groups.ts';
import { readInvocations } from './shell-command.ts';
import { failed, ran } from './testing/summary-input.ts';
import { findTestRuns } from './test-runs.ts';

const one = (command: string, output = '') => findTestRuns([ran(command, output)])[0];

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
    ['./gradlew test', 'BUILD SUCCESSFUL in 3s', 'passed', null, null],
    ['python -m unittest', 'Ran 3 tests in 0.1s\n\nFAILED (failures=1, errors=1)', 'failed', null, 2],
    ['npm test', '', 'passed', null, null],
    ['npm test | tail -3', '', 'unknown', null, null],
  ])('%s that printed %j %s', (command, output, outcome, passed, failures) => {
    expect(one(command, output)).toMatchObject({ outcome, passed, failed: failures });
  });

  it('believes the exit status where nothing was printed', () => {
    expect(findTestRuns([failed('npm test')])[0]?.outcome).toBe('failed');
    expect(findTestRuns([failed('npm test', 'sh: npm: command not found', 127)])[0]?.outcome).toBe('unknown');
    expect(findTestRuns([ran('npm test', '', { status: 'denied' })])).toEqual([]);
    expect(findTestRuns([ran('npm test', '', { status: 'background' })])[0]?.outcome).toBe('unknown');
  });
});

describe('commands', () => {
  it('are grouped by what they do, without looking around', () => {
    const commands = [
      ran('cd /x && npm run build'),
      ran('npm run build && git push -u origin main'),
      ran('git -C /x commit -m "a && b; c"'),
      ran('ls -la | grep x'),
      ran('gh pr create --title "x | y"'),
      failed('docker compose up -d'),
    ];
    expect(groupCommands(commands)).toEqual([
      { label: 'npm run build', runs: 2, failures: 0 },
      { label: 'git push', runs: 1, failures: 0 },
      { label: 'git commit', runs: 1, failures: 0 },
      { label: 'gh pr create', runs: 1, failures: 0 },
      { label: 'docker compose up', runs: 1, failures: 1 },
    ]);
  });

  it('are read through quotes, here-documents, pipes and redirections', () => {
    const command = `A=1 B="x y" cat <<'EOF' > out.txt && echo "it's; fine" 2>&1 | tee log\nnpm publish\nEOF\nmake all &`;
    expect(readInvocations(command).map(({ program, isPiped }) => [program, isPiped])).toEqual([
      ['cat', false],
      ['echo', true],
      ['tee', false],
      ['make', false],
    ]);
  });
});
