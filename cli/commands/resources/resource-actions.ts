/** Actions on one cluster, pipeline, token, destination or delivery. The module is loaded at every start. */

export interface Action {
  /** Description of the command. */
  readonly help: string;
  readonly method: 'POST' | 'DELETE';
  /** Path for an id. */
  readonly path: (id: string) => string;
  /** Name of the field of the body that holds the id; absent where the path holds it. */
  readonly field?: string;
  /** What is said afterwards. */
  readonly done: (id: string) => string;
  /** What is asked before. */
  readonly question?: (id: string) => string;
}

const inPath =
  (path: string, suffix = '') =>
  (id: string): string =>
    `${path}/${encodeURIComponent(id)}${suffix}`;
const clusterAction = (help: string, verb: string, done: string, question?: string): Action => ({
  help,
  method: 'POST',
  path: () => `/clusters/${verb}`,
  field: 'cluster_id',
  done: (id) => `Cluster ${id} ${done}.`,
  ...(question !== undefined && { question: (id) => `${question} cluster ${id}?` }),
});

/** Command -> action. */
export const actions = {
  'clusters start': clusterAction('start a terminated cluster', 'start', 'is starting'),
  'clusters restart': clusterAction(
    'restart a running cluster',
    'restart',
    'is restarting',
    'Running tasks fail. Restart',
  ),
  'clusters terminate': clusterAction(
    'terminate a cluster; it can be started again',
    'delete',
    'is terminating',
    'Running tasks fail. Terminate',
  ),
  'clusters delete': clusterAction(
    'delete a cluster for good',
    'permanent-delete',
    'is deleted',
    'Running tasks fail. Delete',
  ),
  'pipelines stop': {
    help: 'stop the running update',
    method: 'POST',
    path: inPath('/pipelines', '/stop'),
    done: (id) => `The update of pipeline ${id} is stopping.`,
  },
  'pipelines delete': {
    help: 'delete a pipeline',
    method: 'DELETE',
    path: inPath('/pipelines'),
    done: (id) => `Pipeline ${id} is deleted.`,
    question: (id) => `Delete pipeline ${id} with its tables?`,
  },
  'tokens revoke': {
    help: 'revoke a token',
    method: 'POST',
    path: () => '/token/delete',
    field: 'token_id',
    done: (id) => `Token ${id} is revoked.`,
    question: (id) => `Revoke token ${id}? Its clients lose access at once.`,
  },
  'destinations test': {
    help: 'send a test message',
    method: 'POST',
    path: inPath('/notification-destinations', '/test'),
    done: (id) => `A test message to destination ${id} is sent: runyard deliveries list shows the result.`,
  },
  'destinations delete': {
    help: 'delete a destination',
    method: 'DELETE',
    path: inPath('/notification-destinations'),
    done: (id) => `Destination ${id} is deleted.`,
    question: (id) => `Delete destination ${id}? Jobs that name it send nothing there.`,
  },
  'deliveries redeliver': {
    help: 'send a notification again',
    method: 'POST',
    path: inPath('/notifications/deliveries', '/redeliver'),
    done: (id) => `Delivery ${id} is sent again.`,
  },
} satisfies Readonly<Record<string, Action>>;

export type ActionName = keyof typeof actions;

/** Resource -> path of the document of an id. */
export const documentPaths = {
  clusters: (id: string) => `/clusters/get?cluster_id=${encodeURIComponent(id)}`,
  pipelines: inPath('/pipelines'),
  destinations: inPath('/notification-destinations'),
} as const;
