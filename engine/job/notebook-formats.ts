/** Languages and import formats of notebooks. */

export const notebookLanguages = ['PYTHON', 'SQL', 'JAVASCRIPT', 'SCALA', 'R'] as const;
export type NotebookLanguage = (typeof notebookLanguages)[number];

/**
 * SOURCE: a notebook as text in its language; JUPYTER: an .ipynb document; AUTO: a file, stored unchanged.
 */
export const importFormats = ['SOURCE', 'JUPYTER', 'AUTO'] as const;
export type ImportFormat = (typeof importFormats)[number];
