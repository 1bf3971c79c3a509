import type { Instant } from "./instant.ts";

/** New values of some fields; a missing one stays unchanged. */
export type Change<Thing, Field extends keyof Thing> = {
  readonly [Name in Field]?: Thing[Name] | undefined;
};

/** A new thing of which some fields are needed, and the others have defaults. */
export type Proposal<Thing, Needed extends keyof Thing> = Pick<Thing, Needed> &
  Change<Thing, Exclude<keyof Thing, Needed>>;

/**
 * Applies a change of some fields: missing fields stay unchanged. Also returns the names of the changed fields; `at`
 * applies only where there are any.
 */
export const patched = <Thing extends { readonly updatedAt: Instant }, Field extends keyof Thing & string>(
  before: Thing,
  change: Change<Thing, Field>,
  fields: readonly Field[],
  at: Instant,
): { readonly after: Thing; readonly changed: readonly Field[] } => {
  const changed = fields.filter(
    (field) => change[field] !== undefined && JSON.stringify(change[field]) !== JSON.stringify(before[field]),
  );
  if (changed.length === 0) return { after: before, changed };
  const others = Object.fromEntries(changed.map((field) => [field, change[field]]));
  return { after: { ...before, ...others, updatedAt: at }, changed };
};
