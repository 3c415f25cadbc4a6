/** Operations on files and directories by their path in the URL, in the order of the documentation. */
import type { Operation } from '../http/operation.ts';
import type { ManagedFsPorts } from '../http/ports.ts';
import { createDirectoryOperation } from './create-directory.ts';
import { deleteDirectoryOperation } from './delete-directory.ts';
import { deleteVolumeFileOperation } from './delete.ts';
import { downloadFileOperation } from './download.ts';
import { getDirectoryMetadataOperation } from './get-directory-metadata.ts';
import { getFileMetadataOperation } from './get-metadata.ts';
import { initiateUploadOperation } from './initiate-upload.ts';
import { listDirectoryOperation } from './list-directory.ts';
import { uploadFileOperation } from './upload.ts';

/** Creates the operations on fs/files and fs/directories. */
export function createFileOperations(ports: ManagedFsPorts): Operation[] {
  return [
    uploadFileOperation,
    initiateUploadOperation,
    downloadFileOperation,
    getFileMetadataOperation,
    deleteVolumeFileOperation,
    createDirectoryOperation,
    listDirectoryOperation,
    getDirectoryMetadataOperation,
    deleteDirectoryOperation,
  ].map((create) => create(ports));
}
