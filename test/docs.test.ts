import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { type Command, type CommandOption, operandsOf, SHARED_OPTIONS } from '../src/cli/command.ts';
import { loadCommands } from '../src/cli/commands.ts';
import { HELP_OPTION } from '../src/cli/help.ts';
import { FIELDS_OPTION, NDJSON_OPTION } from '../src/cli/output.ts';
import { FILTER_OPTIONS } from '../src/cli/session-filter.ts';
import { OPTIONS } from '../src/config.ts';
import { ERROR_CATALOG, EXIT_CODES } from '../src/domain/errors.ts';
import { STEPS } from '../src/domain/pipeline.ts';
import { FIELD_PARAMETERS, FIELDS, type Field } from '../src/domain/session-fields.ts';
import { TOOLS } from '../src/mcp/tools/all.ts';
import { makeOpenApi, queryParameters } from '../src/server/openapi.ts';
import { ROUTES } from '../src/server/routes.ts';
import { MIGRATIONS } from '../src/store/migrations/all.ts';

/** The generated tables of the manual. */
const HOW_TO_UPDATE = 'Out of date: UPDATE_DOCS=1 npx vitest run --config vitest.static.config.ts test/docs.test.ts';
const commands = await loadCommands();

const cell = (text: string) => text.replaceAll('|', '\\|');
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

type Options = Command['options'];

/** Described once, because many commands have them. */
const COMMON_OPTIONS: Options = { ...SHARED_OPTIONS, ndjson: NDJSON_OPTION, fields: FIELDS_OPTION };

const optionRows = (options: Options) =>
  Object.entries(options).map(([name, { short, value, about }]) => [
    `\`${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}\``,
    about,
  ]);
const optionTable = (options: Options) => table(['option', 'description'], optionRows(options));

function cliTable(): string {
  return commands
    .map((command) => {
      const { name, about, examples } = command;
      const operands = operandsOf(command);
      const title = `### fuel-code ${name}${operands ? ` ${operands}` : ''}`;
      const shown = examples.map(([example, sentence]) => `- \`${example}\`: ${sentence}`).join('\n');
      return [title, about, commandOptions(command), shown].filter((part) => part !== '').join('\n\n');
    })
    .join('\n\n');
}

/** The options of one command; those that many commands have are only named. */
function commandOptions({ options }: Command): string {
  const hasFilters = Object.entries(FILTER_OPTIONS).every(([name, option]) => options[name] === option);
  const all = Object.entries(options);
  const isFilter = ([name, option]: [string, CommandOption]) => hasFilters && option === FILTER_OPTIONS[name];
  const isCommon = ([name, option]: [string, CommandOption]) => option === COMMON_OPTIONS[name];
  const own = all.filter((entry) => !isFilter(entry) && !isCommon(entry));
  const common = all.filter(isCommon).map(([name]) => `\`--${name}\``);
  const rows = [
    ...optionRows(Object.fromEntries(own)),
    ...(hasFilters ? [['filters', 'See [Filters](#filters).']] : []),
    ...(common.length > 0 ? [[common.join(', '), 'See [Common options](#common-options).']] : []),
  ];
  return rows.length > 0 ? table(['option', 'description'], rows) : '';
}

function configTable(): string {
  const rows = Object.entries(OPTIONS).map(([key, option]) => {
    const home = homedir();
    const text = String(option.default ?? '').replace(home, '~');
    const value = option.default === null ? 'not set' : text === '' ? 'empty' : `\`${text}\``;
    return [
      `\`${key}\``,
      `\`${option.env}\``,
      option.type,
      value,
      `${option.about}${'secret' in option ? ' Never printed.' : ''}`,
    ];
  });
  return table(['setting', 'environment', 'type', 'default', 'description'], rows);
}

function errorTable(): string {
  const rows = Object.entries(ERROR_CATALOG).map(([code, { status, exit, about }]) => [
    `\`${code}\``,
    String(exit),
    String(status),
    about,
  ]);
  return table(['code', 'exit code', 'HTTP status', 'meaning'], rows);
}

function exitTable(): string {
  return table(['code', 'meaning'], Object.entries(EXIT_CODES));
}

function schemaTable(): string {
  const plain = { key: 'TEXT', json: 'JSON', time: 'TIME', bool: 'BOOLEAN', int: 'BIGINT', id: 'BIGINT PRIMARY KEY' };
  const types = {
    ...plain,
    keyed: () => [],
    statistics: () => [],
    dollars: (nanos: string) => `NUMERIC, computed from ${nanos}`,
  };
  const statements = MIGRATIONS.flatMap((migration) => migration.statements(types));
  return `\`\`\`sql\n${statements.map((text) => `${text.replaceAll(/^ {4}/gm, '')};`).join('\n')}\n\`\`\``;
}

