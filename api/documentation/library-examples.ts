/** Examples of operations on libraries. */
import type { Example } from './example.ts';

const library = { pypi: { package: 'simplejson==3.19.3' } };
const statuses = {
  cluster_id: '1121-101500-ab3de9x1',
  library_statuses: [{ library, status: 'INSTALLED', messages: [], is_library_for_all_clusters: false }],
};
const request = { cluster_id: '1121-101500-ab3de9x1', libraries: [library] };

export const libraryExamples: Readonly<Record<string, Example>> = {
  'POST /libraries/install': { request, answer: {} },
  'POST /libraries/uninstall': { request, answer: {} },
  'GET /libraries/cluster-status': { request: { cluster_id: '1121-101500-ab3de9x1' }, answer: statuses },
  'GET /libraries/all-cluster-statuses': { request: {}, answer: { statuses: [statuses] } },
};
