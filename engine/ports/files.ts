/** Files of users: the workspace and managed_fs. Types only; storage/ implements them. */
import type { Readable } from 'node:stream';
import type { ImportFormat, NotebookLanguage } from '../job/notebook-formats.ts';

/** An object of the workspace. */
export interface WorkspaceObject {
  readonly type: 'NOTEBOOK' | 'FILE' | 'DIRECTORY';
  /**
   * `/a/b`; without the extension of a notebook unless another object has that path. Resolves to the object.
   */
  readonly path: string;
  /** Undefined unless the object is a notebook. */
  readonly language: NotebookLanguage | undefined;
  /** Bytes; 0 for a directory. */
  readonly size: number;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly modifiedAt: number;
}

/** Input of `WorkspaceStore.import`. */
export interface WorkspaceImport {
  readonly path: string;
  readonly content: Uint8Array;
  /** SOURCE: a notebook in `language`; JUPYTER: an .ipynb notebook; AUTO, RAW: stored unchanged. */
  readonly format: ImportFormat;
  /** Language for SOURCE; by default the extension of the path selects it. */
  readonly language?: NotebookLanguage | undefined;
  readonly overwrite: boolean;
}

/** A notebook or file with its contents, as stored. */
export interface StoredObject extends Pick<WorkspaceObject, 'path' | 'language'> {
  readonly content: Buffer;
  /** Extension without its dot. */
  readonly fileType: string;
}

/**
 * Store of the workspace. Every path may start with `/Workspace`; the path of a notebook may omit the
 * extension. Paths outside the workspace are refused with INVALID_PARAMETER_VALUE, missing paths with
 * RESOURCE_DOES_NOT_EXIST.
 */
export interface WorkspaceStore {
  /** Imports an object and creates missing folders. RESOURCE_ALREADY_EXISTS when the path is taken. */
  import(request: WorkspaceImport): Promise<void>;
  getStatus(path: string): Promise<WorkspaceObject>;
  /** Lists the direct children of a directory by path; a notebook or file is listed as itself. */
  list(path: string): Promise<WorkspaceObject[]>;
  export(path: string): Promise<StoredObject>;
  /** Deletes an object. INVALID_STATE for a directory that is not empty, unless `recursive`. */
  delete(path: string, recursive: boolean): Promise<void>;
  /** Creates a directory and its parents. Idempotent. */
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

/** A file of managed_fs that is open for reading. */
export interface OpenFile extends Pick<ManagedFile, 'size' | 'modifiedAt'> {
  /** Reads from `start` to `end`, both inclusive, and closes the file. */
  read(start: number, end: number): Readable;
  close(): Promise<void>;
}

/**
 * Store of managed_fs. Every path may start with its scheme. Paths outside managed_fs are refused with
 * INVALID_PARAMETER_VALUE, missing paths with RESOURCE_DOES_NOT_EXIST.
 */
export interface ManagedFileStore {
  /** Writes a file and creates missing folders. RESOURCE_ALREADY_EXISTS when the path is taken. */
  put(path: string, contents: Uint8Array, overwrite: boolean): Promise<void>;
  /** Reads up to `length` bytes from `offset`; empty beyond the end. Both arguments are at least 0. */
  read(path: string, offset: number, length: number): Promise<Buffer>;
  getStatus(path: string): Promise<ManagedFile>;
  /** Opens a file for reading. INVALID_PARAMETER_VALUE for a directory. */
  open(path: string): Promise<OpenFile>;
  /** Lists the direct children of a directory by path; a file is listed as itself. */
  list(path: string): Promise<ManagedFile[]>;
  /** Lists up to `limit` direct children of a directory whose names follow `after` ('' for the first ones). */
  listAfter(path: string, after: string, limit: number): Promise<ManagedFile[]>;
  /** Deletes a path; idempotent. INVALID_STATE for a directory that is not empty, unless `recursive`. */
  delete(path: string, recursive: boolean): Promise<void>;
  /** Creates a directory and its parents. Idempotent. */
  mkdirs(path: string): Promise<void>;
  /**
   * Moves a file, or a directory with its contents, and creates missing folders. RESOURCE_ALREADY_EXISTS when
   * the destination is taken.
   */
  move(from: string, to: string): Promise<void>;
}

/**
 * Streaming uploads to managed_fs. The file appears, complete, when its upload is closed. A handle that is
 * not open, or belongs to another user, is refused with RESOURCE_DOES_NOT_EXIST.
 */
export interface UploadStore {
  /**
   * Writes a file from a stream; it appears, complete, at the end. ALREADY_EXISTS when the path is taken,
   * REQUEST_TOO_LARGE for more than `fixedLimits.fileUploadBytes`, MALFORMED_REQUEST when the stream breaks off.
   */
  write(path: string, contents: Readable, overwrite: boolean): Promise<void>;
  /**
   * Opens an upload and returns its handle. RESOURCE_ALREADY_EXISTS when the path is taken, QUOTA_EXCEEDED
   * when too many uploads are open.
   */
  create(principalId: number, path: string, overwrite: boolean): Promise<number>;
  /** Appends a block. Concurrent blocks are appended in the order of their calls. */
  addBlock(principalId: number, handle: number, data: Uint8Array): Promise<void>;
  /** Ends an upload and creates its file. RESOURCE_ALREADY_EXISTS when the path was taken meanwhile. */
  close(principalId: number, handle: number): Promise<void>;
}
