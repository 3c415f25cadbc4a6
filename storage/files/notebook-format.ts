/** Detection of notebooks and their languages by file extension and header line. */
import { extname, posix } from 'node:path';
import type { NotebookLanguage } from '../../engine/job/notebook-formats.ts';
import { fixedLimits } from '../../engine/limits.ts';

/** File extension and comment mark of each language. */
const languages = {
  PYTHON: { extension: '.py', comment: '#' },
  SQL: { extension: '.sql', comment: '--' },
  JAVASCRIPT: { extension: '.js', comment: '//' },
  SCALA: { extension: '.scala', comment: '//' },
  R: { extension: '.r', comment: '#' },
} as const satisfies Record<NotebookLanguage, object>;

/** Object.entries loses the key type; the table has no other keys. */
const languageEntries = Object.entries(languages) as [
  NotebookLanguage,
  (typeof languages)[NotebookLanguage],
][];

export const jupyterExtension = '.ipynb';

/** Extensions that the path of a notebook may lack, in the order in which they are tried. */
export const notebookExtensions: readonly string[] = ['.py', '.sql', '.js', jupyterExtension, '.scala', '.r'];

/** Returns the possible paths of a notebook, the most likely first. */
export function notebookPaths(path: string): string[] {
  const extended = notebookExtensions.map((extension) => path + extension);
  return [
    path,
    ...extended.filter((each) => Buffer.byteLength(posix.basename(each)) <= fixedLimits.fileNameBytes),
  ];
}

/** Bytes that are enough for the header line. */
export const headerBytes = 64;

const headerText = 'Databricks notebook source';

/** Returns the language of a path by its extension. */
export function languageOfPath(path: string): NotebookLanguage | undefined {
  const extension = extname(path).toLowerCase();
  return languageEntries.find(([, language]) => language.extension === extension)?.[0];
}

/** Returns the file extension of a language, with its dot. */
export function extensionOf(language: NotebookLanguage): string {
  return languages[language].extension;
}

/**
 * Returns the language of a notebook; undefined for other files.
 * @param beginning at least the first `headerBytes` bytes of the file
 */
export function notebookLanguage(path: string, beginning: Uint8Array): NotebookLanguage | undefined {
  if (extname(path).toLowerCase() === jupyterExtension) return 'PYTHON';
  const language = languageOfPath(path);
  return language !== undefined && hasHeader(language, beginning) ? language : undefined;
}

/** Adds the header line to a source that lacks it. */
export function withHeader(language: NotebookLanguage, source: Uint8Array): Uint8Array {
  if (hasHeader(language, source)) return source;
  return Buffer.concat([
    Buffer.from(`${languages[language].comment} ${headerText}\n`),
    withoutByteOrderMark(source),
  ]);
}

/**
 * Removes a byte order mark, which editors on Windows add; after the header it would be part of the program.
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
