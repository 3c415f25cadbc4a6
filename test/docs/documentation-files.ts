/** The README and the pages of the documentation, in reading order, for the tests of their content. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pagePaths } from '../../docs/sidebar.ts';
import { projectRoot } from '../../docs/generator/source-text.ts';

export interface DocumentationPage {
  /** Relative to the project. */
  readonly path: string;
  readonly text: string;
  /** Without fenced code. */
  readonly prose: string;
}

const furniture = ['CONTRIBUTING.md', 'CODE_OF_CONDUCT.md', 'SECURITY.md', 'CHANGELOG.md'];

export const documentationPages: readonly DocumentationPage[] = [
  'README.md',
  ...pagePaths.map((path) => `docs/${path}`),
  ...furniture,
].map((path) => {
  const text = readFileSync(join(projectRoot, path), 'utf8');
  return { path, text, prose: text.replaceAll(/^```[\s\S]*?^```$/gm, '') };
});

/** Returns the page at a path relative to the project. */
export function pageAt(path: string): DocumentationPage {
  const page = documentationPages.find((candidate) => candidate.path === path);
  if (page === undefined) throw new Error(`${path} is not a page of the documentation; see docs/sidebar.ts.`);
  return page;
}
