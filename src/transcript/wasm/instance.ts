export const PAGE_BYTES = 65_536;

export type Routine = (a: number, b: number, c: number) => number;

/** The part of the global WebAssembly that is used; Node's types do not describe it. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

interface Wasm {
  readonly Memory: new (limits: { initial: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, Routine>> };
}

/** False where WebAssembly is switched off. */
export function hasWasm(): boolean {
  return 'WebAssembly' in globalThis;
}

export function createMemory(pages: number): WasmMemory {
  return new (wasm().Memory)({ initial: pages });
}

/** The routines of a module by name, working on the memory given. */
export function instantiate(code: Uint8Array<ArrayBuffer>, memory: WasmMemory): Readonly<Record<string, Routine>> {
  const { Module, Instance } = wasm();
  return new Instance(new Module(code), { env: { memory } }).exports;
}

function wasm(): Wasm {
  return (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;
}
