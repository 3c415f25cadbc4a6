/**
 * What is asked of the places where people keep files, the workspace and managed_fs: types only. storage/
 * implements them.
 */
import type { ImportFormat, NotebookLanguage } from '../job/notebook-formats.ts';

/** What stands under a path of the workspace. */
export interface WorkspaceObject {
  readonly type: 'NOTEBOOK' | 'FILE' | 'DIRECTORY';
  /**
   * `/a/b`; a notebook goes without its extension, unless another object has that path. Leads back to the
   * object.
   */
  readonly path: string;
  /** Of a notebook. */
  readonly language: NotebookLanguage | undefined;
  /** Bytes; 0 for a directory. */
  readonly size: number;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly modifiedAt: number;
}

/** What is to stand under a path of the workspace. */
export interface WorkspaceImport {
  readonly path: string;
  readonly content: Uint8Array;
  /** SOURCE: a notebook in `language`; JUPYTER: an .ipynb notebook; AUTO: kept under its path as it is. */
  readonly format: ImportFormat;
  /** For SOURCE; the extension of the path says it too. */
  readonly language?: NotebookLanguage | undefined;
  readonly overwrite: boolean;
}

/**
 * All paths may be written with `/Workspace` in front, and those of notebooks with or without their
 * extension. Paths that lead outside are refused with INVALID_PARAMETER_VALUE, missing ones with
 * RESOURCE_DOES_NOT_EXIST.
 */
export interface WorkspaceStore {
  /** Missing folders are made. RESOURCE_ALREADY_EXISTS when the path is taken and not to be overwritten. */
  import(request: WorkspaceImport): Promise<void>;
  getStatus(path: string): Promise<WorkspaceObject>;
  /** What stands directly in a directory, by path; a notebook or file is listed as itself. */
  list(path: string): Promise<WorkspaceObject[]>;
  export(
    path: string,
  ): Promise<{ readonly content: Buffer; /** Extension without its dot. */ readonly fileType: string }>;
  /** INVALID_STATE for a directory that is not empty, unless `recursive`. */
  delete(path: string, recursive: boolean): Promise<void>;
  /** With the folders above; one that is there already is as good. */
  mkdirs(path: string): Promise<void>;
}

/** A file or directory of managed_fs. */
export interface ManagedFile {
  /** Absolute path in managed_fs. */
  readonly path: string;
  readonly kind: 'file' | 'directory';
  /** Bytes; 0 for a directory. */
  readonly size: number;
  /** Epoch ms. */
  readonly modifiedAt: number;
}

/**
 * All paths may be written with their scheme in front. Paths that lead outside are refused with
 * INVALID_PARAMETER_VALUE, missing ones with RESOURCE_DOES_NOT_EXIST.
 */
export interface ManagedFileStore {
  /** Missing folders are made. RESOURCE_ALREADY_EXISTS when the path is taken and not to be overwritten. */
  put(path: string, contents: Uint8Array, overwrite: boolean): Promise<void>;
  /** Up to `length` bytes from `offset` on (neither is negative); none beyond the end. */
  read(path: string, offset: number, length: number): Promise<Buffer>;
  getStatus(path: string): Promise<ManagedFile>;
  /** What stands directly in a directory, by path; a file is listed as itself. */
  list(path: string): Promise<ManagedFile[]>;
  /**
   * A path that is not there is as good as deleted. INVALID_STATE for a directory that is not empty, unless
   * `recursive`.
   */
  delete(path: string, recursive: boolean): Promise<void>;
  /** With the folders above; one that is there already is as good. */
  mkdirs(path: string): Promise<void>;
}
