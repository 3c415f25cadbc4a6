/** Stylesheet of the page: light or dark as the reader's system, and always light in print. */

const light = `
  --page: #f6f7f9; --card: #ffffff; --code: #f7f8fa; --text: #1c2128; --soft: #5d6673; --line: #e1e5ea;
  --good: #1a7f4b; --good-tint: #e3f5ea; --bad: #c0303a; --bad-tint: #fdeced; --busy: #0b66c3; --busy-tint: #e6f0fb; --quiet-tint: #eceff2;
  --warm: #b7791f; --warm-tint: #fff8ea; --link: #0b66c3;
  --keyword: #a626a4; --string: #2f7d32; --number: #b35900; --comment: #7c8794; --name: #2255c4; --builtin: #0a7f8c;
  --black: #1c2128; --red: #c0303a; --green: #1a7f4b; --yellow: #96690a; --blue: #2255c4; --magenta: #a626a4; --cyan: #0a7f8c; --white: #6b7480;`;

const dark = `
  --page: #111418; --card: #191d23; --code: #14181d; --text: #dfe4ea; --soft: #96a1ae; --line: #2c333c;
  --good: #5fd093; --good-tint: #143524; --bad: #ff8389; --bad-tint: #3a1a1e; --busy: #7ab8ff; --busy-tint: #14304f; --quiet-tint: #2a3038;
  --warm: #e3b341; --warm-tint: #2b2415; --link: #7ab8ff;
  --keyword: #d69bf0; --string: #98c98b; --number: #e5a869; --comment: #7d8896; --name: #82aaff; --builtin: #66c7d4;
  --black: #7d8896; --red: #ff8389; --green: #5fd093; --yellow: #e3b341; --blue: #82aaff; --magenta: #d69bf0; --cyan: #66c7d4; --white: #dfe4ea;`;

const layout = `
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 2.5rem 1.5rem 3rem; background: var(--page); color: var(--text); font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1, h2, h3, h4 { line-height: 1.25; margin: 0; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
pre, code, .path, .parameters, .number, .took { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre { margin: 0; font-size: .82rem; line-height: 1.55; overflow: auto; tab-size: 4; }
footer { margin-top: 2rem; text-align: center; color: var(--soft); font-size: .8rem; }`;

const head = `
.head { margin-bottom: 2rem; }
.head h1 { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem .8rem; font-size: 1.9rem; letter-spacing: -.015em; overflow-wrap: anywhere; }
.state { font-size: .8rem; font-weight: 600; letter-spacing: 0; padding: .2rem .7rem; border-radius: 1rem; }
.path { margin: .25rem 0 0; color: var(--soft); font-size: .85rem; overflow-wrap: anywhere; }
.facts { display: flex; flex-wrap: wrap; gap: .8rem 2.2rem; margin: 1.25rem 0 0; }
.facts dt { color: var(--soft); font-size: .75rem; }
.facts dd { margin: 0; font-size: .95rem; overflow-wrap: anywhere; }
.parameters { margin-top: 1.25rem; border-collapse: collapse; font-size: .82rem; }
.parameters caption { text-align: left; color: var(--soft); font: .75rem/1.8 system-ui, sans-serif; }
.parameters th, .parameters td { padding: .25rem .8rem .25rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); overflow-wrap: anywhere; white-space: pre-wrap; }
.parameters th { font-weight: 400; color: var(--soft); padding-right: 1.5rem; }
.banner { margin: 1.25rem 0 0; padding: .6rem 1rem; border-radius: .5rem; font-size: .92rem; overflow-wrap: anywhere; }
.banner a { color: inherit; text-decoration: underline; font-weight: 600; }
.head > .error { margin-top: 1.25rem; border-radius: .5rem; }
.good { background: var(--good-tint); color: var(--good); }
.bad { background: var(--bad-tint); color: var(--bad); }
.busy { background: var(--busy-tint); color: var(--busy); }
.quiet { background: var(--quiet-tint); color: var(--soft); }`;

