import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { BoardCaller } from "../access/caller.ts";
import type { CompanyId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import type { InboxFact } from "./inbox-entry.ts";

/** The entries of the whole instance: each failed adapter, which stops every agent of its type. */
export const entriesOfInstance = (
  adapters: AdapterRegistry,
  caller: BoardCaller,
  companyId: CompanyId | null,
  at: Instant,
): readonly InboxFact[] =>
  !caller.admin || companyId !== null
    ? []
    : adapters
        .known()
        .filter(({ status }) => status === "failed")
        .map(({ type, packageName, localPath, problem }) => {
          const name = type ?? packageName ?? localPath ?? "unknown";
          return {
            id: `failed_adapter:${name}`,
            kind: "failed_adapter",
            companyId: null,
            companyName: null,
            subjectType: "adapter",
            subjectId: name,
            title: name,
            issueId: null,
            issueIdentifier: null,
            issueTitle: null,
            agentId: null,
            agentName: null,
            detail: { error: problem },
            waitingSince: at,
            version: "",
            state: null,
          };
        });
