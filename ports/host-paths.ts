import type * as Effect from "effect/Effect";
import type { AgentId, CompanyId } from "../core/model/shared/ids.ts";

/** The agent with the programs that see the path. */
export interface PathOwner {
  readonly companyId: CompanyId;
  /** null: a temporary workspace. */
  readonly agentId: AgentId | null;
}

/** Where a path of the service's machine lies, for the programs of an agent. */
export type PathClass =
  /** They see it: the system, their workspace and home, or what the operator's settings list. */
  | {
      readonly kind: "seen";
      readonly access: "read" | "write";
      /** Whether it is such a path itself, and not below one. */
      readonly isRoot: boolean;
      /** Whether only the settings of the operator show it. */
      readonly isListed: boolean;
    }
  /** Nobody may show it to them; `why` continues a sentence that begins with the path. */
  | { readonly kind: "never"; readonly why: string; readonly isPrivate: boolean }
  /** `isPrivate`: they have a folder of their own at that path, such as `/tmp`. */
  | { readonly kind: "elsewhere"; readonly isPrivate: boolean };

/** The rules for paths of the service's machine. */
export interface HostPaths {
  /** Decides by the text alone, so that the answer tells nothing about the machine. `./` is the workspace. */
  classify(path: string, owner: PathOwner): PathClass;
  /** Returns the path without `.`, `..` and repeated slashes. */
  normal(path: string, owner: PathOwner): string;
  /** Returns it so, and where it leads: itself where nothing is there. */
  resolve(path: string, owner: PathOwner): Effect.Effect<{ readonly path: string; readonly real: string }>;
}
