import { test } from 'vitest';
import { lastError, startFuzzedService } from './fuzz-service.ts';
import { adminToken } from './service.ts';
test('x', async () => {
  const s = await startFuzzedService();
  const cases: [any, string, any][] = [
    ['POST', '/api/2.0/jobs/create', '{"description":"a\\u0000b","existing_cluster_id":"c","notebook_task":{"notebook_path":"/a"}}'],
    ['POST', '/api/2.0/jobs/create', '{"x":"\\ud800","existing_cluster_id":"c","notebook_task":{"notebook_path":"/a"}}'],
    ['POST', '/api/2.0/jobs/create', '{"x":{"\\u0000":1},"existing_cluster_id":"c","notebook_task":{"notebook_path":"/a"}}'],
    ['POST', '/api/2.0/jobs/create', `{"x":${'['.repeat(10000)}${']'.repeat(10000)},"existing_cluster_id":"c","notebook_task":{"notebook_path":"/a"}}`],
    ['POST', '/api/2.0/jobs/create', `{"x":${'['.repeat(2000)}${']'.repeat(2000)},"existing_cluster_id":"c","notebook_task":{"notebook_path":"/a"}}`],
    ['POST', '/api/2.0/jobs/create', `{"y":1234567890123456,"x":${'['.repeat(10000)}${']'.repeat(10000)},"existing_cluster_id":"c","notebook_task":{"notebook_path":"/a"}}`],
    ['POST', '/api/2.0/jobs/create', `{"schedule":{"quartz_cron_expression":"0 0 12 * * ?","timezone_id":"UTC","pause_status":${'['.repeat(10000)}${']'.repeat(10000)}},"existing_cluster_id":"c","notebook_task":{"notebook_path":"/a"}}`],
    ['POST', '/api/2.0/jobs/create', `{"x":1e400,"existing_cluster_id":"c","notebook_task":{"notebook_path":"/a"}}`],
    ['GET', '/api/2.0/jobs/list?name=%00', undefined],
    ['GET', '/api/2.0/jobs/list', '{"name":"\\ud800"}'],
    ['GET', '/api/2.0/jobs/runs/list', '{"start_time_from":1e300}'],
    ['GET', '/api/2.0/jobs/runs/list', '{"start_time_from":9e18}'],
    ['GET', '/api/2.0/jobs/runs/list', '{"start_time_to":-1e19}'],
    ['POST', '/api/2.0/jobs/runs/submit', '{"idempotency_token":"a\\u0000","existing_cluster_id":"c","notebook_task":{"notebook_path":"/a"}}'],
    ['POST', '/api/2.0/jobs/create', '{"access_control_list":[{"user_name":"\\u0000","permission_level":"CAN_VIEW"}],"existing_cluster_id":"c","notebook_task":{"notebook_path":"/a"}}'],
    ['POST', '/api/2.0/jobs/create', JSON.stringify({access_control_list: Array.from({length: 20_000}, (_, i) => ({user_name: `u${i}`, permission_level: 'CAN_VIEW'})), existing_cluster_id:"c",notebook_task:{notebook_path:"/a"}})],
    ['POST', '/api/2.0/jobs/create', JSON.stringify({access_control_list: Array.from({length: 150_000}, (_, i) => ({user_name: `u${i}`, permission_level: 'CAN_VIEW'})), existing_cluster_id:"c",notebook_task:{notebook_path:"/a"}})],
    ['GET', '/api/2.0/managed_fs/read', '{"path":"/a","offset":1e300}'],
  ];
  for (const [method, url, payload] of cases) {
    lastError.value = '';
    const t = Date.now();
    let r: any;
    try { r = await s.send({ method, url, payload, headers: { authorization: `Bearer ${adminToken}` } }); r = [r.status, r.body]; } catch (e: any) { r = e.message; }
    console.log(Date.now() - t, method, url, String(payload).slice(0, 60), JSON.stringify(r).slice(0, 200), lastError.value.slice(0, 300));
  }
  await s.close();
});
