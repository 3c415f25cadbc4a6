/** Maven packages of a cluster: resolved together with their runtime dependencies, by Maven or coursier. */
import { join } from 'node:path';
import type { Static } from 'typebox';
import type { MavenLibrary } from '../../engine/job/cluster.ts';
import { writeFileAtomically } from '../process/pinned-command.ts';
import { listFilesBelow, cacheKeyOf } from './library-cache.ts';
import { requireEntry, type InstallTools } from './pin-library.ts';
import { buildOnce, type BuildSpec } from './build-once.ts';

type MavenPackage = Static<typeof MavenLibrary>;

/** Serializes installations, because concurrent ones corrupt the shared local repository. */
let installQueue: Promise<unknown> = Promise.resolve();

/** Returns the JARs of packages and their dependencies. @throws InstallError, InstallStopped */
export async function installMavenPackages(
  tools: InstallTools,
  libraries: readonly MavenPackage[],
): Promise<string[]> {
  const { build, findProgram } = tools;
  const coursier =
    (await findProgram('mvn')) === undefined
      ? ((await findProgram('cs')) ?? (await findProgram('coursier')))
      : undefined;
  const spec =
    coursier === undefined
      ? createMavenBuild(await tools.requireProgram('mvn'), build.root, libraries)
      : createCoursierBuild(coursier, build.root, libraries);
  const installation = installQueue.then(() => buildOnce(build, spec));
  installQueue = installation.catch(() => undefined);
  return (await listFilesBelow(requireEntry(await installation)))
    .filter((file) => file.endsWith('.jar'))
    .toSorted();
}

function createMavenBuild(mvn: string, root: string, libraries: readonly MavenPackage[]): BuildSpec {
  const project = renderPom(libraries);
  return {
    section: 'java',
    key: cacheKeyOf('maven', project),
    async command(draft, workspace) {
      await writeFileAtomically(join(workspace, 'pom.xml'), project, 0o644);
      return [
        mvn,
        '--batch-mode',
        '--no-transfer-progress',
        '-Dstyle.color=never',
        '--file',
        join(workspace, 'pom.xml'),
        `-Dmaven.repo.local=${join(root, 'maven')}`,
        '-DincludeScope=runtime',
        '-Dmdep.prependGroupId=true',
        `-DoutputDirectory=${draft}`,
        'dependency:copy-dependencies',
      ];
    },
  };
}

/** Copies the files whose paths coursier prints, with numbers that keep their order. */
const copyScript = `draft=$1; shift; "$@" > paths || exit; number=1000
while IFS= read -r path; do number=$((number + 1)); cp "$path" "$draft/$number-$(basename "$path")" || exit; done < paths`;

function createCoursierBuild(coursier: string, root: string, libraries: readonly MavenPackage[]): BuildSpec {
  const wanted = libraries.map(({ coordinates, exclusions = [] }) => {
    const { group, artifact, version, classifier, type } = parseCoordinates(coordinates);
    const attributes = [
      ...(classifier === undefined ? [] : [`classifier=${classifier}`]),
      ...(type === undefined ? [] : [`ext=${type}`]),
      ...exclusions.map((exclusion) => `exclude=${exclusion.replace(':', '%')}`),
    ];
    return [`${group}:${artifact}:${version}`, ...attributes].join(',');
  });
  const repos = [...new Set(libraries.flatMap(({ repo }) => repo ?? []))].flatMap((repo) => [
    '--repository',
    repo,
  ]);
  return {
    section: 'java',
    key: cacheKeyOf('coursier', wanted, repos),
    command: async (draft) => [
      '/bin/sh',
      '-c',
      copyScript,
      'fetch',
      draft,
      coursier,
      'fetch',
      '--quiet',
      '--cache',
      join(root, 'coursier'),
      ...repos,
      ...wanted,
    ],
  };
}

interface MavenCoordinates {
  readonly group: string;
  readonly artifact: string;
  readonly version: string;
  readonly classifier: string | undefined;
  readonly type: string | undefined;
}

/** Parses `group:artifact:version[:classifier][@type]`. */
function parseCoordinates(coordinates: string): MavenCoordinates {
  const [release = '', type] = coordinates.split('@');
  const [group = '', artifact = '', version = '', classifier] = release.split(':');
  return { group, artifact, version, classifier, type };
}

/** Renders a project that depends on the packages, for Maven to resolve. */
function renderPom(libraries: readonly MavenPackage[]): string {
  const repos = [...new Set(libraries.flatMap(({ repo }) => repo ?? []))];
  return [
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>',
    '<groupId>runyard</groupId><artifactId>libraries</artifactId><version>1</version><packaging>pom</packaging>',
    // The id is derived from the URL, because Maven caches by repository id.
    `<repositories>${repos.map((repo) => `<repository><id>named-${cacheKeyOf(repo).slice(0, 16)}</id><url>${escapeXml(repo)}</url></repository>`).join('')}</repositories>`,
    `<dependencies>${libraries.map(renderDependency).join('\n')}</dependencies>`,
    '</project>',
  ].join('\n');
}

function renderDependency({ coordinates, exclusions = [] }: MavenPackage): string {
  const { group, artifact, version, classifier, type } = parseCoordinates(coordinates);
  const left = exclusions.map((exclusion) => {
    const [groupId = '', artifactId = ''] = exclusion.split(':');
    return `<exclusion>${renderElement('groupId', groupId)}${renderElement('artifactId', artifactId)}</exclusion>`;
  });
  return [
    '<dependency>',
    renderElement('groupId', group),
    renderElement('artifactId', artifact),
    renderElement('version', version),
    type === undefined ? '' : renderElement('type', type),
    classifier === undefined ? '' : renderElement('classifier', classifier),
    `<exclusions>${left.join('')}</exclusions>`,
    '</dependency>',
  ].join('');
}

function renderElement(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
