/** Where a plugin is, and what is wrong with one that cannot be used. */

/** A plugin as the configuration names it. */
export interface PluginPlace {
  /** Path of a module, or name of a package. */
  readonly written: string;
  /** Absolute; where relative paths and the search for packages begin. */
  readonly directory: string;
}

/** A plugin that stops the start. The message is one line that names it. */
export class PluginError extends Error {
  override readonly name = 'PluginError';
  constructor({ written }: PluginPlace, why: string) {
    super(`RUNYARD_PLUGINS names ${JSON.stringify(written)}, which ${why}`);
  }
}
