/** `${key}` in the SQL of a pipeline: the value that its configuration has for the key. */
import { quote } from '../validation/messages.ts';
import { invalidAt, type SourceFile } from './source-location.ts';

/**
 * The file with every `${key}` replaced.
 * @throws ServiceError for a key that the configuration does not have
 */
export function substituteConfiguration(
  file: SourceFile,
  configuration: Readonly<Record<string, string>>,
): SourceFile {
  const text = file.text.replaceAll(/\$\{([^{}\n]*)\}/g, (whole, key: string, at: number) => {
    const name = key.trim();
    if (!Object.hasOwn(configuration, name)) {
      throw invalidAt(
        { file, offset: at },
        `${whole} names ${quote(name)}, which the configuration of the pipeline does not have.`,
      );
    }
    return configuration[name] ?? '';
  });
  return { path: file.path, text };
}
