/** Languages and import formats of notebooks. */

export const notebookLanguages = ['PYTHON', 'SQL', 'JAVASCRIPT', 'SCALA', 'R'] as const;
export type NotebookLanguage = (typeof notebookLanguages)[number];

/**
 * SOURCE: a notebook as text in its language; JUPYTER: an .ipynb document; AUTO and RAW: a file, stored
 * unchanged.
 */
export const importFormats = ['SOURCE', 'JUPYTER', 'AUTO', 'RAW'] as const;
export type ImportFormat = (typeof importFormats)[number];

/** As for the import; HTML: a page with the cells of the notebook. AUTO and RAW: as stored. */
export const exportFormats = ['SOURCE', 'HTML', 'JUPYTER', 'AUTO', 'RAW'] as const;
export type ExportFormat = (typeof exportFormats)[number];
