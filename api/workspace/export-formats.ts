/** Conversion of exported notebooks into the formats of workspace/export. */
import { invalid } from '../../engine/errors.ts';
import type { ExportFormat } from '../../engine/job/notebook-formats.ts';
import type { StoredObject } from '../../engine/ports/files.ts';
import { sourcePage } from '../../engine/run/notebook-page/page.ts';
import { parseJupyter, renderJupyter } from '../../engine/run/notebook-source/jupyter-format.ts';
import { parseSource, renderSource } from '../../engine/run/notebook-source/source-format.ts';
import { sourceExtensions, type SourceNotebook } from '../../engine/run/notebook-source/source-notebook.ts';

type ExportedFile = Pick<StoredObject, 'content' | 'fileType'>;

const converters = {
  SOURCE: toSource,
  HTML: toHtml,
  JUPYTER: toJupyter,
  AUTO: (stored) => stored,
  RAW: (stored) => stored,
} satisfies Record<ExportFormat, (stored: StoredObject) => ExportedFile>;

/**
 * Converts a notebook to a format. A file is returned as stored.
 * @throws ServiceError INVALID_PARAMETER_VALUE for a file in format HTML or JUPYTER, and for an .ipynb file
 * that is no Jupyter notebook
 */
export function convertExport(stored: StoredObject, format: ExportFormat): ExportedFile {
  return converters[format](stored);
}

function toSource(stored: StoredObject): ExportedFile {
  if (!isJupyter(stored)) return stored;
  const notebook = parseNotebook(stored, 'SOURCE');
  return { content: Buffer.from(renderSource(notebook)), fileType: sourceExtensions[notebook.language] };
}

function toHtml(stored: StoredObject): ExportedFile {
  return { content: Buffer.from(sourcePage(stored.path, parseNotebook(stored, 'HTML'))), fileType: 'html' };
}

function toJupyter(stored: StoredObject): ExportedFile {
  if (isJupyter(stored)) return stored;
  return { content: Buffer.from(renderJupyter(parseNotebook(stored, 'JUPYTER'))), fileType: 'ipynb' };
}

function isJupyter({ fileType }: StoredObject): boolean {
  return fileType.toLowerCase() === 'ipynb';
}

function parseNotebook(stored: StoredObject, format: ExportFormat): SourceNotebook {
  const { path, language } = stored;
  if (language === undefined)
    throw invalid(
      `Path (${path}) is a file; only notebooks can be exported as ${format}. Use RAW for files.`,
    );
  const text = stored.content.toString('utf8');
  const notebook = isJupyter(stored) ? parseJupyter(text) : parseSource(text, language);
  if (notebook !== undefined) return notebook;
  throw invalid(
    `Path (${path}) is no Jupyter notebook of nbformat 4 in a known language and cannot be exported as ${format}. Use RAW to export it as stored.`,
  );
}
