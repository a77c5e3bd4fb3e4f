import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const SECONDS = JSON.parse(readFileSync(new URL('seconds.json', import.meta.url), 'utf8')) as Record<string, number>;

/** Files of a project share processes, which works only while they run consecutively. The shortest files are the last. */
const PROJECTS = ['services', 'browser', 'program', 'unit'];

/**
 * Runs the longest files first, so that no core is idle at the end. seconds.json has the durations on two cores; `npm
 * test -- --record` writes it. Files that take less than a second are omitted.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const root = this.ctx.config.root;
    const seconds = (file: TestSpecification) => SECONDS[relative(root, file.moduleId)] ?? 0;
    const order = (file: TestSpecification) => PROJECTS.indexOf(file.project.name);
    return files.toSorted((a, b) => order(a) - order(b) || seconds(b) - seconds(a));
  }
}
