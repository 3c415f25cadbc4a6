/** Where the service is, as links, clients and tasks name it. */

export interface Site {
  /** Without a slash at the end. A function, because a port that the system picks is known only later. */
  publicUrl(): string;
  /** Decimal digits. */
  readonly workspaceId: string;
}
