/** What the managed_fs operations ask of the storage: types only. */

export interface ManagedFile {
  /** Absolute path in managed_fs. */
  readonly path: string;
  readonly kind: 'file' | 'directory';
  /** Bytes; 0 for a directory. */
  readonly size: number;
  /** Epoch ms. */
  readonly modifiedAt: number;
}

/** Each throws ServiceError: for a path that leads outside, that is missing, or that is taken. */
export interface ManagedFileStore {
  put(path: string, contents: Uint8Array, overwrite: boolean): Promise<void>;
  read(path: string, offset: number, length: number): Promise<Buffer>;
  getStatus(path: string): Promise<ManagedFile>;
  list(path: string): Promise<ManagedFile[]>;
  delete(path: string, recursive: boolean): Promise<void>;
  mkdirs(path: string): Promise<void>;
}

export interface ManagedFsPorts {
  readonly managedFiles: ManagedFileStore;
}
