/** Workspace in temporary roots, for tests. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspaceImport, WorkspaceStore } from '../../../engine/ports/files.ts';
import { createWorkspaceStore } from '../../../storage/files/workspace.ts';
import { createTestRoots, type TestRoots } from './test-roots.ts';

export const pythonHeader = '# Databricks notebook source\n';

/** Creates an empty workspace; `files` lists the stored files of a folder. */
export async function createTestWorkspace(): Promise<
  TestRoots & { workspace: WorkspaceStore; files(folder?: string): Promise<string[]> }
> {
  const tools = await createTestRoots();
  return {
    ...tools,
    workspace: createWorkspaceStore(tools.roots, { requestBytes: 1_000 }),
    files: async (folder = '') => (await readdir(join(tools.base, 'data/workspace', folder))).sort(),
  };
}

/** Returns the import of a Python notebook in format SOURCE, with changes. */
export function notebook(
  path: string,
  changes: Partial<WorkspaceImport> & { text?: string } = {},
): WorkspaceImport {
  const { text = 'print(1)\n', ...rest } = changes;
  return {
    path,
    content: Buffer.from(text),
    format: 'SOURCE',
    language: 'PYTHON',
    overwrite: false,
    ...rest,
  };
}
