/** What the operations on people, their tokens and the audit log ask of the world: types only. */
import type { Grantee } from '../../engine/job/permissions.ts';
import type { AuditFilter, StoredAuditEvent } from '../../engine/token/audit.ts';
import type { NewPerson, Person, PersonChange, PersonFilter, PersonKind } from '../../engine/token/person.ts';
import type { WorkspaceConf } from '../../engine/token/workspace-conf.ts';

/** People and service principals. */
export interface PersonStore {
  /** @throws ServiceError RESOURCE_ALREADY_EXISTS when the name is taken */
  create(person: NewPerson, now: number): Promise<Person>;
  find(kind: PersonKind, id: number): Promise<Person | undefined>;
  named(userName: string): Promise<Person | undefined>;
  /** By id, with how many there are in all. */
  list(
    kind: PersonKind,
    filter: PersonFilter | undefined,
    offset: number,
    limit: number,
  ): Promise<{ readonly people: readonly Person[]; readonly total: number }>;
  /**
   * Undefined when there is no such person. @throws ServiceError INVALID_STATE when nobody would administrate
   * any more
   */
  change(
    kind: PersonKind,
    id: number,
    change: (before: Person) => PersonChange,
  ): Promise<{ readonly before: Person; readonly after: Person } | undefined>;
  /**
   * With tokens and permissions, at once; false when there is no such person. @throws ServiceError as for
   * `change`
   */
  remove(kind: PersonKind, id: number, now: number): Promise<boolean>;
}

/** What administrators have set for all tokens. */
export interface TokenRules {
  conf(): Promise<WorkspaceConf>;
  /** Returns what it was before. */
  changeConf(change: Partial<WorkspaceConf>): Promise<WorkspaceConf>;
  /** Who may make and use tokens, beside administrators. */
  users(): Promise<readonly Grantee[]>;
  /** @throws ServiceError for somebody who is not known */
  changeUsers(
    change: (current: readonly Grantee[]) => readonly Grantee[],
  ): Promise<{ readonly before: readonly Grantee[]; readonly after: readonly Grantee[] }>;
}

export interface PeoplePorts {
  readonly people: PersonStore;
  readonly tokenRules: TokenRules;
  /** Newest first, with all that this engine has recorded. */
  readonly auditEvents: (filter: AuditFilter) => Promise<readonly StoredAuditEvent[]>;
}
