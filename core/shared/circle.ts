/**
 * Whether linking `id` to `targetId` would close a circle: whether `id` is `targetId` itself or is reached from it along
 * the links that exist. A tree of parents is the case of one link each.
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
