/** Libraries of a cluster: identity, names, validation and conflicts (spec 2.8). */
import { invalid } from '../errors.ts';
import { canonicalUri } from '../validation/aliases.ts';
import { libraryKinds, type Library } from '../job/cluster.ts';
import { quote } from '../validation/messages.ts';

export const libraryStatuses = [
  'PENDING',
  'RESOLVING',
  'INSTALLING',
  'INSTALLED',
  'FAILED',
  'SKIPPED',
  'UNINSTALL_ON_RESTART',
] as const;
export type LibraryStatus = (typeof libraryStatuses)[number];

/** Absolute paths of the libraries of a cluster. Earlier entries have precedence. */
export interface LibraryPaths {
  /** JARs. */
  readonly classPath: readonly string[];
  /** Import directories of Python. */
  readonly pythonPath: readonly string[];
  /** Directories with programs of libraries. */
  readonly binPath: readonly string[];
  /** Directories of R packages; undefined when there are none. */
  readonly rPath?: readonly string[];
}

/** Paths of a cluster without libraries. */
export const noLibraries: LibraryPaths = { classPath: [], pythonPath: [], binPath: [] };

export type LibraryKind = (typeof libraryKinds)[number];

/** Returns the kind of a library. @throws ServiceError for an entry without a kind */
export function libraryKind(library: Library): LibraryKind {
  const kind = libraryKinds.find((one) => library[one] !== undefined);
  if (kind === undefined)
    throw invalid(`A library has none of ${libraryKinds.join(', ')}; exactly one is required.`);
  return kind;
}

/** Returns the name of a library in messages, for example `pypi six==1.16.0`. */
export function libraryName(library: Library): string {
  return `${libraryKind(library)} ${subjectOf(library)}`;
}

/** Returns the key of a library. Different spellings of the same library have the same key. */
export function libraryKey(library: Library): string {
  const { pypi, maven, cran } = library;
  const options = pypi ?? maven ?? cran;
  const repo = options?.repo === undefined ? [] : [options.repo];
  const subject =
    pypi === undefined ? canonicalUri(subjectOf(library)) : pypi.package.replaceAll(/\s/g, '').toLowerCase();
  return JSON.stringify([libraryKind(library), subject, ...repo, ...(maven?.exclusions ?? []).toSorted()]);
}

function subjectOf({ jar, egg, whl, pypi, maven, cran }: Library): string {
  return jar ?? egg ?? whl ?? pypi?.package ?? maven?.coordinates ?? cran?.package ?? '';
}

/** Package and version of a library. */
interface PackageRelease {
  readonly name: string;
  readonly version: string;
}

/** Libraries that conflict with each other. */
export interface LibraryConflict {
  readonly libraries: readonly Library[];
  readonly message: string;
}

/** Finds two libraries that require two versions of the same package. Checked before an installer runs. */
export function findLibraryConflict(libraries: readonly Library[]): LibraryConflict | undefined {
  const known = new Map<string, { readonly version: string; readonly library: Library }>();
  for (const library of libraries) {
    const release = packageReleaseOf(library);
    if (release === undefined) continue;
    const other = known.get(release.name);
    if (other !== undefined && other.version !== release.version) {
      const message = `${libraryName(other.library)} and ${libraryName(library)} are two versions of the same package; a cluster can have only one of them.`;
      return { libraries: [other.library, library], message };
    }
    known.set(release.name, { version: release.version, library });
  }
  return undefined;
}

function packageReleaseOf(library: Library): PackageRelease | undefined {
  const { pypi, whl, maven } = library;
  if (pypi !== undefined) {
    const [, name = '', version] =
      /^([\w.-]+)\s*(?:\[[^\]]*\])?\s*={2,3}\s*([^,*\s]+)$/.exec(pypi.package.trim()) ?? [];
    return version === undefined ? undefined : { name: `python ${normalizePackageName(name)}`, version };
  }
  if (whl !== undefined) {
    const [, name = '', version] = /([^/]+?)-([^-/]+)(?:-[^-/]+){3,4}\.whl$/.exec(whl) ?? [];
    return version === undefined ? undefined : { name: `python ${normalizePackageName(name)}`, version };
  }
  if (maven === undefined) return undefined;
  const [group, artifact, version = '', ...more] = maven.coordinates.split(':');
  return { name: `java ${[group, artifact, ...more].join(':')}`, version };
}

