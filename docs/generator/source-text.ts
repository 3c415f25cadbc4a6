/** Reads facts that exist in the source text only, such as comments. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the text of a project file. */
export function readSource(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8');
}

/** Returns the doc comment directly before each `name:` line of an object literal; '' where there is none. */
export function readPropertyComments(path: string, object: string): Map<string, string> {
  const [, body = ''] = new RegExp(`const ${object} = \\{\\n([\\s\\S]*?)\\n\\}`).exec(readSource(path)) ?? [];
  const comments = new Map<string, string>();
  for (const [, comment = '', name = ''] of body.matchAll(/(?:^ {2}\/\*\*([\s\S]*?)\*\/\n)?^ {2}(\w+): /gm)) {
    comments.set(name, comment.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim());
  }
  return comments;
}
