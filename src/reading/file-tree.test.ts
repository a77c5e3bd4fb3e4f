import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildFileTree, type FileNode } from './file-tree.ts';

const file = (path: string, writes = 1, reads = 0) => ({
  path,
  sessions: 1,
  reads,
  writes,
  lines_added: 2 * writes,
  lines_removed: writes,
  last_at: '2026-11-15T00:00:00.000Z',
});

const shape = (nodes: readonly FileNode[]): unknown => nodes.map(({ name, children }) => [name, shape(children)]);

test('folders that contain only one folder are one row, and the busiest come first', () => {
  const tree = buildFileTree([
    file('/home/ada/shop/src/a.ts'),
    file('/home/ada/shop/src/b.ts', 5),
    file('/home/ada/shop/x.md'),
  ]);
  expect(shape(tree)).toEqual([
    [
      '/home/ada/shop',
      [
        [
          '/src',
          [
            ['/b.ts', []],
            ['/a.ts', []],
          ],
        ],
        ['/x.md', []],
      ],
    ],
  ]);
  expect(tree[0]).toMatchObject({ path: '/home/ada/shop', writes: 7, lines_added: 14, files: 3 });
});

test('no file is lost, whatever its path: figures add up and paths stay as they are', () => {
  const path = fc
    .array(fc.constantFrom('a', 'b', '/', '\\', '..', '', ' ', '<b>', 'é'), { minLength: 1 })
    .map((parts) => parts.join('/'));
  fc.assert(
    fc.property(fc.uniqueArray(path), (paths) => {
      const tree = buildFileTree(paths.map((each) => file(each)));
      const found: string[] = [];
      const walk = (nodes: readonly FileNode[]): void => {
        for (const node of nodes) {
          if (node.file !== null) found.push(node.file.path);
          walk(node.children);
        }
      };
      walk(tree);
      expect(found.toSorted()).toEqual(paths.toSorted());
      expect(tree.reduce((sum, { writes }) => sum + writes, 0)).toBe(paths.length);
    }),
  );
});
