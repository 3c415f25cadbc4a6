/** Writes the generated reference pages: `npm run docs:generate`. */
import { writeFile } from 'node:fs/promises';
import { generatePages } from './generator/pages.ts';

for (const [path, text] of await generatePages()) {
  await writeFile(new URL(path, import.meta.url), text);
}