function fieldTable(): string {
  const rows = Object.entries<Field>(FIELDS).map(
    ([name, { type, of, about, example, values, list, option, aliases }]) => {
      const meanings = Object.entries(values ?? {}).map(([value, meaning]) => `\`${value}\` ${meaning}`);
      const several = list === undefined ? '' : `Several, comma-separated: ${list} of them.`;
      const known = Object.keys(aliases ?? {}).map((alias) => `\`${alias}\``);
      const also = known.length === 0 ? '' : `In the API also ${known.join(', ')}.`;
      const sentences = [about, meanings.length === 0 ? '' : `${meanings.join('; ')}.`, several, also];
      const flag = option === undefined ? '' : `\`--${name}\``;
      return [`\`${name}\``, flag, of, type, sentences.filter(Boolean).join(' '), `\`${example}\``];
    },
  );
  return table(['field', 'option', 'applies to', 'value', 'meaning', 'example'], rows);
}

/** Every route of the API once; those about sessions answer under /demo/api too. */
const API_ROUTES = ROUTES.filter(({ path }) => !path.startsWith('/demo/'));

function routeTable(): string {
  const routes = API_ROUTES.map(({ method, path, about, access, endpoint }) => {
    const notes = [endpoint?.isInDemo ? 'demo' : '', access === 'open' ? 'no token' : ''].filter(Boolean);
    return [`\`${method} ${path}\``, about, notes.join(', ')];
  });
  const parameters = API_ROUTES.flatMap(({ method, path, endpoint }) =>
    endpoint === null
      ? []
      : parameterRows(endpoint).map((cells, at) => [
          at === 0 ? `\`${method === 'GET' ? '' : `${method} `}${path}\`` : '',
          ...cells,
        ]),
  );
  return `${table(['route', 'description', ''], routes)}\n\n## Parameters\n\nA parameter that is unknown, given twice or malformed is an error that names it.\n\n${table(['route', 'parameter', 'value'], parameters)}`;
}

const FILTERS = ['filters', 'Any [field of the search language](search.md#filters): `model=opus&has=commit`.'];

/** The filters of sessions are described once, in search.md. */
function parameterRows(endpoint: Parameters<typeof queryParameters>[0]): readonly (readonly string[])[] {
  const parameters = queryParameters(endpoint);
  const names = new Set(parameters.map(({ name }) => name));
  const isFilter = FIELD_PARAMETERS.every((name) => names.has(name))
    ? (name: unknown) => (FIELD_PARAMETERS as readonly unknown[]).includes(name)
    : () => false;
  const rows = parameters
    .filter(({ name }) => !isFilter(name))
    .map(({ name, required, description, schema }) => [
      `\`${String(name)}\`${required === true ? ', required' : ''}`,
      [rangeOf(schema as Schema), description].filter(Boolean).join(' '),
    ]);
  return rows.length < parameters.length ? [...rows, FILTERS] : rows;
}

interface Schema {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

function rangeOf({ minimum, maximum, maxLength }: Schema): string {
  if (minimum !== undefined) return `${minimum} to ${maximum}.`;
  return maxLength === undefined ? '' : `Up to ${maxLength} characters.`;
}

const GENERATED = [
  { file: 'cli.md', mark: 'filters', make: () => optionTable(FILTER_OPTIONS) },
  { file: 'cli.md', mark: 'common options', make: () => optionTable({ ...COMMON_OPTIONS, help: HELP_OPTION }) },
  { file: 'cli.md', mark: 'commands', make: cliTable },
  { file: 'config.md', mark: 'settings', make: configTable },
  { file: 'errors.md', mark: 'errors', make: errorTable },
  { file: 'scripting.md', mark: 'exit codes', make: exitTable },
  { file: 'schema.md', mark: 'schema', make: schemaTable },
  { file: 'api.md', mark: 'routes', make: routeTable },
  { file: 'search.md', mark: 'fields', make: fieldTable },
] as const;

/** The names of all fields described by the schemas in a JSON document. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key === 'properties' && !Array.isArray(value) ? Object.keys(inner as object) : []),
    ...namesIn(inner),
  ]);
}

interface OpenApi {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly parameters: readonly { name: string; description?: string }[] }>>>
  >;
}

const ROOT = new URL('../', import.meta.url);
const readPage = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

/** Pages for contributors: their paths are paths of this repository, not examples. */
const WORK_PAGES = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'docs/internals.md',
  'docs/lifecycle.md',
  'docs/faults.md',
  'docs/library.md',
];

const TOP_PAGES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'];

/** The anchors that GitHub gives to headings. */
const anchorsOf = (page: string) =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(
    ([, heading = '']) =>
      `#${heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-')}`,
  );

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

