import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { transactAs } from "../access/transact-as.ts";
import type { ProjectId } from "../shared/ids.ts";
import { patched } from "../shared/patch.ts";
import { checkLead } from "./check-lead.ts";
import type { ProjectFields } from "./project.ts";

export interface UpdateProject extends ProjectFields {
  readonly projectId: ProjectId;
  readonly by: Actor;
}

export const updateProject = (transactor: Transactor, clock: Clock) => (command: UpdateProject) =>
  transactAs(transactor, command.by, (stores) =>
    Effect.gen(function* () {
      const before = yield* stores.projects.lock(command.projectId);
      yield* checkLead(stores, before.companyId, command.leadAgentId);
      const at = clock.now();
      const { after, changed } = patched(
        before,
        command,
        ["name", "description", "status", "leadAgentId", "targetDate"],
        at,
      );
      if (changed.length === 0) return before;
      yield* stores.projects.save(after);
      yield* stores.activity.append({
        companyId: after.companyId,
        by: command.by,
        at,
        action: "project.updated",
        entityId: after.id,
        details: { changed },
      });
      return after;
    }),
  );
