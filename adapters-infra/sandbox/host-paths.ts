import { isAbsolute, join } from "node:path";
import * as Effect from "effect/Effect";
import type { HostPaths, PathOwner } from "../../ports/host-paths.ts";
import { classify, normalPath, type PathRules, realPath } from "./path-rules.ts";

export const hostPaths = (
  rules: PathRules,
  folders: { readonly workspaces: string; readonly homes: string },
): HostPaths => {
  const workspaceOf = ({ agentId }: PathOwner) => join(folders.workspaces, agentId ?? "probe");
  const ownOf = (owner: PathOwner) => [workspaceOf(owner), join(folders.homes, owner.companyId)];
  const normal: HostPaths["normal"] = (path, owner) => normalPath(path, workspaceOf(owner));
  return {
    normal,
    classify: (path, owner) =>
      classify(rules, isAbsolute(path) || path.startsWith("./") ? normal(path, owner) : path, ownOf(owner)),
    resolve: (path, owner) =>
      Effect.sync(() => {
        const named = normal(path, owner);
        return { path: named, real: realPath(named) };
      }),
  };
};
