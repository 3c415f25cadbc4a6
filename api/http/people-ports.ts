/** Ports of the operations on people, tokens and the audit log (types only). */
import type { Grantee } from '../../engine/job/permissions.ts';
import type { AuditFilter, StoredAuditEvent } from '../../engine/token/audit.ts';
import type { NewPerson, Person, PersonChange, PersonFilter, PersonKind } from '../../engine/token/person.ts';
import type { WorkspaceConf } from '../../engine/token/workspace-conf.ts';

/** Stored users and service principals. */
export interface PersonStore {
  /** @throws ServiceError RESOURCE_ALREADY_EXISTS for a taken name */
  create(person: NewPerson, now: number): Promise<Person>;
  find(kind: PersonKind, id: number): Promise<Person | undefined>;
  named(userName: string): Promise<Person | undefined>;
  /** Lists people by id, with the total count. */
  list(
    kind: PersonKind,
    filter: PersonFilter | undefined,
    offset: number,
    limit: number,
  ): Promise<{ readonly people: readonly Person[]; readonly total: number }>;
  /**
   * Changes a person; undefined when the person does not exist.
   * @throws ServiceError INVALID_STATE when no active administrator would remain
   */
  change(
    kind: PersonKind,
    id: number,
    change: (before: Person) => PersonChange,
  ): Promise<{ readonly before: Person; readonly after: Person } | undefined>;
  /**
   * Removes a person with all tokens and permissions in one transaction; false when the person does not
   * exist.
   * @throws ServiceError INVALID_STATE when no active administrator would remain
   */
  remove(kind: PersonKind, id: number, now: number): Promise<boolean>;
}

/** Settings of administrators for all tokens. */
export interface TokenRules {
  conf(): Promise<WorkspaceConf>;
  /** Changes settings and returns the previous ones. */
  changeConf(change: Partial<WorkspaceConf>): Promise<WorkspaceConf>;
  /** Lists the grantees that may create and use tokens, without administrators. */
  users(): Promise<readonly Grantee[]>;
  /** @throws ServiceError for an unknown grantee */
  changeUsers(
    change: (current: readonly Grantee[]) => readonly Grantee[],
  ): Promise<{ readonly before: readonly Grantee[]; readonly after: readonly Grantee[] }>;
}

export interface PeoplePorts {
  readonly people: PersonStore;
  readonly tokenRules: TokenRules;
  /** Lists audit events, newest first, including unflushed events of this engine. */
  readonly auditEvents: (filter: AuditFilter) => Promise<readonly StoredAuditEvent[]>;
}
