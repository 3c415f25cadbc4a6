/**
 * Libraries of a cluster: how each is known and named, what may be asked of an installer, and which of them
 * contradict each other (spec 2.8).
 */
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

/** Where tasks find the libraries of their cluster: absolute paths, the first ones win. */
export interface LibraryPaths {
  /** JARs. */
  readonly classPath: readonly string[];
  /** Directories from which Python imports. */
  readonly pythonPath: readonly string[];
  /** Directories of programs that libraries brought. */
  readonly binPath: readonly string[];
  /** Directories of R packages; absent when there are none. */
  readonly rPath?: readonly string[];
}

/** A cluster without libraries. */
export const noLibraries: LibraryPaths = { classPath: [], pythonPath: [], binPath: [] };

export type LibraryKind = (typeof libraryKinds)[number];

/** Which kind of library it is. @throws ServiceError when it is none */
export function libraryKind(library: Library): LibraryKind {
  const kind = libraryKinds.find((one) => library[one] !== undefined);
  if (kind === undefined)
    throw invalid(`A library has none of ${libraryKinds.join(', ')}; exactly one is required.`);
  return kind;
}

/** How messages call a library: its kind and what it names, for example `pypi six==1.16.0`. */
export function libraryName(library: Library): string {
  return `${libraryKind(library)} ${subjectOf(library)}`;
}

/** What tells a library from every other: two that are spelled differently but mean the same have one key. */
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

/** One package in one version, as far as a library says so. */
interface PackageRelease {
  readonly name: string;
  readonly version: string;
}

/** Libraries that contradict each other. */
export interface LibraryConflict {
  readonly libraries: readonly Library[];
  readonly message: string;
}

/**
 * Two libraries of a list that want two versions of one package; undefined when there are none. Said before
 * an installer is asked.
 */
export function findLibraryConflict(libraries: readonly Library[]): LibraryConflict | undefined {
  const known = new Map<string, { readonly version: string; readonly library: Library }>();
  for (const library of libraries) {
    const release = packageReleaseOf(library);
    if (release === undefined) continue;
    const other = known.get(release.name);
    if (other !== undefined && other.version !== release.version) {
      const message = `${libraryName(other.library)} and ${libraryName(library)} are two versions of one package; a cluster can have one of them.`;
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

/** The one spelling of the name of a Python package. */
function normalizePackageName(name: string): string {
  return name.replaceAll(/[-_.]+/g, '-').toLowerCase();
}

/**
 * A Python requirement in the words of an installer: a name with extras and versions, never an option, a path
 * or an address.
 */
const requirementPattern =
  /^[A-Za-z\d]([\w.-]*[A-Za-z\d])?\s*(\[[\w.,\s-]*\])?\s*((===|==|~=|>=|<=|!=|<|>)\s*[\w.*+!-]+(\s*,\s*(===|==|~=|>=|<=|!=|<|>)\s*[\w.*+!-]+)*)?$/;
/** `group:artifact:version`, optionally with classifier and `@extension`. */
const coordinatesPattern = /^[\w.-]+:[\w.-]+:[\w.+[\](),-]+(:[\w.-]+)?(@[\w.-]+)?$/;
const webAddressPattern = /^https?:\/\/[^\s<>"']+$/;

/**
 * Refuses what an installer would not take for a package: its arguments come from here, and nothing else may
 * become one.
 * @throws ServiceError INVALID_PARAMETER_VALUE that says what is allowed
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
      throw invalid(`maven.exclusions holds ${quote(exclusion)}; each must be group:artifact.`);
  }
  if (cran !== undefined && !/^[A-Za-z][A-Za-z\d.]*$/.test(cran.package)) {
    throw invalid(`cran.package is ${quote(cran.package)}; it must be the name of an R package.`);
  }
  const repo = (pypi ?? maven ?? cran)?.repo;
  if (repo !== undefined && !webAddressPattern.test(repo))
    throw invalid(`repo is ${quote(repo)}; it must be an http or https address.`);
}

/** Why a library failed. */
export interface LibraryFailure {
  readonly library: Library;
  readonly message: string;
}

/** The state_message of a task whose libraries could not be installed; clients know how it begins. */
export function installationFailedMessage(failures: readonly LibraryFailure[]): string {
  // Those that do not fit each other fail for one reason.
  const reasons = [...Map.groupBy(failures, ({ message }) => message)].map(
    ([message, ones]) => `${ones.map(({ library }) => libraryName(library)).join(', ')}: ${message}`,
  );
  return `Library installation failed for library due to user error. Error messages: ${reasons.join('; ')}`;
}
