/** Where the service is, as links, clients and tasks name it. */

export interface WorkspaceInfo {
  /** Without a slash at the end. A function, because a port that the system picks is known only later. */
  publicUrl(): string;
  /** Decimal digits. */
  readonly workspaceId: string;
}

/** The page of a run or task run in the console. One-time runs have a job, too, and so the same form. */
export function runPageUrl(site: WorkspaceInfo, jobId: number, runId: number): string {
  return `${site.publicUrl()}/?o=${site.workspaceId}#job/${jobId}/run/${runId}`;
}
