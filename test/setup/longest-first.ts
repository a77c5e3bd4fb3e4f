import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const SECONDS = JSON.parse(readFileSync(new URL('seconds.json', import.meta.url), 'utf8')) as Record<string, number>;

/**
 * The longest files begin first, so that no core waits at the end for the last of them. seconds.json holds how long
 * they took on two cores; `npm test -- --record` writes it. Files of under a second are not in it.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const root = this.ctx.config.root;
    const seconds = (file: TestSpecification) => SECONDS[relative(root, file.moduleId)] ?? 0;
    // Unit tests share processes, which works only while they follow each other.
    const order = (file: TestSpecification) => (file.project.name === 'unit' ? 1 : 0);
    return files.toSorted((a, b) => order(a) - order(b) || seconds(b) - seconds(a));
  }
}
