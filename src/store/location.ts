/** Where the database is, and which engine opens it. */
export type StoreLocation =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string };

export interface StoreSettings {
  /** A postgres:// URL; without it the embedded database at `sqlitePath` is used. */
  readonly databaseUrl: string | null;
  readonly sqlitePath: string;
}

/** The only place that decides which engine is used. */
export function locateStore({ databaseUrl, sqlitePath }: StoreSettings): StoreLocation {
  return databaseUrl === null ? { engine: 'sqlite', path: sqlitePath } : { engine: 'postgres', url: databaseUrl };
}
