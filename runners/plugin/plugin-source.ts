/** Where a plugin is, and what is wrong with one that cannot be used. */

/** A plugin as the configuration names it. */
export interface PluginSource {
  /** Path of a module, or name of a package. */
  readonly specifier: string;
  /** Absolute; where relative paths and the search for packages begin. */
  readonly baseDirectory: string;
}

/** A plugin that stops the start. The message is one line that names it. */
export class PluginError extends Error {
  override readonly name = 'PluginError';
  constructor({ specifier }: PluginSource, why: string) {
    super(`RUNYARD_PLUGINS names ${JSON.stringify(specifier)}, which ${why}`);
  }
}
