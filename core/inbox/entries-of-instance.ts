import * as Effect from "effect/Effect";
import type { AdapterRegistry, KnownAdapter } from "../../ports/adapter-registry.ts";
import type { Views } from "../../ports/views.ts";
import type { BoardCaller } from "../model/access/caller.ts";
import { AdapterBuiltIn, AdapterNotFound } from "../model/adapters/adapter.ts";
import { type BackupSchedule, backupTrouble } from "../model/backups/backup-schedule.ts";
import type { InboxFact } from "../model/inbox/inbox-entry.ts";
import type { Refusal } from "../model/shared/failure.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";

/**
 * The entries of the whole instance, for its admins: scheduled backups that fail or are overdue, and each failed adapter,
 * which stops every agent of its type. Oldest first.
 */
export const entriesOfInstance =
  (views: Pick<Views, "operations">, adapters: AdapterRegistry, schedule: BackupSchedule | null) =>
  (caller: BoardCaller, companyId: CompanyId | null, at: Instant): Effect.Effect<readonly InboxFact[]> =>
    !caller.admin || companyId !== null
      ? Effect.succeed([])
      : Effect.map(schedule === null ? Effect.succeed(null) : views.operations.backups(), (backups) => {
          const trouble = backups === null ? null : backupTrouble(backups, at);
          return [
            ...(backups === null || trouble === null
              ? []
              : [
                  ofInstance({
                    kind: "failed_backup",
                    subjectType: "backup",
                    name: "scheduled",
                    title: "Scheduled backup",
                    error: trouble,
                    since: backups.failure?.at ?? backups.dueAt,
                  }),
                ]),
            ...adapters
              .known()
              .filter(({ status }) => status === "failed")
              .map(({ type, source, packageName, localPath, problem, failedAt }) => {
                const name = type ?? packageName ?? localPath ?? "unknown";
                const kind = "failed_adapter";
                return ofInstance({
                  kind,
                  subjectType: "adapter",
                  name,
                  title: name,
                  error: problem,
                  since: failedAt ?? at,
                  requestRefusal: refusalOfReload(type, source),
                });
              }),
          ].sort((one, other) => one.waitingSince.localeCompare(other.waitingSince));
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
