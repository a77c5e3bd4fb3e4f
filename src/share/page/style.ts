import { createHash } from 'node:crypto';
import { type Html, html, ownMarkup } from './html.ts';

/** The styles of the page: light or dark following the reader's preference, and plain in print. */
const STYLE = `
:root { color-scheme: light dark; --paper: #fbfaf7; --sunk: #f3f1eb; --ink: #23201c; --soft: #5f5950; --faint: #777065;
  --line: #e5e1d8; --strong: #d3cdc1; --accent: #a8480f; --accent-sunk: #f8ede3; --bad: #b3261e; --bad-sunk: #fbeceb;
  --added: #e6f3e8; --removed: #fae9e7;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
@media screen and (prefers-color-scheme: dark) { :root { --paper: #17181a; --sunk: #212326; --ink: #e7e3dc; --soft: #aca69c;
  --faint: #8f897f; --line: #2c2e32; --strong: #3d4045; --accent: #f0a263; --accent-sunk: #2b231c; --bad: #f2887f;
  --bad-sunk: #321f1e; --added: #1c2f22; --removed: #3a2220; } }
*, *::before, *::after { box-sizing: border-box; }
body { margin: 0 auto; max-width: 51rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 0.9375rem / 1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", sans-serif;
  overflow-wrap: anywhere; text-size-adjust: 100%; }
h1, p, ul, dl, dd, pre, blockquote { margin: 0; padding: 0; }
h1 { font-size: 1.375rem; line-height: 1.3; }
.facts { display: flex; flex-wrap: wrap; gap: 0.1rem 1.5rem; margin: 0.6rem 0 0; color: var(--soft); font-size: 0.8125rem; }
.facts div { display: flex; gap: 0.4rem; }
.facts dt { color: var(--faint); }
.facts dd { font-variant-numeric: tabular-nums; }
header.top { padding-bottom: 1.1rem; border-bottom: 1px solid var(--line); margin-bottom: 0.6rem; }
footer.end { margin-top: 2rem; padding-top: 0.9rem; border-top: 1px solid var(--line); color: var(--faint); font-size: 0.75rem; }
.byline { display: flex; align-items: baseline; gap: 0.6rem; font-size: 0.75rem; line-height: 1.7; }
.who { font-weight: 600; color: var(--accent); }
.model { font-weight: 600; color: var(--soft); }
time { color: var(--faint); font-variant-numeric: tabular-nums; }
.prompt { background: var(--accent-sunk); border-radius: 8px; padding: 0.6rem 0.95rem 0.75rem; margin: 1.1rem 0 0.5rem; }
.prompt code, .prompt .code { background: color-mix(in srgb, var(--paper) 65%, transparent); }
.answer { margin: 0.5rem 0; }
.md, .typed { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.6rem; }
.md p, .typed p, .md li div, blockquote { white-space: pre-wrap; }
.h2, .h3 { font-weight: 650; line-height: 1.35; }
.h2 { font-size: 1.0625rem; }
.md ul { display: grid; gap: 0.2rem; list-style: none; }
.md li { display: flex; gap: 0.55rem; }
.md li div { min-width: 0; }
.md li span { flex: none; min-width: 0.9rem; text-align: end; color: var(--faint); }
.depth-1 { margin-inline-start: 1.4rem; }
.depth-2 { margin-inline-start: 2.8rem; }
.depth-3, .depth-4 { margin-inline-start: 4.2rem; }
blockquote { border-inline-start: 3px solid var(--strong); padding-inline-start: 0.8rem; color: var(--soft); }
hr { width: 100%; border: 0; border-top: 1px solid var(--line); margin: 0.3rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.875rem; }
th, td { border-bottom: 1px solid var(--line); padding: 0.25rem 0.9rem 0.25rem 0; text-align: start; vertical-align: top; }
code, pre { font-family: var(--mono); font-size: 0.8125rem; }
code { background: var(--sunk); border-radius: 3px; padding: 0.1em 0.32em; }
.code { background: var(--sunk); border-radius: 6px; padding: 0.6rem 0.8rem; line-height: 1.5; white-space: pre-wrap;
  max-height: 32rem; overflow-y: auto; tab-size: 4; }
.output { background: none; border: 1px solid var(--line); }
.failed { border-color: color-mix(in srgb, var(--bad) 45%, transparent); background: var(--bad-sunk); }
.diff { padding-inline: 0; }
.diff span { display: block; padding-inline: 0.8rem; min-height: 1.5em; }
.added { background: var(--added); }
.removed { background: var(--removed); }
.diff strong { font-weight: inherit; border-radius: 2px; background: color-mix(in srgb, currentColor 16%, transparent); }
details { margin: 0.1rem 0; }
summary { display: flex; align-items: baseline; gap: 0.55rem; padding: 0.14rem 0.5rem; margin-inline: -0.5rem; border-radius: 6px;
  color: var(--soft); font-size: 0.8125rem; cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::before { content: "›"; flex: none; width: 0.6rem; color: var(--faint); }
details[open] > summary::before { content: "⌄"; }
summary:hover { background: var(--sunk); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.name { flex: none; max-width: 60%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 600; color: var(--ink); }
.about { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-family: var(--mono); font-size: 0.75rem; }
.mark { flex: none; margin-inline-start: auto; font-size: 0.75rem; color: var(--faint); }
.bad .mark, .bad summary::before { color: var(--bad); }
.bad .mark { font-weight: 600; }
.body { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.5rem; padding: 0.35rem 0 0.6rem 0.95rem; }
.thinking, .muted { font-style: italic; color: var(--faint); font-size: 0.8125rem; }
.body .md { color: var(--soft); }
.quiet summary { color: var(--faint); }
.agent { margin-inline-start: 0.45rem; padding-inline-start: 0.9rem; border-inline-start: 2px solid var(--strong); }
.command { display: flex; align-items: baseline; gap: 0.6rem; padding: 0.3rem 0; font-size: 0.75rem; }
.command code { background: var(--accent-sunk); }
img.image { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 6px; }
.media { color: var(--soft); font-size: 0.8125rem; }
.notice { border-inline-start: 3px solid var(--strong); padding: 0.1rem 0.8rem; margin: 0.3rem 0; color: var(--soft);
  font-size: 0.8125rem; white-space: pre-wrap; }
.error { border-color: var(--bad); color: var(--bad); }
.compaction { display: flex; align-items: center; gap: 1rem; padding: 1.1rem 0 0.7rem; color: var(--soft); font-size: 0.75rem; }
.compaction::before, .compaction::after { content: ""; flex: 1; border-top: 1px dashed var(--strong); }
@media (max-width: 680px) { body { padding: 1.1rem 0.9rem 3rem; } .agent { padding-inline-start: 0.6rem; } }
@media print { :root { color-scheme: light; --paper: #fff; print-color-adjust: exact; }
  body { max-width: none; padding: 0; font-size: 10pt; } .code { max-height: none; overflow: visible; }
  .prompt { break-inside: avoid; } .byline, .command, summary { break-after: avoid; } }
`;

const STYLE_ELEMENT = ownMarkup(`<style>${STYLE}</style>`);

/** Identified by its hash, so that no other style is applied. */
const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/** The content security policy inside the page, which also applies to a saved file: no scripts, no requests. */
const PAGE_POLICY = `default-src 'none'; style-src ${STYLE_SOURCE}; img-src data:; base-uri 'none'; form-action 'none'`;

/** The beginning of a file that runs nothing and fetches nothing, up to the start of its body. */
export function documentHead(title: string): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${PAGE_POLICY}">
<meta name="robots" content="noindex, nofollow, noarchive">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${STYLE_ELEMENT}
</head>
<body>
`;
}
