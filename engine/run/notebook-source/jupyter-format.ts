/** Jupyter documents (nbformat 4): conversion to and from the cells of a notebook. */
import type { NotebookLanguage } from '../../job/notebook-formats.ts';
import { tryParseJson } from '../../read-file.ts';
import { isRecord } from '../../validation/json-object.ts';
import {
  notebookDialects,
  parseCellText,
  trimBlankLines,
  type SourceCell,
  type SourceNotebook,
} from './source-notebook.ts';

/** Parses a Jupyter document; undefined for a text that is none, or of another version of the format. */
export function parseJupyter(text: string): SourceNotebook | undefined {
  const document = tryParseJson(text);
  if (!isRecord(document) || document['nbformat'] !== 4 || !Array.isArray(document['cells']))
    return undefined;
  const language = languageOf(document['metadata']);
  if (language === undefined) return undefined;
  const own = notebookDialects[language].language;
  const cells = document['cells'].filter(isRecord).flatMap((cell): SourceCell[] => {
    const source = trimBlankLines(sourceOf(cell)).join('\n');
    const title = isRecord(cell['metadata']) ? cell['metadata']['title'] : undefined;
    const named = typeof title === 'string' && title !== '' ? { title } : {};
    if (source === '') return [];
    switch (cell['cell_type']) {
      case 'markdown':
        return [{ language: 'markdown', source, ...named }];
      case 'raw':
        // Raw cells are shown verbatim.
        return [{ language: 'markdown', source: `\`\`\`\n${source}\n\`\`\``, ...named }];
      default:
        return [parseCellText(source, own, named.title)];
    }
  });
  return { language, cells };
}

/** Name of a kernel's language, in lower case -> language of the notebook. */
const kernelLanguages: ReadonlyMap<string, NotebookLanguage> = new Map([
  ['python', 'PYTHON'],
  ['python3', 'PYTHON'],
  ['ipython', 'PYTHON'],
  ['ipython3', 'PYTHON'],
  ['sql', 'SQL'],
  ['javascript', 'JAVASCRIPT'],
  ['scala', 'SCALA'],
  ['r', 'R'],
] as const);

/** Returns the language of the kernel; Python when none is named, undefined for an unknown one. */
function languageOf(metadata: unknown): NotebookLanguage | undefined {
  const kernel = isRecord(metadata) && isRecord(metadata['kernelspec']) ? metadata['kernelspec'] : {};
  const info = isRecord(metadata) && isRecord(metadata['language_info']) ? metadata['language_info'] : {};
  const named = [kernel['language'], info['name']].find((name) => typeof name === 'string' && name !== '');
  return kernelLanguages.get(typeof named === 'string' ? named.toLowerCase() : 'python');
}

function sourceOf({ source }: Readonly<Record<string, unknown>>): string[] {
  const parts = Array.isArray(source) ? source : [source];
  return parts
    .filter((part) => typeof part === 'string')
    .join('')
    .replaceAll('\r\n', '\n')
    .split('\n');
}

/** Renders a notebook as a Jupyter document. Cells of other languages keep their magic word. */
export function renderJupyter({ language, cells }: SourceNotebook): string {
  const { language: name } = notebookDialects[language];
  const kernel = { display_name: 'Python 3', language: 'python', name: 'python3' };
  const document = {
    cells: cells.map(toJupyterCell),
    metadata: { ...(name === 'python' && { kernelspec: kernel }), language_info: { name } },
    nbformat: 4,
    nbformat_minor: 4,
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

function toJupyterCell({ language, title, source }: SourceCell): object {
  const lines = source.split('\n');
  const common = {
    metadata: title === undefined ? {} : { title },
    source: lines.map((line, index) => (index === lines.length - 1 ? line : `${line}\n`)),
  };
  return language === 'markdown'
    ? { cell_type: 'markdown', ...common }
    : { cell_type: 'code', execution_count: null, outputs: [], ...common };
}
