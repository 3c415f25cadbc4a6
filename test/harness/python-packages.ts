/** Python packages for tests: builds wheels, wheelhouses and eggs, and serves them from an index. */
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { findInterpreter } from '../../runners/process/task-environment.ts';

const environment = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/' };

/** Finds the Python of tasks; undefined when there is none or it has no pip. */
export async function findPythonWithPip(): Promise<string | undefined> {
  const python = await findInterpreter('python3', environment);
  if (python === undefined) return undefined;
  return execa(python, ['-m', 'pip', '--version'], { env: environment, extendEnv: false }).then(
    () => python,
    () => undefined,
  );
}

export interface PythonPackage {
  readonly name: string;
  readonly version: string;
  /** Text of the only module, which is named like the package. */
  readonly module: string;
  readonly requires?: readonly string[];
  /** Requirements by extra. */
  readonly extras?: Readonly<Record<string, readonly string[]>>;
  /** Console scripts: name -> `module:function`. */
  readonly scripts?: Readonly<Record<string, string>>;
}

const packageBuilderScript = `
import json, sys, zipfile
kind, target, packages = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
def wheel(path, package):
    info = f"{package['name']}-{package['version']}.dist-info"
    needs = [f"Requires-Dist: {one}" for one in package.get("requires", [])]
    for extra, ones in package.get("extras", {}).items():
        needs += [f"Provides-Extra: {extra}"] + [f"Requires-Dist: {one}; extra == '{extra}'" for one in ones]
    files = {
        f"{package['name']}.py": package["module"],
        f"{info}/METADATA": "\\n".join(["Metadata-Version: 2.1", f"Name: {package['name']}", f"Version: {package['version']}"] + needs) + "\\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
        f"{info}/entry_points.txt": "[console_scripts]\\n" + "".join(f"{name} = {where}\\n" for name, where in package.get("scripts", {}).items()),
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items(): archive.writestr(name, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{name},,\\n" for name in [*files, f"{info}/RECORD"]))
def egg(path, package):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{package['name']}.py", package["module"])
        archive.writestr("EGG-INFO/PKG-INFO", f"Metadata-Version: 1.0\\nName: {package['name']}\\nVersion: {package['version']}\\n")
if kind == "wheels":
    for package in packages: wheel(f"{target}/{package['name']}-{package['version']}-py3-none-any.whl", package)
elif kind == "egg": egg(target, packages[0])
else:
    with zipfile.ZipFile(target, "w") as house:
        for package in packages:
            name = f"{package['name']}-{package['version']}-py3-none-any.whl"
            wheel(f"{target}.{name}", package)
            house.write(f"{target}.{name}", name)
`;

/** Builds wheels in a directory and returns their paths. */
export async function buildWheels(
  python: string,
  directory: string,
  packages: readonly PythonPackage[],
): Promise<string[]> {
  await execa(python, ['-c', packageBuilderScript, 'wheels', directory, JSON.stringify(packages)]);
  return packages.map(({ name, version }) => join(directory, `${name}-${version}-py3-none-any.whl`));
}

export async function buildWheelhouse(
  python: string,
  file: string,
  packages: readonly PythonPackage[],
): Promise<void> {
  await execa(python, ['-c', packageBuilderScript, 'wheelhouse', file, JSON.stringify(packages)]);
}

export async function buildEgg(python: string, file: string, egg: PythonPackage): Promise<void> {
  await execa(python, ['-c', packageBuilderScript, 'egg', file, JSON.stringify([egg])]);
}

export interface PackageIndex {
  /** URL of the index. */
  readonly url: string;
  /** Names of the requested files, in order. */
  readonly servedFiles: string[];
  /** Delays every file until it resolves, while set. */
  responseGate: Promise<unknown> | undefined;
  /** Called when a file is requested. */
  onFile: () => void;
  close(): Promise<void>;
}

/** Serves wheels as a package index; every other package answers 404. */
export async function startPackageIndex(wheels: readonly string[]): Promise<PackageIndex> {
  const index: PackageIndex = {
    url: '',
    servedFiles: [],
    responseGate: undefined,
    onFile: () => undefined,
    close: async () => undefined,
  };
  const server: Server = createServer((request, response) => {
    const reply = async (): Promise<void> => {
      const { status, type, body } = await createResponse(
        index,
        wheels,
        new URL(request.url ?? '/', 'http://x').pathname,
      );
      response.writeHead(status, { 'content-type': type }).end(body);
    };
    void reply();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return Object.assign(index, {
    url: `http://127.0.0.1:${port}/simple`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}

async function createResponse(
  index: PackageIndex,
  wheels: readonly string[],
  path: string,
): Promise<{ status: number; type: string; body: string | Buffer }> {
  const file = wheels.find((wheel) => path === `/files/${basename(wheel)}`);
  if (file !== undefined) {
    index.servedFiles.push(basename(file));
    index.onFile();
    await index.responseGate;
    return { status: 200, type: 'application/octet-stream', body: await readFile(file) };
  }
  const [, name = ''] = /^\/simple\/([^/]+)\/$/.exec(path) ?? [];
  const links = wheels
    .filter((wheel) => basename(wheel).split('-')[0]?.toLowerCase().replaceAll('_', '-') === name)
    .map((wheel) => `<a href="/files/${basename(wheel)}">${basename(wheel)}</a>`);
  return links.length === 0
    ? { status: 404, type: 'text/plain', body: 'There is no such package.' }
    : { status: 200, type: 'text/html', body: `<!DOCTYPE html><html><body>${links.join('')}</body></html>` };
}