/** Returns the normalized name of a Python package. */
function normalizePackageName(name: string): string {
  return name.replaceAll(/[-_.]+/g, '-').toLowerCase();
}

/** Matches a Python requirement: a name with extras and versions; no option, path or URL. */
const requirementPattern =
  /^[A-Za-z\d]([\w.-]*[A-Za-z\d])?\s*(\[[\w.,\s-]*\])?\s*((===|==|~=|>=|<=|!=|<|>)\s*[\w.*+!-]+(\s*,\s*(===|==|~=|>=|<=|!=|<|>)\s*[\w.*+!-]+)*)?$/;
/** Matches `group:artifact:version`, optionally with classifier and `@extension`. */
const coordinatesPattern = /^[\w.-]+:[\w.-]+:[\w.+[\](),-]+(:[\w.-]+)?(@[\w.-]+)?$/;
const webAddressPattern = /^https?:\/\/[^\s<>"']+$/;

/**
 * Refuses a package name that an installer could interpret as an option, a path or a URL.
 * @throws ServiceError INVALID_PARAMETER_VALUE that names the rule
 */
export function checkPackage({ pypi, maven, cran }: Library): void {
  if (pypi !== undefined && !requirementPattern.test(pypi.package.trim())) {
    throw invalid(
      `pypi.package is ${quote(pypi.package)}; it must be a package name, optionally with extras and versions, such as name[extra]==1.2.`,
    );
  }
  if (maven !== undefined && !coordinatesPattern.test(maven.coordinates)) {
    throw invalid(`maven.coordinates is ${quote(maven.coordinates)}; it must be group:artifact:version.`);
  }
  for (const exclusion of maven?.exclusions ?? []) {
    if (!/^[\w.*-]+:[\w.*-]+$/.test(exclusion))
      throw invalid(`maven.exclusions has ${quote(exclusion)}; each entry must be group:artifact.`);
  }
  if (cran !== undefined && !/^[A-Za-z][A-Za-z\d.]*$/.test(cran.package)) {
    throw invalid(`cran.package is ${quote(cran.package)}; it must be the name of an R package.`);
  }
  const repo = (pypi ?? maven ?? cran)?.repo;
  if (repo !== undefined && !webAddressPattern.test(repo))
    throw invalid(`repo is ${quote(repo)}; it must be a URL that starts with https:// or http://.`);
}

const defaultIndexes = {
  pypi: 'https://pypi.org/simple',
  maven: 'https://repo1.maven.org/maven2',
  cran: 'https://cloud.r-project.org',
} as const;

/** Returns the package index that is asked for a library; undefined for files. */
export function packageIndexOf(
  { pypi, maven, cran }: Library,
  environment: Readonly<Record<string, string>>,
): string | undefined {
  if (pypi !== undefined) return pypi.repo ?? environment['PIP_INDEX_URL'] ?? defaultIndexes.pypi;
  if (maven !== undefined) return maven.repo ?? defaultIndexes.maven;
  return cran === undefined ? undefined : (cran.repo ?? defaultIndexes.cran);
}

/** A library that could not be installed. */
export interface LibraryFailure {
  readonly library: Library;
  readonly message: string;
}

/** Returns the state_message of a task whose libraries could not be installed; clients match its prefix. */
export function installationFailedMessage(failures: readonly LibraryFailure[]): string {
  // Conflicting libraries share one message.
  const reasons = [...Map.groupBy(failures, ({ message }) => message)].map(
    ([message, group]) => `${group.map(({ library }) => libraryName(library)).join(', ')}: ${message}`,
  );
  return `Library installation failed for library due to user error. Error messages: ${reasons.join('; ')}`;
}
