/**
 * Maven packages of a cluster: resolved together, by Maven or else by coursier, with everything that they
 * need at run time.
 */
import { join } from 'node:path';
import type { Static } from 'typebox';
import type { MavenLibrary } from '../../engine/job/cluster.ts';
import { writeInOneStep } from '../process/pinned-command.ts';
import { filesBelow, keyOf } from './cache.ts';
import { entryIn, type Toolbox } from './fix-files.ts';
import { makeOnce, type Making } from './make-once.ts';

type Maven = Static<typeof MavenLibrary>;

/**
 * One after the other: two that fill one local repository at a time may each find half of what the other
 * writes.
 */
let turn: Promise<unknown> = Promise.resolve();

/** The JARs of packages and of all that they need. @throws CannotInstall, Stopped */
export async function installJava(tools: Toolbox, libraries: readonly Maven[]): Promise<string[]> {
  const { shop, find } = tools;
  const coursier =
    (await find('mvn')) === undefined ? ((await find('cs')) ?? (await find('coursier'))) : undefined;
  const making =
    coursier === undefined
      ? byMaven(await tools.program('mvn'), shop.root, libraries)
      : byCoursier(coursier, shop.root, libraries);
  const mine = turn.then(() => makeOnce(shop, making));
  turn = mine.catch(() => undefined);
  return (await filesBelow(entryIn(await mine))).filter((file) => file.endsWith('.jar')).toSorted();
}

function byMaven(mvn: string, root: string, libraries: readonly Maven[]): Making {
  const project = projectOf(libraries);
  return {
    part: 'java',
    key: keyOf('maven', project),
    async command(draft, bench) {
      await writeInOneStep(join(bench, 'pom.xml'), project, 0o644);
      return [
        mvn,
        '--batch-mode',
        '--no-transfer-progress',
        '-Dstyle.color=never',
        '--file',
        join(bench, 'pom.xml'),
        `-Dmaven.repo.local=${join(root, 'maven')}`,
        '-DincludeScope=runtime',
        '-Dmdep.prependGroupId=true',
        `-DoutputDirectory=${draft}`,
        'dependency:copy-dependencies',
      ];
    },
  };
}

/** It prints the paths of what it has fetched; their copies are numbered, so that they keep their order. */
const copying = `draft=$1; shift; "$@" > paths || exit; number=1000
while IFS= read -r path; do number=$((number + 1)); cp "$path" "$draft/$number-$(basename "$path")" || exit; done < paths`;

function byCoursier(coursier: string, root: string, libraries: readonly Maven[]): Making {
  const wanted = libraries.map(({ coordinates, exclusions = [] }) => {
    const { group, artifact, version, classifier, type } = partsOf(coordinates);
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
    part: 'java',
    key: keyOf('coursier', wanted, repos),
    command: async (draft) => [
      '/bin/sh',
      '-c',
      copying,
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

interface Parts {
  readonly group: string;
  readonly artifact: string;
  readonly version: string;
  readonly classifier: string | undefined;
  readonly type: string | undefined;
}

/** `group:artifact:version[:classifier][@type]`. */
function partsOf(coordinates: string): Parts {
  const [release = '', type] = coordinates.split('@');
  const [group = '', artifact = '', version = '', classifier] = release.split(':');
  return { group, artifact, version, classifier, type };
}

/** A project that depends on the packages: Maven knows how to resolve one. */
function projectOf(libraries: readonly Maven[]): string {
  const repos = [...new Set(libraries.flatMap(({ repo }) => repo ?? []))];
  return [
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>',
    '<groupId>runyard</groupId><artifactId>libraries</artifactId><version>1</version><packaging>pom</packaging>',
    // Maven takes what it fetched before for that of every repository with the same id.
    `<repositories>${repos.map((repo) => `<repository><id>named-${keyOf(repo).slice(0, 16)}</id><url>${escaped(repo)}</url></repository>`).join('')}</repositories>`,
    `<dependencies>${libraries.map(dependencyOf).join('\n')}</dependencies>`,
    '</project>',
  ].join('\n');
}

function dependencyOf({ coordinates, exclusions = [] }: Maven): string {
  const { group, artifact, version, classifier, type } = partsOf(coordinates);
  const left = exclusions.map((exclusion) => {
    const [groupId = '', artifactId = ''] = exclusion.split(':');
    return `<exclusion>${element('groupId', groupId)}${element('artifactId', artifactId)}</exclusion>`;
  });
  return [
    '<dependency>',
    element('groupId', group),
    element('artifactId', artifact),
    element('version', version),
    type === undefined ? '' : element('type', type),
    classifier === undefined ? '' : element('classifier', classifier),
    `<exclusions>${left.join('')}</exclusions>`,
    '</dependency>',
  ].join('');
}

function element(name: string, text: string): string {
  return `<${name}>${escaped(text)}</${name}>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
