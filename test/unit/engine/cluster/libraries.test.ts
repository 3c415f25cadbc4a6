/** Identity, conflicts and validation of libraries. */
import { expect, test } from 'vitest';
import {
  checkPackage,
  findLibraryConflict,
  installationFailedMessage,
  libraryKey,
  libraryName,
} from '../../../../engine/cluster/libraries.ts';
import type { Library } from '../../../../engine/job/cluster.ts';

test.each<[string, Library, Library]>([
  ['the alias of a URI scheme', { jar: 'dbfs:/a.jar' }, { jar: 'managed_fs:/a.jar' }],
  ['a mount point', { whl: '/Volumes/a/b.whl' }, { whl: 'managed_fs:/Volumes/a/b.whl' }],
  [
    'blanks and case of a package',
    { pypi: { package: 'Six == 1.16.0' } },
    { pypi: { package: 'six==1.16.0' } },
  ],
  [
    'the order of exclusions',
    { maven: { coordinates: 'a:b:1', exclusions: ['c:d', 'e:f'] } },
    { maven: { coordinates: 'a:b:1', exclusions: ['e:f', 'c:d'] } },
  ],
])('%s does not change the identity of a library', (_fact, one, other) =>
  expect(libraryKey(one)).toBe(libraryKey(other)),
);

test.each<[string, Library, Library]>([
  ['a repository', { pypi: { package: 'six' } }, { pypi: { package: 'six', repo: 'https://a' } }],
  ['a version', { pypi: { package: 'six==1' } }, { pypi: { package: 'six==2' } }],
  ['the kind', { jar: 'a' }, { egg: 'a' }],
  [
    'an exclusion',
    { maven: { coordinates: 'a:b:1' } },
    { maven: { coordinates: 'a:b:1', exclusions: ['c:d'] } },
  ],
])('%s changes the identity of a library', (_fact, one, other) =>
  expect(libraryKey(one)).not.toBe(libraryKey(other)),
);

test.each<[string, readonly Library[], string | undefined]>([
  [
    'two exact versions of a package conflict',
    [{ pypi: { package: 'my_pkg==1' } }, { pypi: { package: 'My.Pkg[x]===2' } }],
    'pypi my_pkg==1 and pypi My.Pkg[x]===2 are two versions of the same package; a cluster can have only one of them.',
  ],
  [
    'a package and a wheel of another version conflict',
    [{ pypi: { package: 'my-pkg==1.0' } }, { whl: 'managed_fs:/x/my_pkg-2.0-py3-none-any.whl' }],
    'pypi my-pkg==1.0 and whl managed_fs:/x/my_pkg-2.0-py3-none-any.whl are two versions of the same package; a cluster can have only one of them.',
  ],
  [
    'two versions of an artifact conflict',
    [{ maven: { coordinates: 'g:a:1' } }, { maven: { coordinates: 'g:a:2' } }],
    'maven g:a:1 and maven g:a:2 are two versions of the same package; a cluster can have only one of them.',
  ],
  [
    'the same version twice does not conflict',
    [{ pypi: { package: 'a==1.0' } }, { whl: 'a-1.0-py3-none-any.whl' }],
    undefined,
  ],
  [
    'a version range and a version do not conflict',
    [{ pypi: { package: 'a>=1' } }, { pypi: { package: 'a==2' } }],
    undefined,
  ],
  [
    'an artifact and its classifier do not conflict',
    [{ maven: { coordinates: 'g:a:1' } }, { maven: { coordinates: 'g:a:2:tests' } }],
    undefined,
  ],
  [
    'packages of different languages do not conflict',
    [{ pypi: { package: 'a==1' } }, { maven: { coordinates: 'x:a:2' } }, { jar: 'a-3.jar' }],
    undefined,
  ],
])('%s', (_fact, libraries, message) => expect(findLibraryConflict(libraries)?.message).toBe(message));

test.each<[Library, string]>([
  [{ pypi: { package: '-r requirements.txt' } }, 'pypi.package'],
  [{ pypi: { package: 'a --index-url http://x' } }, 'pypi.package'],
  [{ pypi: { package: 'git+https://x/y' } }, 'pypi.package'],
  [{ pypi: { package: './a' } }, 'pypi.package'],
  [{ pypi: { package: 'a\n--pre' } }, 'pypi.package'],
  [{ pypi: { package: 'a', repo: '--pre' } }, 'repo'],
  [{ maven: { coordinates: 'a:b:1</x>' } }, 'maven.coordinates'],
  [{ maven: { coordinates: 'a:b:${user.home}' } }, 'maven.coordinates'],
  [{ maven: { coordinates: 'a:b:1', repo: 'https://x"><y' } }, 'repo'],
  [{ cran: { package: 'a, b' } }, 'cran.package'],
])('%j is refused', (library, field) => expect(() => checkPackage(library)).toThrow(`${field} is `));

test.each<Library>([
  { pypi: { package: 'simplejson' } },
  { pypi: { package: 'A.b-c_d[x,y] >= 1.0, != 1.5.*, < 2' } },
  { pypi: { package: 'a==1!2.0+local.1', repo: 'https://user:pass@host/simple' } },
  { pypi: { package: 'a~=1.4.2' } },
  { maven: { coordinates: 'org.jsoup:jsoup:1.7.2' } },
  { maven: { coordinates: 'a:b:[1.0,2.0)', exclusions: ['*:*'] } },
  { maven: { coordinates: 'a:b:1:linux@so' } },
  { cran: { package: 'data.table' } },
  { jar: 'x' },
])('%j is accepted', (library) => expect(() => checkPackage(library)).not.toThrow());

test('the message of failed libraries has the prefix that clients match and names each library', () => {
  const failures = [
    { library: { jar: 'a.jar' }, message: 'missing.' },
    { library: { cran: { package: 'ada' } }, message: 'no R.' },
    { library: { cran: { package: 'bit' } }, message: 'no R.' },
  ];
  expect(installationFailedMessage(failures)).toBe(
    'Library installation failed for library due to user error. Error messages: jar a.jar: missing.; cran ada, cran bit: no R.',
  );
  expect(libraryName({ maven: { coordinates: 'a:b:1' } })).toBe('maven a:b:1');
});
