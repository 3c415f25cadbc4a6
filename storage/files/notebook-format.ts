/** How a file says that it is a notebook, and in which language: by its extension and its first line. */
import { extname, posix } from 'node:path';
import type { NotebookLanguage } from '../../engine/job/notebook-formats.ts';
import { fixedLimits } from '../../engine/limits.ts';

/** Language -> extension of its files and the mark of its comments. */
const languages = {
  PYTHON: { extension: '.py', comment: '#' },
  SQL: { extension: '.sql', comment: '--' },
  JAVASCRIPT: { extension: '.js', comment: '//' },
  SCALA: { extension: '.scala', comment: '//' },
  R: { extension: '.r', comment: '#' },
} as const satisfies Record<NotebookLanguage, object>;

/** Object.entries forgets the names of the keys; this table has no others. */
const languageEntries = Object.entries(languages) as [
  NotebookLanguage,
  (typeof languages)[NotebookLanguage],
][];

export const jupyterExtension = '.ipynb';

/** Extensions that a notebook may be named without, in the order in which they are tried. */
export const notebookExtensions: readonly string[] = ['.py', '.sql', '.js', jupyterExtension, '.scala', '.r'];

/** The paths that a notebook called `path` may have, the most likely first. */
export function notebookPaths(path: string): string[] {
  const extended = notebookExtensions.map((extension) => path + extension);
  return [
    path,
    ...extended.filter((each) => Buffer.byteLength(posix.basename(each)) <= fixedLimits.fileNameBytes),
  ];
}

/** Enough of a file to hold the header line. */
export const headerBytes = 64;

const headerText = 'Databricks notebook source';

/** The language that the extension of a path stands for. */
export function languageOfPath(path: string): NotebookLanguage | undefined {
  const extension = extname(path).toLowerCase();
  return languageEntries.find(([, language]) => language.extension === extension)?.[0];
}

/** The extension of files of a language, with its dot. */
export function extensionOf(language: NotebookLanguage): string {
  return languages[language].extension;
}

/**
 * The language of a notebook; undefined for a file that is none.
 * @param beginning at least the first `headerBytes` bytes of the file
 */
export function notebookLanguage(path: string, beginning: Uint8Array): NotebookLanguage | undefined {
  if (extname(path).toLowerCase() === jupyterExtension) return 'PYTHON';
  const language = languageOfPath(path);
  return language !== undefined && hasHeader(language, beginning) ? language : undefined;
}

/** The source with the header line in front, unless it is there already. */
export function withHeader(language: NotebookLanguage, source: Uint8Array): Uint8Array {
  if (hasHeader(language, source)) return source;
  return Buffer.concat([
    Buffer.from(`${languages[language].comment} ${headerText}\n`),
    withoutByteOrderMark(source),
  ]);
}

/**
 * Editors of Windows put a byte order mark in front; behind a header it would be a character of the program.
 */
function withoutByteOrderMark(source: Uint8Array): Uint8Array {
  return source[0] === 0xef && source[1] === 0xbb && source[2] === 0xbf ? source.subarray(3) : source;
}

function hasHeader(language: NotebookLanguage, source: Uint8Array): boolean {
  const [line = ''] = Buffer.from(withoutByteOrderMark(source).subarray(0, headerBytes))
    .toString('utf8')
    .split('\n');
  const { comment } = languages[language];
  return line.startsWith(comment) && line.slice(comment.length).trim() === headerText;
}
