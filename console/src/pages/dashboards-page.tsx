/** The place of dashboards: no menu leads here as long as there are none. */
import { useTitle } from '../parts/use-title.ts';

export function DashboardsPage() {
  useTitle('Dashboards');
  return <><h1>Dashboards</h1><p className="empty">This version shows no dashboards.</p></>;
}
