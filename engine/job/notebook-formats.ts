/** Languages that a notebook may be in, and the forms in which one is imported. */

export const notebookLanguages = ['PYTHON', 'SQL', 'JAVASCRIPT', 'SCALA', 'R'] as const;
export type NotebookLanguage = (typeof notebookLanguages)[number];

/** SOURCE: a notebook as text in its language; JUPYTER: an .ipynb document; AUTO: a file, kept as it is. */
export const importFormats = ['SOURCE', 'JUPYTER', 'AUTO'] as const;
export type ImportFormat = (typeof importFormats)[number];
