/** The manifest of the installable package. */
import { Type } from 'typebox';
import { Parse } from 'typebox/value';

const Versions = Type.Record(Type.String(), Type.String());
const Manifest = Type.Object({
  name: Type.String(),
  version: Type.String(),
  description: Type.String(),
  license: Type.String(),
  bin: Versions,
  dependencies: Versions,
  optionalDependencies: Versions,
});

/** Packages that no module imports: the Node that runs Runyard where the machine has an older one. */
const unimported: ReadonlySet<string> = new Set(['node']);

/**
 * Returns the manifest with the dependencies that the package needs to run.
 * @param manifest package.json of the project
 * @param used packages that the modules of the package import; other names are ignored
 */
export function selectManifest(manifest: unknown, used: ReadonlySet<string>): object {
  const { name, version, description, license, bin, dependencies, optionalDependencies } = Parse(
    Manifest,
    manifest,
  );
  const needed = Object.entries(dependencies).filter(([one]) => used.has(one) || unimported.has(one));
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    bin,
    engines: { node: '>=20' },
    dependencies: Object.fromEntries(needed),
    optionalDependencies,
  };
}