describe('the manual', () => {
  it.each(GENERATED)('docs/$file has the $mark of the program', ({ file, mark, make }) => {
    const path = new URL(`../docs/${file}`, import.meta.url);
    const between = new RegExp(`(<!-- ${mark}: generated -->\\n)[\\s\\S]*?(\\n<!-- end -->)`);
    const text = readFileSync(path, 'utf8');
    expect(text).toMatch(between);
    const wanted = text.replace(between, (_, head: string, end: string) => `${head}\n${make()}\n${end}`);
    if (process.env.UPDATE_DOCS === '1') writeFileSync(path, wanted);
    expect(readFileSync(path, 'utf8'), HOW_TO_UPDATE).toBe(wanted);
  });

  it('docs/openapi.json matches the server', () => {
    const path = new URL('../docs/openapi.json', import.meta.url);
    const wanted = `${JSON.stringify(makeOpenApi(ROUTES, version), null, 2)}\n`;
    if (process.env.UPDATE_DOCS === '1') writeFileSync(path, wanted);
    expect(readFileSync(path, 'utf8'), HOW_TO_UPDATE).toBe(wanted);
  });

  it('describes every parameter of the API', () => {
    const { paths } = makeOpenApi(ROUTES, version) as unknown as OpenApi;
    const nameless = Object.entries(paths).flatMap(([path, operations]) =>
      Object.values(operations).flatMap(({ parameters }) =>
        parameters.filter(({ description }) => description === undefined).map(({ name }) => `${path}: ${name}`),
      ),
    );
    expect(nameless).toEqual([]);
  });

  it('names every field of the API in snake_case', () => {
    expect(namesIn(makeOpenApi(ROUTES, version)).filter((name) => /[A-Z]/.test(name))).toEqual([]);
  });

  it('has no link to a missing file or heading', () => {
    const pages = [
      ...TOP_PAGES,
      ...readdirSync(new URL('../docs', import.meta.url))
        .filter((name) => name.endsWith('.md'))
        .map((name) => `docs/${name}`),
    ];
    const root = new URL('../', import.meta.url);
    const broken = pages.flatMap((page) => {
      const base = new URL(page, root);
      return [...readFileSync(base, 'utf8').matchAll(/\]\((?!https?:)([^)#]*)(#[^)]+)?\)/g)]
        .filter(([, target = '', anchor]) => {
          const file = target === '' ? base : new URL(target, base);
          return !existsSync(file) || (anchor !== undefined && !anchorsOf(readFileSync(file, 'utf8')).includes(anchor));
        })
        .map(([link]) => `${page}: ${link}`);
    });
    expect(broken).toEqual([]);
  });

  it.each(WORK_PAGES)('%s names no missing file', (page) => {
    const named = readPage(page).match(/(?<![\w/.-])(?:src|test|scripts|docs|bench)\/[\w/.-]*[\w/](?![\w*<])/g) ?? [];
    expect(named.filter((path) => !existsSync(new URL(path, ROOT)))).toEqual([]);
  });

  it('src/transcript/README.md names no missing file', () => {
    const page = 'src/transcript/README.md';
    const named = [...readPage(page).matchAll(/`((?:[\w.-]+\/)*[\w-]+\.ts)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(new URL(path, new URL(page, ROOT))))).toEqual([]);
  });

  it('CONTRIBUTING.md names no symbol that is missing from its file', () => {
    const named = [...readPage('CONTRIBUTING.md').matchAll(/`([A-Za-z_]+)` in\s+`([\w/.-]+\.tsx?)`/g)];
    expect(named.length).toBeGreaterThan(30);
    const missing = named.filter(
      ([, symbol, path = '']) =>
        !new RegExp(`(?:const|function|interface|type) ${symbol}\\b|^  ${symbol}: \\{`, 'm').test(readPage(path)),
    );
    expect(missing.map(([text]) => text)).toEqual([]);
  });

  it('docs/lifecycle.md describes every step', () => {
    const page = readPage('docs/lifecycle.md');
    expect(Object.keys(STEPS).filter((step) => !page.includes(`\n| \`${step}\` |`))).toEqual([]);
  });

  it('docs/mcp.md describes every tool', () => {
    const page = readPage('docs/mcp.md');
    expect(TOOLS.map(({ name }) => name).filter((name) => !page.includes(`\n| \`${name}\` |`))).toEqual([]);
  });

  it('README.md links to every page', () => {
    const pages = readdirSync(new URL('../docs', import.meta.url)).filter((name) => name.endsWith('.md'));
    expect(pages.filter((name) => !readPage('README.md').includes(`(docs/${name})`))).toEqual([]);
  });

  it('ARCHITECTURE.md stays short', () => {
    expect(readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8').split('\n').length).toBeLessThan(120);
  });

  it('ARCHITECTURE.md gives every dependency a sentence', () => {
    const text = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8');
    const pkg = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      dependencies: Record<string, string>;
      devDependencies: Record<string, string>;
    };
    const names = Object.keys({ ...pkg.dependencies, ...pkg.devDependencies });
    expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});
