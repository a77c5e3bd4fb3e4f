import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createIgnoreRule, decodeProjectFolder, encodeProjectPath, encodesFolder } from './project-folder.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'fuel-code-decode-')));
afterAll(() => rmSync(root, { recursive: true }));

describe('project folders', () => {
  it('are named as Claude Code names them', () => {
    expect(encodeProjectPath('/home/ada/my.app_v2 ü')).toBe('-home-ada-my-app-v2--');
    expect(encodeProjectPath(`/${'x'.repeat(300)}`)).toHaveLength(200);
  });

  it('are decoded to existing folders, the longest names first', () => {
    for (const path of ['ada/fuel-code/web', 'ada/fuel/code', 'ada/my.app'])
      mkdirSync(join(root, path), { recursive: true });
    expect(decodeProjectFolder('-ada-fuel-code-web', root)).toBe(join(root, 'ada/fuel-code/web'));
    expect(decodeProjectFolder('-ada-fuel-code', root)).toBe(join(root, 'ada/fuel-code'));
    expect(decodeProjectFolder('-ada-my-app', root)).toBe(join(root, 'ada/my.app'));
    expect(decodeProjectFolder('-ada-nothing', root)).toBeNull();
  });

  it('match a path and everything below it', () => {
    expect(encodesFolder('-home-ada-shop', '/home/ada/shop')).toBe(true);
    expect(encodesFolder('-home-ada-shop-web', '/home/ada/shop')).toBe(true);
    expect(encodesFolder('-home-ada-shopping', '/home/ada/shop')).toBe(false);
  });

  it('J14: are ignored when the directory contains a marker', () => {
    mkdirSync(join(root, 'marked'), { recursive: true });
    const folder = encodeProjectPath(join(root, 'marked'));
    expect(createIgnoreRule([])(folder)).toBe(false);
    writeFileSync(join(root, 'marked', '.fuel-code-ignore'), '');
    expect(createIgnoreRule([])(folder)).toBe(true);
  });
});
