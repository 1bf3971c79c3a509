/**
 * Whether a link from `id` to `targetId` closes a cycle: `id` is `targetId` itself or reachable from it along the
 * existing links. A tree of parents has one link each.
 */
export const closesCircle = <T extends string>(
  id: T,
  targetId: T,
  links: ReadonlyMap<T, readonly T[]>,
): boolean => {
  const seen = new Set<T>();
  const open = [targetId];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === id) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    open.push(...(links.get(at) ?? []));
  }
  return false;
};
