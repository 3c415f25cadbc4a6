/** Maven packages of a cluster: resolved together by Maven, with everything that they need at run time. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MavenLibrary } from '../../engine/job/cluster.ts';
import { filesBelow, keyOf } from './cache.ts';
import { entryIn, type Toolbox } from './fix-files.ts';
import { makeOnce } from './make-once.ts';
import type { Static } from 'typebox';

type Maven = Static<typeof MavenLibrary>;

/** One after the other: two that fill one local repository at a time may each find half of what the other writes. */
let turn: Promise<unknown> = Promise.resolve();

/** The JARs of packages and of all that they need. @throws CannotInstall, Stopped */
export async function installJava({ shop, program }: Toolbox, libraries: readonly Maven[]): Promise<string[]> {
  const mvn = await program('mvn');
  const project = projectOf(libraries);
  const mine = turn.then(() => makeOnce(shop, {
    part: 'java', key: keyOf('maven', project),
    async command(draft, bench) {
      await writeFile(join(bench, 'pom.xml'), project);
      return [
        mvn, '--batch-mode', '--no-transfer-progress', '-Dstyle.color=never', '--file', join(bench, 'pom.xml'), `-Dmaven.repo.local=${join(shop.root, 'maven')}`,
        '-DincludeScope=runtime', '-Dmdep.prependGroupId=true', `-DoutputDirectory=${draft}`, 'dependency:copy-dependencies',
      ];
    },
  }));
  turn = mine.catch(() => undefined);
  return (await filesBelow(entryIn(await mine))).filter((file) => file.endsWith('.jar')).toSorted();
}

/** A project that depends on the packages: Maven knows how to resolve one. */
function projectOf(libraries: readonly Maven[]): string {
  const repos = [...new Set(libraries.flatMap(({ repo }) => repo ?? []))];
  return [
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>',
    '<groupId>runyard</groupId><artifactId>libraries</artifactId><version>1</version><packaging>pom</packaging>',
    `<repositories>${repos.map((repo, index) => `<repository><id>named-${index}</id><url>${escaped(repo)}</url></repository>`).join('')}</repositories>`,
    `<dependencies>${libraries.map(dependencyOf).join('\n')}</dependencies>`,
    '</project>',
  ].join('\n');
}

function dependencyOf({ coordinates, exclusions = [] }: Maven): string {
  const [release = '', type] = coordinates.split('@');
  const [group = '', artifact = '', version = '', classifier] = release.split(':');
  const left = exclusions.map((exclusion) => {
    const [groupId = '', artifactId = ''] = exclusion.split(':');
    return `<exclusion>${element('groupId', groupId)}${element('artifactId', artifactId)}</exclusion>`;
  });
  return [
    '<dependency>', element('groupId', group), element('artifactId', artifact), element('version', version),
    type === undefined ? '' : element('type', type), classifier === undefined ? '' : element('classifier', classifier),
    `<exclusions>${left.join('')}</exclusions>`, '</dependency>',
  ].join('');
}

function element(name: string, text: string): string {
  return `<${name}>${escaped(text)}</${name}>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
