/** Address and id of the workspace, for links, clients and tasks. */

export interface WorkspaceInfo {
  /**
   * Returns the URL without a trailing slash. A port that the system chooses is known only after the start.
   */
  publicUrl(): string;
  /** Decimal digits. */
  readonly workspaceId: string;
}

/** Returns the URL of the page of a run or task run in the console. */
export function runPageUrl(workspace: WorkspaceInfo, jobId: number, runId: number): string {
  return `${workspace.publicUrl()}/?o=${workspace.workspaceId}#job/${jobId}/run/${runId}`;
}
