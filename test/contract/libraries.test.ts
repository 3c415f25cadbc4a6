/** Fields of libraries (spec 2.8). */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { defaultInventory } from '../../engine/cluster/inventory.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import {
  notList,
  notText,
  assertFieldRow,
  jobLocation,
  taskLocation,
  type FieldRow,
  type SettingsLocation,
} from './field-rows.ts';

let runyard: TestService;

beforeAll(async () => {
  runyard = await startTestService({
    clusters: {
      ...defaultInventory,
      pools: { pool: {} },
      policies: { policy: { node_type_id: 'standard-4' } },
    },
  });
});

afterAll(() => runyard.stop());

const library = (entry: object) => ({ libraries: [entry] });

const wheelRule = 'the file must be named name-version-python-abi-platform.whl, or end in .wheelhouse.zip.';

const text = (field: string): [object, string] => [
  library({ [field]: 1 }),
  `Could not parse request object: Expected string for field <at>libraries[0].${field}, found NUMBER`,
];

const missing = (kind: string, field: string): [object, string] => [
  library({ [kind]: {} }),
  `Missing required field: <at>libraries[0].${kind}.${field}.`,
];

const libraryRows: readonly FieldRow[] = [
  {
    field: 'Library.jar',
    accepts: [library({ jar: 'managed_fs:/a.jar' }), library({ jar: 'objstore://b/a.jar' })],
    rejects: [text('jar')],
  },
  { field: 'Library.egg', accepts: [library({ egg: 'managed_fs:/a.egg' })], rejects: [text('egg')] },
  {
    field: 'Library.whl',
    accepts: [
      library({ whl: 'managed_fs:/pkg-1.0-py3-none-any.whl' }),
      library({ whl: 'objstore://b/all.wheelhouse.zip' }),
    ],
    rejects: [
      [
        library({ whl: 'managed_fs:/pkg.whl' }),
        `<at>libraries[0].whl is "managed_fs:/pkg.whl"; ${wheelRule}`,
      ],
      [library({ whl: 'all.zip' }), `<at>libraries[0].whl is "all.zip"; ${wheelRule}`],
    ],
  },
  {
    field: 'PythonPyPiLibrary.package',
    accepts: [library({ pypi: { package: 'simplejson==3.8.0' } })],
    rejects: [missing('pypi', 'package')],
  },
  {
    field: 'PythonPyPiLibrary.repo',
    accepts: [library({ pypi: { package: 'a', repo: 'https://index' } })],
    rejects: [[library({ pypi: { package: 'a', repo: 1 } }), notText('libraries[0].pypi.repo')]],
  },
  {
    field: 'MavenLibrary.coordinates',
    accepts: [library({ maven: { coordinates: 'org.jsoup:jsoup:1.7.2' } })],
    rejects: [missing('maven', 'coordinates')],
  },
  {
    field: 'MavenLibrary.repo',
    accepts: [library({ maven: { coordinates: 'a:b:1', repo: 'r' } })],
    rejects: [[library({ maven: { coordinates: 'a', repo: 1 } }), notText('libraries[0].maven.repo')]],
  },
  {
    field: 'MavenLibrary.exclusions',
    accepts: [library({ maven: { coordinates: 'a:b:1', exclusions: ['c:d'] } })],
    rejects: [
      [library({ maven: { coordinates: 'a', exclusions: 'c' } }), notList('libraries[0].maven.exclusions')],
    ],
  },
  {
    field: 'RCranLibrary.package',
    accepts: [library({ cran: { package: 'ada' } })],
    rejects: [missing('cran', 'package')],
  },
  {
    field: 'RCranLibrary.repo',
    accepts: [library({ cran: { package: 'ada', repo: 'r' } })],
    rejects: [[library({ cran: { package: 'ada', repo: 1 } }), notText('libraries[0].cran.repo')]],
  },
];

describe.each<[string, SettingsLocation]>([
  ['a job', jobLocation],
  ['a task', taskLocation],
])('a library of %s', (_name, place) => {
  test.each(libraryRows)('spec 2.8 $field', (row) => assertFieldRow(runyard, row, place));
});
