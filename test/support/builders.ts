import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { v7 } from "uuid";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { type PostgresAdapters, postgresAdapters } from "../../adapters-infra/postgres/index.ts";
import type { Agent } from "../../core/model/agents/agent.ts";
import { urlKeyOf } from "../../core/model/agents/url-key.ts";
import { type Company, nextIssuePrefix } from "../../core/model/companies/company.ts";
import type { Issue } from "../../core/model/issues/issue.ts";
import type { Project } from "../../core/model/projects/project.ts";
import type { WakeRequest } from "../../core/model/runs/wake.ts";
import type {
  AgentId,
  CompanyId,
  Id,
  IssueId,
  ProjectId,
  RunId,
  WakeId,
} from "../../core/model/shared/ids.ts";
import type { AgentInCompany } from "../../ports/stores/agent-store.ts";
import type { Stores } from "../../ports/transactor.ts";
import { createDatabase } from "./database.ts";
import * as nouns from "./nouns.ts";

/** Empty storage for one test file: the real adapters on a real PostgreSQL. */
export interface TestStorage extends PostgresAdapters {
  readonly sql: Sql;
  readonly url: string;
  /** A transaction, as the use cases make it. */
  run<A, E>(work: (stores: Stores) => Effect.Effect<A, E>): Promise<A>;
  close(): Promise<void>;
}

export const openTestStorage = async (options: { readonly max?: number } = {}): Promise<TestStorage> => {
  const database = await createDatabase();
  const sql = openDatabase(database.url, { max: 8, ...options });
  const adapters = postgresAdapters(sql, systemClock);
  return {
    ...adapters,
    sql,
    url: database.url,
    run: (work) => Effect.runPromise(adapters.transactor.transact(work)),
    close: async () => {
      await sql.end({ timeout: 5 });
      await database.drop();
    },
  };
};

/** Generates an id as the service does. */
export const newId = <T extends Id<string>>(): T => v7() as T;

/** Stored, under the first free issue prefix. */
export const aCompany = (storage: TestStorage, fields: Partial<Company> = {}): Promise<Company> => {
  const company = nouns.aCompany({ id: newId<CompanyId>(), ...fields });
  return storage.run(({ companies }) =>
    companies.insert(company, (n) => nextIssuePrefix(company.issuePrefix, n)),
  );
};

/** Stored, under a name of its own. */
export const anAgent = async (
  storage: TestStorage,
  fields: Partial<Agent> & { readonly companyId: CompanyId },
): Promise<AgentInCompany> => {
  const id = fields.id ?? newId<AgentId>();
  const name = fields.name ?? `Agent ${id.slice(-12)}`;
  const agent = nouns.anAgent({ id, name, urlKey: urlKeyOf(name, id), ...fields });
  return storage.run(({ agents }) => Effect.andThen(agents.insert(agent), agents.lock(id)));
};

/** Stored, under the company's next identifier. */
export const anIssue = (
  storage: TestStorage,
  fields: Partial<Issue> & { readonly companyId: CompanyId },
): Promise<Issue> =>
  storage.run(({ companies, issues }) =>
    Effect.gen(function* () {
      const identifier = yield* companies.takeIdentifier(fields.companyId);
      const issue = nouns.anIssue({ id: newId<IssueId>(), identifier, ...fields });
      yield* issues.insert(issue);
      return issue;
    }),
  );

/** Stored as given, with a hold or without. */
export const aProject = (
  storage: TestStorage,
  fields: Partial<Project> & { readonly companyId: CompanyId },
): Promise<Project> =>
  storage.run(({ projects }) => {
    const project: Project = {
      id: newId<ProjectId>(),
      name: "Harbour",
      description: null,
      status: "planned",
      leadAgentId: null,
      targetDate: null,
      budgetMonthlyCents: 0,
      heldByBudgetAt: null,
      archivedAt: null,
      createdAt: nouns.now,
      updatedAt: nouns.now,
      ...fields,
    };
    return Effect.as(projects.insert(project), project);
  });

/** A wake's fields; not stored. */
export const aWakeRequest = (fields: Pick<WakeRequest, "agent"> & Partial<WakeRequest>): WakeRequest => ({
  id: newId<WakeId>(),
  runId: newId<RunId>(),
  traceparent: null,
  company: "active",
  issueId: null,
  reason: "issue_assigned",
  payload: {},
  by: { kind: "system" },
  at: nouns.now,
  ...fields,
});
