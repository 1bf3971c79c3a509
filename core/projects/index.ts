import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { ReferenceNotFound } from "../shared/failure.ts";
import type { AgentId, CompanyId, ProjectId } from "../shared/ids.ts";
import { patched } from "../shared/patch.ts";
import type { Project, ProjectStatus } from "./project.ts";

export interface ProjectFields {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly status?: ProjectStatus | undefined;
  readonly leadAgentId?: AgentId | null | undefined;
  readonly targetDate?: string | null | undefined;
}

export interface CreateProject extends ProjectFields {
  readonly id: ProjectId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly name: string;
}

export interface UpdateProject extends ProjectFields {
  readonly projectId: ProjectId;
  readonly by: Actor;
}

const checkLead = Effect.fnUntraced(function* (
  stores: Stores,
  companyId: CompanyId,
  lead: AgentId | null | undefined,
) {
  if (lead && (yield* stores.agents.findInCompany(lead, companyId)) === null)
    yield* Effect.fail(ReferenceNotFound.at("leadAgentId"));
});

const createProject = (transactor: Transactor, clock: Clock) => (command: CreateProject) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const at = clock.now();
      yield* checkLead(stores, command.companyId, command.leadAgentId);
      const project: Project = {
        id: command.id,
        companyId: command.companyId,
        name: command.name,
        description: command.description ?? null,
        status: command.status ?? "planned",
        leadAgentId: command.leadAgentId ?? null,
        targetDate: command.targetDate ?? null,
        archivedAt: null,
        createdAt: at,
        updatedAt: at,
      };
      yield* stores.projects.insert(project);
      yield* stores.activity.append({
        companyId: project.companyId,
        by: command.by,
        at,
        action: "project.created",
        entityId: project.id,
        details: { name: project.name },
      });
      return project;
    }),
  );

const updateProject = (transactor: Transactor, clock: Clock) => (command: UpdateProject) =>
  transactor.transact((stores) =>
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

const archiveProject =
  (transactor: Transactor, clock: Clock) =>
  (command: { readonly projectId: ProjectId; readonly by: Actor }) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const before = yield* stores.projects.lock(command.projectId);
        if (before.archivedAt !== null) return before;
        const at = clock.now();
        const after: Project = { ...before, archivedAt: at, updatedAt: at };
        yield* stores.projects.save(after);
        yield* stores.activity.append({
          companyId: after.companyId,
          by: command.by,
          at,
          action: "project.archived",
          entityId: after.id,
          details: {},
        });
        return after;
      }),
    );

/** Everything that can be done to a project. */
export const projects = (transactor: Transactor, clock: Clock) => ({
  create: createProject(transactor, clock),
  update: updateProject(transactor, clock),
  archive: archiveProject(transactor, clock),
});

export type Projects = ReturnType<typeof projects>;
