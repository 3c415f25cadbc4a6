/** What the workspace operations ask of the storage: types only. */

export const notebookLanguages = ['PYTHON', 'SQL', 'JAVASCRIPT', 'SCALA', 'R'] as const;
export const importFormats = ['SOURCE', 'JUPYTER', 'AUTO'] as const;

export type NotebookLanguage = (typeof notebookLanguages)[number];

export interface WorkspaceObject {
  readonly type: 'NOTEBOOK' | 'FILE' | 'DIRECTORY';
  /** Absolute path in the workspace. */
  readonly path: string;
  /** Of a notebook. */
  readonly language: NotebookLanguage | undefined;
  /** Bytes. */
  readonly size: number;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly modifiedAt: number;
}

export interface WorkspaceImport {
  readonly path: string;
  readonly content: Uint8Array;
  readonly format: (typeof importFormats)[number];
  readonly language: NotebookLanguage | undefined;
  readonly overwrite: boolean;
}

/** Each throws ServiceError: for a path that leads outside, that is missing, or that is taken. */
export interface WorkspaceStore {
  import(request: WorkspaceImport): Promise<void>;
  getStatus(path: string): Promise<WorkspaceObject>;
  list(path: string): Promise<WorkspaceObject[]>;
  export(path: string): Promise<{ readonly content: Buffer; readonly fileType: string }>;
  delete(path: string, recursive: boolean): Promise<void>;
  mkdirs(path: string): Promise<void>;
}

export interface WorkspacePorts {
  readonly workspace: WorkspaceStore;
}
