import type { Instant } from "./instant.ts";

/**
 * A thing with a change of some of its fields: what the change leaves out stays as it is. Says also which fields are
 * others afterwards; `at` counts only where there are any.
 */
export const patched = <Thing extends { readonly updatedAt: Instant }, Field extends keyof Thing & string>(
  before: Thing,
  change: { readonly [Name in Field]?: Thing[Name] | undefined },
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
