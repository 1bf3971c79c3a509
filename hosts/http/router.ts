import { paramNames } from "../api/endpoint/params.ts";
import { endpoints, type NamedEndpoint } from "../api/index.ts";

/** A matched path: its endpoints by method, and its parameters. */
export interface Match {
  readonly byMethod: ReadonlyMap<string, NamedEndpoint>;
  readonly params: Readonly<Record<string, string>>;
}

interface Node {
  readonly literals: Map<string, Node>;
  any: Node | null;
  readonly byMethod: Map<string, NamedEndpoint>;
}

const node = (): Node => ({ literals: new Map(), any: null, byMethod: new Map() });

const root = node();
for (const named of endpoints) {
  let at = root;
  for (const segment of named.endpoint.path.split("/").slice(1)) {
    if (segment.startsWith("{")) {
      at.any ??= node();
      at = at.any;
    } else {
      if (!at.literals.has(segment)) at.literals.set(segment, node());
      at = at.literals.get(segment)!;
    }
  }
  at.byMethod.set(named.endpoint.method, named);
}

/** The path has an invalid percent-encoding. */
export class PathMalformed extends Error {}

/** Matches a percent-encoded path; a literal segment precedes a parameter. null: no match. */
export const route = (path: string): Match | null => {
  let segments: string[];
  try {
    segments = path.split("/").slice(1).map(decodeURIComponent);
  } catch {
    throw new PathMalformed();
  }
  const values: string[] = [];
  const found = descend(root, segments, 0, values);
  if (found === null) return null;
  const [any] = found.byMethod.values();
  const names = paramNames(any!.endpoint.path);
  return { byMethod: found.byMethod, params: Object.fromEntries(names.map((name, i) => [name, values[i]!])) };
};

const descend = (at: Node, segments: readonly string[], depth: number, values: string[]): Node | null => {
  const segment = segments[depth];
  if (segment === undefined) return at.byMethod.size > 0 ? at : null;
  const literal = at.literals.get(segment);
  if (literal !== undefined) {
    const found = descend(literal, segments, depth + 1, values);
    if (found !== null) return found;
  }
  if (at.any === null || segment === "") return null;
  values.push(segment);
  const found = descend(at.any, segments, depth + 1, values);
  if (found === null) values.pop();
  return found;
};
