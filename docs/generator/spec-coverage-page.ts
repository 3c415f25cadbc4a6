/** `spec-coverage.md`: paragraphs of the specification, and the test files that name them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';
import { renderTable } from './markdown.ts';
import { projectRoot, readSource } from './source-text.ts';

/** Renders the page. */
export function renderSpecCoveragePage(): string {
  return [
    '# Spec coverage',
    [
      'Paragraphs of the interface specification, and the test files whose test names begin with them, relative to',
      "`test/`. `npx vitest run -t 'spec.* 4\\.1\\.3'` runs the tests of one paragraph.",
    ].join('\n'),
    renderTable(
      ['Paragraph', 'Tests'],
      [...collectSpecCoverage()].map(([paragraph, files]) => [
        paragraph,
        files.map((file) => `\`${file}\``).join(', '),
      ]),
    ),
  ].join('\n\n');
}

/**
 * Returns, for each paragraph that a test name begins with, the test files, in the order of the paragraphs.
 */
export function collectSpecCoverage(): Map<string, string[]> {
  const files = readdirSync(join(projectRoot, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .toSorted();
  const coverage = new Map<string, string[]>();
  for (const file of files) {
    for (const paragraph of new Set(listParagraphs(`test/${file}`))) {
      coverage.set(paragraph, [...(coverage.get(paragraph) ?? []), file]);
    }
  }
  const collator = new Intl.Collator('en', { numeric: true });
  return new Map([...coverage].toSorted(([one], [other]) => collator.compare(one, other)));
}

/** Returns the paragraphs that names of tests, groups and table rows begin with: `spec 2.2, 3.1: …`. */
function listParagraphs(file: string): string[] {
  const texts: string[] = [];
  collectTexts(parseAst(readSource(file), { lang: 'ts' }), texts);
  return texts.flatMap(
    (text) => /^spec (\d+(?:\.\d+)*(?:, \d+(?:\.\d+)*)*)(?![\d.])/.exec(text)?.[1]?.split(', ') ?? [],
  );
}

/** Adds every string of a syntax tree; comments are not part of it. */
function collectTexts(node: unknown, texts: string[]): void {
  if (typeof node === 'string') texts.push(node);
  else if (typeof node === 'object' && node !== null)
    for (const child of Object.values(node)) collectTexts(child, texts);
}
