/** The documentation is complete and consistent: links, named files, commands, the path of a run. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pagePaths } from '../../docs/sidebar.ts';
import { projectRoot } from '../../docs/generator/source-text.ts';
import { documentationPages, pageAt } from './documentation-files.ts';

const readme = pageAt('README.md');
const manifest: { scripts: Record<string, string>; license: string } = JSON.parse(
  readFileSync(join(projectRoot, 'package.json'), 'utf8'),
);

const sourceFolders = new Set(
  readdirSync(projectRoot, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name),
);

describe('README', () => {
  test('has fewer than 150 lines', () => {
    expect(readme.text.split('\n').length).toBeLessThan(150);
  });

  test('has exactly two set-up commands, and npm knows them', () => {
    const setUp = [...readme.text.matchAll(/^npm ci && (.+)$/gm)].map((match) => match[1]);
    expect(setUp).toEqual(['npm run demo', 'npm test']);
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(['demo', 'test', 'start']));
  });

  test('names the licence of the manifest', () => {
    expect(manifest.license).toBe('Apache-2.0');
    expect(readFileSync(join(projectRoot, 'LICENSE'), 'utf8')).toContain('Version 2.0, January 2004');
    expect(readme.text).toContain('[Apache License 2.0](LICENSE)');
  });
});

describe('pages', () => {
  test('every Markdown file below docs is in the sidebar', () => {
    const files = readdirSync(join(projectRoot, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md') && !path.startsWith('.vitepress'))
      .toSorted();
    expect(files).toEqual(pagePaths.toSorted());
  });

  test.each(documentationPages)('relative links of $path lead to files and headings', ({ path, prose }) => {
    expect(listBrokenLinks(path, prose)).toEqual([]);
  });

  test.each(documentationPages)('project files that $path names exist', ({ prose }) => {
    const names = [...prose.matchAll(/`([a-z]+\/[\w./-]*)`/g)].map(([, name = '']) => name);
    // A name without extension or trailing slash may be an operation, such as `jobs/update`.
    const files = names.filter(
      (name) => sourceFolders.has(name.split('/')[0] ?? '') && /[./]/.test(name.slice(name.indexOf('/') + 1)),
    );
    expect(files.filter((file) => !existsSync(join(projectRoot, file)))).toEqual([]);
  });

  test.each(documentationPages)('npm scripts that $path names exist', ({ text }) => {
    const named = [...text.matchAll(/\bnpm run ([a-z:]+)/g)].map(([, script = '']) => script);
    expect(named.filter((script) => manifest.scripts[script] === undefined)).toEqual([]);
  });

  test.each(documentationPages)('code that $path shows is that of the file', ({ text }) => {
    for (const [, file = '', code] of text.matchAll(/<!-- code: (\S+) -->\n```\w+\n([\s\S]*?)```/g))
      expect(code).toBe(readFileSync(join(projectRoot, file), 'utf8'));
  });

  test('the guide to plugins shows the example plugin', () => {
    expect(pageAt('docs/guides/plugins.md').text).toContain(
      '<!-- code: examples/plugins/http-request.mjs -->',
    );
  });
});

describe('path of a run', () => {
  const [, table = ''] = pageAt('docs/architecture.md').text.split('<!-- table: hops -->\n');
  const hops = [
    ...table.slice(0, table.search(/\n(?!\|)/)).matchAll(/^\| \d+ \| `(\w+)` \| `([^`]+)` \|/gm),
  ].map(([, name = '', file = '']) => ({ name, file }));

  test('has at most 12 steps', () => {
    expect(hops.length).toBeGreaterThan(5);
    expect(hops.length).toBeLessThanOrEqual(12);
  });

  test.each(hops)('$name is a function of $file', ({ name, file }) => {
    const source = readFileSync(join(projectRoot, file), 'utf8');
    expect(source).toMatch(new RegExp(`^(?:export )?(?:async )?function ${name}\\b`, 'm'));
  });

  test.each(hops)('$name is in the diagram', ({ name }) => {
    const [, diagram = ''] = /```mermaid\n([\s\S]*?)```/.exec(pageAt('docs/architecture.md').text) ?? [];
    expect(diagram).toContain(name);
  });
});

test.each(documentationPages)(
  'functions that $path names with their files are in these files',
  ({ prose }) => {
    const named = [...prose.matchAll(/`(\w+)` \(`([\w./-]+\.ts)`\)/g)];
    const missing = named.filter(
      ([, name = '', file = '']) => !readFileSync(join(projectRoot, file), 'utf8').includes(name),
    );
    expect(missing.map(([text]) => text)).toEqual([]);
  },
);

test('the security page names the month of its review', () => {
  expect(pageAt('docs/security.md').text).toMatch(/^## Review of [A-Z][a-z]+ 20\d\d\b/m);
});

describe('continuous integration', () => {
  test('the CI script installs, tests and runs the demo', () => {
    const script = readFileSync(join(projectRoot, '.ci/run'), 'utf8');
    for (const command of ['npm ci', 'npm test', 'npm run docs', 'npm run demo'])
      expect(script).toContain(command);
  });

  test('the hosted workflow calls the CI script', () => {
    expect(readFileSync(join(projectRoot, '.github/workflows/ci.yml'), 'utf8')).toContain('.ci/run');
  });
});

/** Returns the links whose file or heading does not exist. */
function listBrokenLinks(path: string, prose: string): string[] {
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : normalize(join(dirname(path), file));
    if (!existsSync(join(projectRoot, target))) return true;
    return (
      anchor !== undefined && !listAnchors(readFileSync(join(projectRoot, target), 'utf8')).includes(anchor)
    );
  });
}

/** Returns the anchors of the headings of a page. */
function listAnchors(text: string): string[] {
  return [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z0-9_ -]/g, '')
      .replaceAll(' ', '-'),
  );
}
