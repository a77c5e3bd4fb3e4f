import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { SerializedError, TestModule, TestSpecification, Vitest } from 'vitest/node';
import { DefaultReporter } from 'vitest/node';

/** The results of a run, written as JSON to the file named by TEST_REPORT for `npm test`. */
export interface RunReport {
  readonly passed: number;
  /** Tests, files that do not load, and errors outside of both: as many as `failures`. */
  readonly failed: number;
  readonly skipped: readonly { readonly name: string; readonly why: string }[];
  /** Why tests, files or the run itself failed. */
  readonly failures: readonly { readonly name: string; readonly why: string }[];
  /** Tests that passed only when they were run again, and why they failed at first. */
  readonly flaky: readonly { readonly name: string; readonly why: string }[];
  /** Duration of each file. */
  readonly seconds: Readonly<Record<string, number>>;
}

/**
 * Prints a line with the totals so far for every finished file, so that progress is visible from the start, and the
 * reasons of its failures, which an interrupted run would not show. At the end, vitest prints them in full.
 */
export class Progress extends DefaultReporter {
  #files = 0;
  #done = 0;
  #passed = 0;
  #failed = 0;
  #startedAt = 0;
  #root = '';
  readonly #skipped: { name: string; why: string }[] = [];
  readonly #failures: { name: string; why: string }[] = [];
  readonly #flaky: { name: string; why: string }[] = [];
  readonly #seconds: Record<string, number> = {};

  constructor() {
    super({ summary: false });
  }

  override onInit(context: Vitest): void {
    super.onInit(context);
    this.#root = context.config.root;
    this.#startedAt = performance.now();
  }

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications);
    this.#files = specifications.length;
    const projects = Map.groupBy(specifications, ({ project }) => project.name);
    const counts = [...projects].map(([name, of]) => `${of.length} ${name}`).join(', ');
    this.log(`${this.#files} test files: ${counts}`);
  }

  override printTestModule(module: TestModule): void {
    const failedBefore = this.#failures.length;
    this.#count(module);
    const { duration } = module.diagnostic();
    const file = relative(this.#root, module.moduleId);
    this.#seconds[file] = Math.round(duration / 100) / 10;
    const elapsed = `${Math.round((performance.now() - this.#startedAt) / 1000)} s`.padStart(6);
    const failures = this.#failed > 0 ? `, ${this.#failed} failed` : '';
    const failed = this.#failures.slice(failedBefore);
    const state = failed.length > 0 || module.state() === 'failed' ? 'FAILED ' : '';
    this.log(
      `${elapsed}  ${this.#done}/${this.#files} files, ${this.#passed} passed${failures}  ${state}${file} (${(duration / 1000).toFixed(1)} s)`,
    );
    for (const { name, why } of failed) this.log(`        ${name}\n${why.replaceAll(/^/gm, '          ')}`);
  }

  override onTestRunEnd(...ended: Parameters<DefaultReporter['onTestRunEnd']>): void {
    super.onTestRunEnd(...ended);
    for (const error of ended[1]) this.#failures.push({ name: 'outside of any test', why: explain(error) });
    this.#failed += ended[1].length;
    const path = process.env.TEST_REPORT;
    if (path === undefined) return;
    const report: RunReport = {
      passed: this.#passed,
      failed: this.#failed,
      skipped: this.#skipped,
      failures: this.#failures,
      flaky: this.#flaky,
      seconds: this.#seconds,
    };
    writeFileSync(path, JSON.stringify(report));
  }

  #count(module: TestModule): void {
    this.#done += 1;
    for (const error of module.errors()) {
      this.#failed += 1;
      this.#failures.push({ name: relative(this.#root, module.moduleId), why: explain(error) });
    }
    for (const test of module.children.allTests()) {
      const result = test.result();
      const name = `${relative(this.#root, module.moduleId)} > ${test.fullName}`;
      const why = (result.errors ?? []).map(explain).join('\n');
      if (result.state === 'passed') {
        this.#passed += 1;
        if (test.diagnostic()?.flaky === true) this.#flaky.push({ name, why });
      } else if (result.state === 'failed') {
        this.#failed += 1;
        this.#failures.push({ name, why });
      } else this.#skipped.push({ name: test.fullName, why: ('note' in result && result.note) || NOT_HERE });
    }
  }
}

/** For tests that are skipped by a condition (`runIf`), which has no text. */
const NOT_HERE = 'needs data or a system that this machine does not have';

const MAX_LINES = 15;

/** The first lines: everything else is printed where the test failed. */
function explain({ name, message, stack, diff }: SerializedError & { readonly diff?: string }): string {
  const place = stack?.split('\n').find((line) => line.includes('test.ts'));
  const lines = [`${name}: ${message}`, diff, place].join('\n').split('\n');
  return stripVTControlCharacters(
    lines
      .filter((line) => line !== '')
      .slice(0, MAX_LINES)
      .join('\n'),
  );
}
