/** Source of a plugin, and the error for one that cannot be used. */

/** A plugin as the configuration names it. */
export interface PluginSource {
  /** Path of a module, or name of a package. */
  readonly specifier: string;
  /** Absolute base of relative paths and of the search for packages. */
  readonly baseDirectory: string;
}

/** Error of a plugin that prevents the start of the service. The message is one line. */
export class PluginError extends Error {
  override readonly name = 'PluginError';
  constructor({ specifier }: PluginSource, reason: string) {
    super(`RUNYARD_PLUGINS names ${JSON.stringify(specifier)}, which ${reason}`);
  }
}