const cells = `
.cell, .exit { margin: 0 0 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; overflow: hidden; }
.cell > header { display: flex; align-items: baseline; gap: .7rem; padding: .45rem 1rem; font-size: .78rem; color: var(--soft); }
.cell > header h2, .exit h2 { font-size: .92rem; color: var(--text); }
.exit h2 { padding: .6rem 1rem; }
.exit .output { white-space: pre-wrap; overflow-wrap: anywhere; }
.number { color: var(--soft); }
.took { margin-left: auto; white-space: nowrap; }
.label { font-weight: 600; }
.code { background: var(--code); padding: .8rem 1rem; max-height: 40rem; border-top: 1px solid var(--line); }
.code:first-child { border-top: 0; }
.output { display: block; width: 100%; border: 0; border-top: 1px solid var(--line); padding: .8rem 1rem; max-height: 32rem; }
.stderr { background: var(--warm-tint); box-shadow: inset 3px 0 var(--warm); }
.error { background: var(--bad-tint); box-shadow: inset 3px 0 var(--bad); max-height: none; }
.error strong { display: block; color: var(--bad); font-size: .92rem; overflow-wrap: anywhere; white-space: pre-wrap; }
.error pre { margin-top: .6rem; max-height: 32rem; }
iframe.output { padding: 0; background: #fff; color-scheme: light; resize: vertical; overflow: auto; max-height: none; }
.table { padding: 0; overflow: auto; max-height: 34rem; }
.table table { border-collapse: separate; border-spacing: 0; font-size: .82rem; line-height: 1.45; font-variant-numeric: tabular-nums; }
.table th, .table td { padding: .32rem .9rem; text-align: left; vertical-align: baseline; border-bottom: 1px solid var(--line); white-space: pre-wrap; overflow-wrap: break-word; min-width: 3.5rem; max-width: 30rem; }
.table thead th { position: sticky; top: 0; z-index: 1; background: var(--code); font-weight: 600; white-space: nowrap; vertical-align: bottom; }
.table th small { display: block; font-weight: 400; font-size: .7rem; color: var(--soft); }
.table tbody tr { counter-increment: row; }
.table tr::before { content: ""; display: table-cell; padding: .32rem .5rem .32rem 1rem; border-bottom: 1px solid var(--line); }
.table tbody tr::before { content: counter(row); color: var(--soft); font-size: .72rem; text-align: right; width: 1px; vertical-align: baseline; white-space: nowrap; }
.table thead tr::before { position: sticky; top: 0; z-index: 1; background: var(--code); }
.table tbody tr:last-child td, .table tbody tr:last-child::before { border-bottom: 0; }
.table tbody tr:hover { background: var(--code); }
.table .num { text-align: right; }
.table .null { color: var(--soft); font-style: italic; }
.image { text-align: center; max-height: none; }
.image img { max-width: 100%; height: auto; background: #fff; border-radius: .25rem; vertical-align: middle; }
.language { padding: .05rem .5rem; border-radius: .8rem; background: var(--quiet-tint); font-size: .7rem; font-weight: 600; letter-spacing: .02em; align-self: center; }
.hint { margin: 0; padding: .4rem 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .8rem; }
.failed { border-color: var(--bad); }
.failed .label, .interrupted .label { color: var(--bad); }
.running { border-color: var(--busy); }
.running .label { color: var(--busy); }
.skipped:not(.markdown), .waiting:not(.markdown) { background: none; border: 1px dashed var(--soft); }
.skipped .code, .waiting .code { background: none; border-top-style: dashed; opacity: .62; }
.nothing { padding: 3rem 1rem; text-align: center; color: var(--soft); }`;

const prose = `
.cell.markdown { background: none; border-color: transparent; border-radius: 0; margin: 1.5rem 0 1rem; }
.cell.markdown > header { padding-left: 0; }
.prose > :first-child { margin-top: 0; }
.prose > :last-child { margin-bottom: 0; }
.prose h1 { font-size: 1.5rem; margin: 1.6rem 0 .6rem; }
.prose h2 { font-size: 1.25rem; margin: 1.4rem 0 .5rem; }
.prose h3, .prose h4 { font-size: 1.05rem; margin: 1.2rem 0 .4rem; }
.prose p, .prose ul, .prose ol, .prose table, .prose pre, .prose blockquote { margin: .7rem 0; }
.prose pre { background: var(--code); border: 1px solid var(--line); border-radius: .5rem; padding: .7rem 1rem; }
.prose :not(pre) > code { background: var(--quiet-tint); border-radius: .25rem; padding: .1em .35em; font-size: .85em; }
.prose blockquote { margin-left: 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--soft); }
.prose table { border-collapse: collapse; font-size: .9rem; }
.prose th, .prose td { border: 1px solid var(--line); padding: .3rem .7rem; }
.prose img { max-width: 100%; }
.prose hr { border: 0; border-top: 1px solid var(--line); margin: 1.5rem 0; }`;

const colours = `
.hljs-keyword, .hljs-literal { color: var(--keyword); }
.hljs-string, .hljs-regexp { color: var(--string); }
.hljs-number { color: var(--number); }
.hljs-comment { color: var(--comment); font-style: italic; }
.hljs-title, .hljs-meta, .hljs-attr { color: var(--name); }
.hljs-built_in, .hljs-type, .hljs-variable { color: var(--builtin); }
.hljs-subst { color: var(--text); }
.t-bold { font-weight: 700; }
${['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'].map((colour) => `.t-${colour} { color: var(--${colour}); }`).join('\n')}`;

const paper = `
@page { margin: 15mm; }
@media print {
  body { max-width: none; padding: 0; }
  pre, .code, .output, .error pre { max-height: none; overflow: visible; white-space: pre-wrap; overflow-wrap: anywhere; }
  .table { white-space: normal; overflow-wrap: normal; }
  .cell > header, h1, h2, h3 { break-after: avoid; }
  iframe, .image, .table tr { break-inside: avoid; }
  .table thead th, .table thead tr::before { position: static; }
  .cell, .exit { overflow: visible; }
}`;

/** Content of the style element. */
export const stylesheet = `
:root { color-scheme: light dark; ${light} }
@media screen and (prefers-color-scheme: dark) { :root { ${dark} } }
${layout}${head}${cells}${prose}${colours}${paper}
`;
