/** GET /metrics: metrics of the service in the text format of Prometheus. */
import type { FastifyInstance } from 'fastify';
import { Counter, Gauge, Registry } from 'prom-client';
import { causeCodes } from '../../engine/run/explain/explanation.ts';

export interface MetricsPorts {
  /** Returns the number of statements sent to the database since the start. */
  databaseQueries(): number;
  activeRuns(): number | Promise<number>;
  /** Returns the number of failed runs since the start, by cause code. */
  failures?(): ReadonlyMap<string, number>;
}

/** Adds `/metrics`. It needs a token unless `open`. */
export function addMetricsRoute(app: FastifyInstance, ports: MetricsPorts, open: boolean): void {
  const registry = createRegistry(ports);
  app.get('/metrics', { config: { open } }, async (_request, reply) => {
    reply.type(registry.contentType);
    return registry.metrics();
  });
}

/**
 * Creates the metrics; values are read on request. The default metrics of the library are not used because
 * their event-loop timer would keep an idle service busy.
 */
function createRegistry(ports: MetricsPorts): Registry {
  const registry = new Registry();
  addCounter(registry, 'runyard_database_queries_total', 'Statements sent to the database.', () =>
    ports.databaseQueries(),
  );
  addGauge(registry, 'runyard_active_runs', 'Runs that are queued, pending, running or terminating.', () =>
    ports.activeRuns(),
  );
  registry.registerMetric(
    new Counter({
      name: 'runyard_run_failures_total',
      help: 'Runs that did not succeed, by the stable code of their cause.',
      labelNames: ['cause_code'],
      registers: [],
      collect() {
        this.reset();
        for (const code of causeCodes) this.inc({ cause_code: code }, ports.failures?.().get(code) ?? 0);
      },
    }),
  );
  addCounter(registry, 'process_cpu_seconds_total', 'Processor time used, in seconds.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  addGauge(registry, 'process_resident_memory_bytes', 'Resident memory in bytes.', () =>
    process.memoryUsage.rss(),
  );
  addGauge(registry, 'process_uptime_seconds', 'Time since the start of the process, in seconds.', () =>
    process.uptime(),
  );
  addGauge(
    registry,
    'nodejs_heap_used_bytes',
    'Used part of the JavaScript heap in bytes.',
    () => process.memoryUsage().heapUsed,
  );
  return registry;
}

function addGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => number | Promise<number>,
): void {
  registry.registerMetric(
    new Gauge({
      name,
      help,
      registers: [],
      async collect() {
        this.set(await read());
      },
    }),
  );
}

function addCounter(registry: Registry, name: string, help: string, read: () => number): void {
  registry.registerMetric(
    new Counter({
      name,
      help,
      registers: [],
      collect() {
        this.reset();
        this.inc(read());
      },
    }),
  );
}
