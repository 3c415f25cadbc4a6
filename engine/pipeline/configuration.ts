/** Substitutes `${key}` in the SQL of a pipeline by the values of its configuration. */
import { quote } from '../validation/messages.ts';
import { invalidAt, type SourceFile } from './source-location.ts';

/**
 * Returns the file with every `${key}` replaced.
 * @throws ServiceError for a key that the configuration does not have
 */
export function substituteConfiguration(
  file: SourceFile,
  configuration: Readonly<Record<string, string>>,
): SourceFile {
  const text = file.text.replaceAll(/\$\{([^{}\n]*)\}/g, (whole, key: string, offset: number) => {
    const name = key.trim();
    if (!Object.hasOwn(configuration, name)) {
      throw invalidAt(
        { file, offset },
        `${whole} names ${quote(name)}, which the configuration of the pipeline does not have.`,
      );
    }
    return configuration[name] ?? '';
  });
  return { path: file.path, text };
}
