import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import { type ClaudeHome, createClaudeHome } from './claude-home.ts';
import type { PROGRAMS, Program } from './programs.ts';

type Create = (typeof PROGRAMS)[number]['create'];

export interface ProgramInUse {
  readonly home: ClaudeHome;
  readonly program: Program;
  readonly app: App;
}

/** A fresh program with an empty Claude home for each test of the suite. */
export function useProgram(create: Create): ProgramInUse {
  const slot = createSlot(create);
  beforeEach(slot.open);
  afterEach(slot.close);
  return slot.inUse;
}

/** One program for all tests of the suite, which has imported the transcripts that `fill` writes. */
export function useImportedProgram(create: Create, fill: (home: ClaudeHome) => void): ProgramInUse {
  const slot = createSlot(create);
  beforeAll(async () => {
    await slot.open();
    fill(slot.inUse.home);
    await slot.inUse.app.importNew();
  });
  afterAll(slot.close);
  return slot.inUse;
}

function createSlot(create: Create) {
  let opened: ProgramInUse | null = null;
  const current = (): ProgramInUse => {
    if (opened === null) throw new Error('The program is only available while a test runs.');
    return opened;
  };
  return {
    open: async () => {
      const home = createClaudeHome();
      const program = await create(home.path);
      opened = { home, program, app: await program.open() };
    },
    close: async () => {
      const { home, program, app } = current();
      await app.close();
      await program[Symbol.asyncDispose]();
      home[Symbol.dispose]();
      opened = null;
    },
    inUse: {
      get home() {
        return current().home;
      },
      get program() {
        return current().program;
      },
      get app() {
        return current().app;
      },
    },
  };
}
