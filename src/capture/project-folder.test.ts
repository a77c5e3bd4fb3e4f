import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createIgnoreRule } from './ignore.ts';
import { decodeProjectFolder, encodeProjectPath, folderStandsFor } from './project-folder.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'fuel-code-decode-')));
afterAll(() => rmSync(root, { recursive: true }));

describe('project folders', () => {
  it('are named as Claude Code names them', () => {
    expect(encodeProjectPath('/home/ada/my.app_v2 ü')).toBe('-home-ada-my-app-v2--');
    expect(encodeProjectPath(`/${'x'.repeat(300)}`)).toHaveLength(200);
  });

  it('are found on the disk again, the longest names first', () => {
    for (const path of ['ada/fuel-code/web', 'ada/fuel/code', 'ada/my.app'])
      mkdirSync(join(root, path), { recursive: true });
    expect(decodeProjectFolder('-ada-fuel-code-web', root)).toBe(join(root, 'ada/fuel-code/web'));
    expect(decodeProjectFolder('-ada-fuel-code', root)).toBe(join(root, 'ada/fuel-code'));
    expect(decodeProjectFolder('-ada-my-app', root)).toBe(join(root, 'ada/my.app'));
    expect(decodeProjectFolder('-ada-nothing', root)).toBeNull();
  });

  it('stand for a path and what is below it', () => {
    expect(folderStandsFor('-home-ada-shop', '/home/ada/shop')).toBe(true);
    expect(folderStandsFor('-home-ada-shop-web', '/home/ada/shop')).toBe(true);
    expect(folderStandsFor('-home-ada-shopping', '/home/ada/shop')).toBe(false);
  });

  it('J14: are left out by a marker in the directory itself', () => {
    mkdirSync(join(root, 'marked'), { recursive: true });
    const folder = encodeProjectPath(join(root, 'marked'));
    expect(createIgnoreRule([])(folder)).toBe(false);
    writeFileSync(join(root, 'marked', '.fuel-code-ignore'), '');
    expect(createIgnoreRule([])(folder)).toBe(true);
  });
});
