/** Rules of the Spark of a cluster: sessions, properties, variables, and causes of failures. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeTypes } from '../../../../engine/cluster/node-types.ts';
import { newestApplicationId } from '../../../../engine/run/spark-application.ts';
import { userFramesOf } from '../../../../engine/run/explain/stack-frames.ts';
import { connectUserOf, remoteUrlOf } from '../../../../runners/spark/connect-session.ts';
import { findFailure } from '../../../../runners/python/python.ts';
import { rootCauseIn } from '../../../../runners/spark/root-cause.ts';
import { sessionModeOf } from '../../../../runners/spark/session-mode.ts';
import { pinDriver } from '../../../../runners/spark/pinned-driver.ts';
import {
  ownDriverOptions,
  ownDriverVariables,
  sparkVariables,
} from '../../../../runners/spark/spark-environment.ts';
import { clusterProperties, renderSparkDefaults } from '../../../../runners/spark/spark-properties.ts';

test.each<[string | undefined, 'auto' | 'connect' | 'classic', 'spark' | 'duckdb', string]>([
  ['print(1)', 'auto', 'spark', 'none'],
  ['# a sparkling program', 'auto', 'spark', 'none'],
  ['spark.range(1)', 'auto', 'spark', 'shared'],
  ['from pyspark.sql import SparkSession', 'auto', 'spark', 'shared'],
  ['# MAGIC %sql\n# MAGIC select 1', 'auto', 'spark', 'shared'],
  ['# MAGIC %sql\n# MAGIC select 1', 'auto', 'duckdb', 'none'],
  ['%run ./other', 'auto', 'spark', 'shared'],
  ['spark.sparkContext.parallelize([])', 'auto', 'spark', 'own'],
  ['sc.textFile("x")', 'auto', 'spark', 'own'],
  ['df.rdd.collect()  # spark', 'auto', 'spark', 'own'],
  ['SparkSession.builder.master("local[2]")  # pyspark', 'auto', 'spark', 'own'],
  ['disc.x; spark.range(1)', 'auto', 'spark', 'shared'],
  ['spark.sparkContext', 'connect', 'spark', 'shared'],
  ['spark.range(1)', 'classic', 'spark', 'own'],
  [undefined, 'auto', 'spark', 'shared'],
])('a program %j with the session %s and SQL in %s reaches Spark by: %s', (source, session, sql, mode) => {
  expect(sessionModeOf(source, session, sql)).toBe(mode);
});

const sparkCompute = {
  provider: 'spark',
  master: 'spark://h:1',
  runtime: { pyspark: '4.3.0' },
  session: 'auto',
  sql: 'spark',
  conf: {},
  autoscale: undefined,
} as const;
const sparkFacts = {
  name: 'n',
  nodeType: nodeTypes['standard-4'],
  workers: 3,
  classPath: ['/a.jar', '/b.jar'],
  pythonPath: ['/p'],
  python: '/usr/bin/python3',
  managedFs: '/m',
  pagesSecret: undefined,
} as const;

describe('properties', () => {
  const cluster = { ...sparkFacts, compute: sparkCompute };
  const sizes = (changes: object, conf: Record<string, string> = {}): Record<string, string> =>
    Object.fromEntries(
      [...clusterProperties({ ...cluster, compute: { ...cluster.compute, ...changes, conf } })].filter(
        ([name]) => /memory|cores|nstances|dynamicAllocation|xecutors/.test(name),
      ),
    );
  const executor = {
    'spark.driver.memory': '4096m',
    'spark.executor.cores': '4',
    'spark.executor.memory': '12288m',
  };
  const range = { min_workers: 0, max_workers: 5 };

  test.each<[string, object, object]>([
    ['a local master has only a driver', { master: 'local[2]' }, { 'spark.driver.memory': '4096m' }],
    ['a standalone master limits the cores', {}, { ...executor, 'spark.cores.max': '12' }],
    ['YARN starts the workers', { master: 'yarn' }, { ...executor, 'spark.executor.instances': '3' }],
    [
      'autoscale is dynamic allocation',
      { autoscale: range },
      {
        ...executor,
        'spark.cores.max': '20',
        'spark.dynamicAllocation.enabled': 'true',
        'spark.dynamicAllocation.shuffleTracking.enabled': 'true',
        'spark.dynamicAllocation.minExecutors': '1',
        'spark.dynamicAllocation.initialExecutors': '1',
        'spark.dynamicAllocation.maxExecutors': '5',
      },
    ],
  ])('%s', (_fact, changes, expected) => {
    expect(sizes(changes)).toEqual(expected);
  });

  test('spark_conf overrides the size, and libraries are JARs and import directories', () => {
    expect(sizes({}, { 'spark.executor.memory': '1g' })).toMatchObject({ 'spark.executor.memory': '1g' });
    expect(Object.fromEntries(clusterProperties(cluster))).toMatchObject({
      'spark.jars': 'file:///a.jar,file:///b.jar',
      'spark.executorEnv.PYTHONPATH': '/p',
      'spark.sql.warehouse.dir': 'file:///m/user/hive/warehouse',
      'spark.ui.enabled': 'false',
    });
    expect(renderSparkDefaults(new Map([['a', 'b\nspark.evil c']]))).toBe('a b spark.evil c\n');
  });
});

test('an attempt keeps its driver and its session, whose id cannot be derived', async () => {
  const attempt = await mkdtemp(join(tmpdir(), 'runyard-attempt-'));
  const driver = { directory: '/d', port: 5, token: 't', applicationId: 'local-1' };
  const pinned = await pinDriver(attempt, driver);
  expect(pinned?.sessionId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(await pinDriver(attempt, { ...driver, port: 6 })).toEqual(pinned);
  await rm(join(attempt, 'spark-driver.json'));
  expect((await pinDriver(attempt, driver))?.sessionId).not.toBe(pinned?.sessionId);
  await rm(attempt, { recursive: true });
  expect(remoteUrlOf(driver, { sessionId: 'x', userId: connectUserOf(7) })).toBe(
    'sc://localhost:5/;token=t;user_id=run-7;session_id=x',
  );
});

test('a driver of a task gets the place of its event log and the port of its pages', () => {
  const variables = ownDriverVariables({ directory: '/a', temporary: '/a/tmp', pagesPort: 4040 });
  const options = ['--conf', 'spark.eventLog.dir=file:///a/spark-events', '--conf', 'spark.ui.port=4040'];
  expect(variables['PYSPARK_SUBMIT_ARGS']).toBe(`${options.join(' ')} pyspark-shell`);
  expect(ownDriverOptions(variables)).toEqual(options);
  expect(ownDriverOptions({})).toEqual([]);
});

test.each<[string, string | undefined, object]>([
  ['spark://h:1', undefined, { 'spark.ui.enabled': 'false' }],
  ['local[2]', undefined, {}],
  [
    'spark://h:1',
    's',
    {
      'spark.ui.filters': 'org.apache.spark.ui.JWSFilter',
      'spark.org.apache.spark.ui.JWSFilter.param.secretKey': 's',
    },
  ],
])('pages of Spark with the master %s and the secret %s have %j', (master, pagesSecret, expected) => {
  const compute = { ...sparkCompute, master };
  const properties = clusterProperties({ ...sparkFacts, compute, pagesSecret });
  const pages = [...properties].filter(([name]) => /ui\.(?:enabled|filters|JWSFilter)/.test(name));
  expect(Object.fromEntries(pages)).toEqual(expected);
});

test.each<[string, string | undefined]>([
  ['local[2]', '127.0.0.1'],
  ['spark://127.0.0.1:7077', '127.0.0.1'],
  ['spark://host:7077', undefined],
  ['yarn', undefined],
])('with the master %s the processes listen on %s', (master, address) => {
  const spark = { home: '/s', confDirectory: '/c', pythonPath: ['/p'], python: '/py', master };
  const variables = sparkVariables(
    { ...spark, stores: {}, sql: 'spark', driver: undefined },
    { PATH: '/bin', PYTHONPATH: '/libs' },
  );
  expect(variables).toMatchObject({
    SPARK_HOME: '/s',
    SPARK_CONF_DIR: '/c',
    PATH: '/bin:/s/bin',
    PYTHONPATH: expect.stringMatching('^/libs:/p:/'),
  });
  expect(variables['SPARK_LOCAL_IP']).toBe(address);
});

test.each<[string, string, string | undefined]>([
  [
    'the innermost cause is that of the program',
    'Exception in thread "main" java.lang.RuntimeException: wrapped\n\tat Main.main(Main.java:3)\nCaused by: java.lang.IllegalStateException: reason\n\tat Main.go(Main.java:9)\n\t... 3 more\n',
    'java.lang.IllegalStateException: reason',
  ],
  [
    'a wrapper of Spark is left out',
    'Caused by: java.lang.ArithmeticException: / by zero\nCaused by: java.util.concurrent.ExecutionException: x\n',
    'java.lang.ArithmeticException: / by zero',
  ],
  [
    'the error of a Python function is preferred',
    'Caused by: org.apache.spark.api.python.PythonException: Traceback (most recent call last):\n  File "x.py", line 1, in f\nValueError: bad row\n\n\tat org.apache.spark.x.Y(Z.scala:1)\njava.lang.Error: x\n',
    'ValueError: bad row',
  ],
  ['a log without a trace has no cause', 'INFO all is well\n', undefined],
])('%s', (_fact, log, error) => {
  expect(rootCauseIn(log)?.error).toBe(error);
});

test.each<[string, string]>([
  [
    'Traceback (most recent call last):\n  File "/t/a.py", line 3, in <module>\n    df.collect()\npy4j.protocol.Py4JJavaError: An error occurred while calling o45.collect.\n: org.apache.spark.SparkException: Job aborted due to stage failure: x\n\tat org.apache.spark.A.b(C.scala:1)\nCaused by: java.lang.IllegalStateException: bad row\n\tat Main.go(Main.java:9)\n',
    'java.lang.IllegalStateException: bad row',
  ],
  [
    'Traceback (most recent call last):\n  File "/t/a.py", line 3, in <module>\n    df.collect()\npyspark.errors.exceptions.connect.AnalysisException: [TABLE_OR_VIEW_NOT_FOUND] x\n',
    'pyspark.errors.exceptions.connect.AnalysisException: [TABLE_OR_VIEW_NOT_FOUND] x',
  ],
  [
    'Traceback (most recent call last):\n  File "/t/a.py", line 3, in <module>\n    df.collect()\npyspark.errors.exceptions.connect.PythonException: \n  An exception was thrown from the Python worker. Please see the stack trace below.\nTraceback (most recent call last):\n  File "/t/a.py", line 2, in parse\nValueError: bad row\n',
    'ValueError: bad row',
  ],
  [
    'Traceback (most recent call last):\n  File "/t/a.py", line 5, in <module>\n    df.collect()\npyspark.errors.exceptions.connect.PythonException: \n  An exception was thrown from the Python worker. Please see the stack trace below.\n[PYTHON_EXCEPTION] An exception was thrown from the Python worker: Traceback (most recent call last):\n  File "/t/a.py", line 4, in parse\n    return int("x")\n           ^^^^\nValueError: invalid literal\n SQLSTATE: 38000\n',
    'ValueError: invalid literal',
  ],
  [
    'Traceback (most recent call last):\n  File "/s/py4j/clientserver.py", line 540, in send_command\npy4j.protocol.Py4JNetworkError: Answer from Java side is empty\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File "/t/a.py", line 3, in <module>\nConnectionRefusedError: [Errno 111] Connection refused\n',
    'py4j.protocol.Py4JNetworkError: Answer from Java side is empty',
  ],
])('the error of a Python program with the output %j is %s', (stderr, error) => {
  expect(findFailure(stderr)?.error).toBe(error);
});

test('the place of a Java failure is in the innermost cause that has a frame of the user', () => {
  const trace =
    'java.lang.RuntimeException: wrapped\n\tat app.Main.main(Main.java:3)\n\tat org.apache.spark.A.b(C.scala:1)\nCaused by: java.lang.IllegalStateException: reason\n\tat app.Load.read(Load.java:9)\n\tat app.Load.run(Load.java:5)\nCaused by: java.io.IOException: x\n\tat java.base/java.io.F.g(F.java:7)\n';
  expect(userFramesOf(trace).at).toEqual({ file: 'Load.java', line: 9 });
});

test.each<[readonly string[], string | undefined]>([
  [[], undefined],
  [['local-17.inprogress'], 'local-17'],
  [['app-20260101-0001.zstd', '.app-20260101-0001.crc'], 'app-20260101-0001'],
])('the event logs %j belong to %s', (names, id) => {
  expect(newestApplicationId(names)).toBe(id);
});
