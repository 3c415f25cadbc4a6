/** Commands of files: 'files …', `workspace …`. */
import { Option, type Command } from 'commander';
import type { CopyOptions } from '../commands/files/copy-files.ts';
import type { OutputOptions } from '../output/print-result.ts';
import { addClientCommand, addQueryCommand, type Finish } from './client-command.ts';

interface RemoveOptions {
  readonly recursive?: true;
  readonly yes?: true;
}

const copyFiles = () => import('../commands/files/copy-files.ts');
const workspaceModule = () => import('../commands/files/workspace.ts');

export function addFileCommands(program: Command, finish: Finish): void {
  const files = program.command('files').description('manage the files of jobs in managed_fs');
  addQueryCommand(files, 'ls <path>', 'list a folder, such as managed_fs:/data').action(
    async (path: string, options: OutputOptions) =>
      finish(await (await copyFiles()).listFiles(path, options)),
  );
  addClientCommand(
    files,
    'cp <from> <to>',
    'copy between this machine and managed_fs:; replaces existing files',
  )
    .option('-r, --recursive', 'copy a folder with its files')
    .action(async (from: string, to: string, options: CopyOptions) =>
      finish(await (await copyFiles()).copyFiles(from, to, options)),
    );
  addClientCommand(files, 'cat <path>', 'print a file').action(async (path: string) =>
    finish(await (await copyFiles()).printFile(path)),
  );
  addClientCommand(files, 'mv <from> <to>', 'move a file or folder within managed_fs').action(
    async (from: string, to: string) => finish(await (await copyFiles()).moveFiles(from, to)),
  );
  addClientCommand(files, 'mkdir <path>', 'create a folder').action(async (path: string) =>
    finish(await (await copyFiles()).makeRemoteFolder(path)),
  );
  addClientCommand(files, 'rm <path>', 'remove a file or folder')
    .option('-r, --recursive', 'remove a folder with its files')
    .option('-y, --yes', 'do not ask')
    .action(async (path: string, options: RemoveOptions) =>
      finish(await (await copyFiles()).removeFiles(path, options)),
    );
  addWorkspaceCommands(program, finish);
}

function addWorkspaceCommands(program: Command, finish: Finish): void {
  const workspace = program.command('workspace').description('manage notebooks and files of the workspace');
  addQueryCommand(workspace, 'ls <path>', 'list a folder').action(
    async (path: string, options: OutputOptions) =>
      finish(await (await workspaceModule()).listWorkspace(path, options)),
  );
  addClientCommand(workspace, 'import <from> <to>', 'store a local file, or all files of a folder')
    .option('--overwrite', 'replace existing objects')
    .action(async (from: string, to: string, options: { overwrite?: true }) =>
      finish(await (await workspaceModule()).importWorkspace(from, to, options)),
    );
  addClientCommand(workspace, 'export <from> <to>', 'write a notebook, a file or a folder to this machine')
    .addOption(
      new Option('--format <name>', 'format of notebooks')
        .choices(['SOURCE', 'JUPYTER', 'HTML'])
        .default('SOURCE'),
    )
    .action(async (from: string, to: string, options: { format: string }) =>
      finish(await (await workspaceModule()).exportWorkspace(from, to, options)),
    );
  addClientCommand(workspace, 'mkdirs <path>', 'create a folder with its parents').action(
    async (path: string) => finish(await (await workspaceModule()).makeWorkspaceFolder(path)),
  );
  addClientCommand(workspace, 'rm <path>', 'remove an object')
    .option('-r, --recursive', 'remove a folder with everything in it')
    .option('-y, --yes', 'do not ask')
    .action(async (path: string, options: RemoveOptions) =>
      finish(await (await workspaceModule()).removeWorkspace(path, options)),
    );
}
