import * as Effect from "effect/Effect";
import type { AdapterRegistry, KnownAdapter } from "../../ports/adapter-registry.ts";
import type { Views } from "../../ports/views.ts";
import type { BoardCaller } from "../model/access/caller.ts";
import { AdapterBuiltIn, AdapterNotFound } from "../model/adapters/adapter.ts";
import { type BackupPlan, type BackupProblem, judgeBackups } from "../model/backups/without-backup.ts";
import type { InboxFact } from "../model/inbox/inbox-entry.ts";
import type { Refusal } from "../model/shared/failure.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";

/**
 * The entries of the whole instance, for its admins: backups that fail, are overdue or do not exist, and each failed adapter,
 * which stops every agent of its type. Oldest first.
 */
export const entriesOfInstance =
  (views: Pick<Views, "operations">, adapters: AdapterRegistry, plan: BackupPlan) =>
  (caller: BoardCaller, companyId: CompanyId | null, at: Instant): Effect.Effect<readonly InboxFact[]> =>
    !caller.admin || companyId !== null
      ? Effect.succeed([])
      : Effect.map(
          Effect.all([views.operations.backups(), views.operations.manualBackups()]),
          ([scheduled, manual]) => {
            const problem = judgeBackups(plan, scheduled, manual, at);
            return [...(problem === null ? [] : [ofBackups(problem)]), ...failedAdapters(adapters, at)].sort(
              (one, other) => one.waitingSince.localeCompare(other.waitingSince),
            );
          },
        );

const ofBackups = ({ kind, sentence, since }: BackupProblem): InboxFact =>
  ofInstance({
    kind,
    subjectType: "backup",
    name: kind === "failed_backup" ? "scheduled" : "none",
    title: kind === "failed_backup" ? "Scheduled backup" : "Backups",
    error: sentence,
    since,
  });

const failedAdapters = (adapters: AdapterRegistry, at: Instant): readonly InboxFact[] =>
  adapters
    .known()
    .filter(({ status }) => status === "failed")
    .map(({ type, source, packageName, localPath, problem, failedAt }) => {
      const name = type ?? packageName ?? localPath ?? "unknown";
      return ofInstance({
        kind: "failed_adapter",
        subjectType: "adapter",
        name,
        title: name,
        error: problem,
        since: failedAt ?? at,
        requestRefusal: refusalOfReload(type, source),
      });
    });

/** Returns why nothing of that entry of the registry is reloaded, or null. */
const refusalOfReload = (type: string | null, source: KnownAdapter["source"]): Refusal | null =>
  type === null ? new AdapterNotFound() : source === "builtin" ? new AdapterBuiltIn() : null;

interface Trouble extends Pick<InboxFact, "kind" | "subjectType" | "title" | "requestRefusal"> {
  readonly name: string;
  readonly error: string | null;
  readonly since: Instant;
}

const ofInstance = ({
  kind,
  subjectType,
  name,
  title,
  error,
  since,
  requestRefusal = null,
}: Trouble): InboxFact => ({
  id: `${kind}:${name}`,
  kind,
  companyId: null,
  companyName: null,
  subjectType,
  subjectId: name,
  title,
  issueId: null,
  issueIdentifier: null,
  issueTitle: null,
  agentId: null,
  agentName: null,
  detail: { error },
  waitingSince: since,
  version: "",
  state: null,
  requestRefusal,
});
