/** Explanations of the rounds before a repair, with their cause codes. */

export const explanationsOfRounds: readonly string[] = [
  // Nullable: the version before neither writes nor reads it, and most rounds before it have none.
  `alter table repairs add column ended_explanation jsonb`,
];
