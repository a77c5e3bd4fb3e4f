import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FuelError, toFuelError } from './errors.ts';

function thrownBy(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('it was to throw');
}

describe('file system errors are explained', () => {
  const missing = join(tmpdir(), 'fuel-code-nobody', 'x');
  test.each([
    ['open', () => readFileSync(missing), `Could not open ${missing}: no such file or folder.`],
    ['list', () => readdirSync(missing), `Could not list ${missing}: no such file or folder.`],
    ['make', () => mkdirSync(tmpdir()), `Could not create ${tmpdir()}: it already exists.`],
    ['read', () => readFileSync(tmpdir()), 'Could not read a file: it is a folder, not a file.'],
    ['write', () => writeFileSync(tmpdir(), ''), `Could not open ${tmpdir()}: it is a folder, not a file.`],
  ])('%s', (_, work, message) => {
    const thrown = thrownBy(work);
    const error = toFuelError(thrown);
    expect([error.code, error.message, error.exitCode]).toEqual(['file_unavailable', message, 7]);
    expect(error.hint).toMatch(/\.$/);
    expect(error.cause).toBe(thrown);
  });

  test('a part of the program that is gone when it is first needed, as after an update, asks for a restart', async () => {
    const gone = join(import.meta.dirname, 'gone.js');
    const imported = await import(gone).catch((error: unknown) => error);
    const required = thrownBy(() => createRequire(import.meta.url)(gone));
    for (const thrown of [imported, required]) {
      expect(toFuelError(thrown)).toMatchObject({ code: 'program_changed', status: 503, cause: thrown });
    }
  });

  test('any other error keeps its message', () => {
    const ours = new FuelError('busy', 'Not now.');
    expect(toFuelError(ours)).toBe(ours);
    expect(toFuelError(new TypeError('x is not a function'))).toMatchObject({ code: 'internal' });
    expect(toFuelError(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))).toMatchObject({
      code: 'internal',
      message: 'refused',
    });
    expect(toFuelError(null)).toMatchObject({ code: 'internal', message: 'null' });
  });
});
