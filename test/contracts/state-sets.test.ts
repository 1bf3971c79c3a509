import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runEndsOfHolds, wakeEndsOfHolds } from "../../core/agents/holds.ts";
import { approvalStatuses, openApprovalStatuses } from "../../core/approvals/approval-status.ts";
import { permissions } from "../../core/approvals/grant.ts";
import { companyStatuses } from "../../core/companies/company.ts";
import { callsForAssignee } from "../../core/inbox/inbox-entry.ts";
import { reviewVerdicts } from "../../core/issues/gates/review.ts";
import { interactionStatuses } from "../../core/issues/interactions/interaction-status.ts";
import { closedStatuses, issueStatuses } from "../../core/issues/issue-status.ts";
import { gateKinds } from "../../core/projects/gate.ts";
import { mergeMethods, mergeStates } from "../../core/repositories/merge.ts";
import { openPullRequestStates, pullRequestStates } from "../../core/repositories/pull-request.ts";
import { repositoryModes } from "../../core/repositories/repository.ts";
import { routineStatuses } from "../../core/routines/routine.ts";
import { attemptedStatuses } from "../../core/routines/routine-run.ts";
import { messageStates } from "../../core/runs/messages/run-message.ts";
import { failedRunStatuses, liveRunStatuses, runStatuses } from "../../core/runs/run-status.ts";
import { wakeStatuses } from "../../core/runs/wake.ts";
import { vaultStatuses } from "../../core/vaults/vault-status.ts";
import { createDatabase } from "../support/database.ts";
import { root } from "../support/imports.ts";

let sql: Sql;
let close: () => Promise<void>;

beforeAll(async () => {
  const database = await createDatabase();
  sql = postgres(database.url, { max: 1 });
  close = async () => {
    await sql.end();
    await database.drop();
  };
});
afterAll(() => close?.());

/** A set in a predicate, as PostgreSQL prints it: the column, whether its members are meant, and their names. */
const setsIn = (predicate: string) =>
  [...predicate.matchAll(/\(?(\w+) (= ANY|<> ALL) \(+(?:ARRAY\[|'\{)(.*?)[\]}]/g)].map(
    ([, column, operator, names = ""]) => ({
      column,
      isMember: operator === "= ANY",
      names: names.split(",").map((name) => name.trim().replace(/^'|'::text$/g, "")),
    }),
  );

const set = (column: string, names: readonly string[], isMember = true) => ({ column, isMember, names });

/** The sets in the predicates of partial indexes. */
const ofIndexes: Readonly<Record<string, ReturnType<typeof set>>> = {
  runs_one_live: set("status", liveRunStatuses),
  runs_failed: set("status", failedRunStatuses),
  runs_cut_off: set("stop_reason", runEndsOfHolds),
  wakes_cut_off: set("end_reason", wakeEndsOfHolds),
  wakes_ended_alone: set("end_reason", wakeEndsOfHolds, false),
  issues_open_of_routine: set("status", closedStatuses, false),
  approvals_open_hire: set("status", openApprovalStatuses),
  routine_runs_by_result: set("status", attemptedStatuses),
  pull_requests_due: set("state", openPullRequestStates),
  pull_requests_one_open: set("state", openPullRequestStates),
  activity_issue_news: set("action", [...callsForAssignee, "issue.comment_added"]),
};

/** The values that a column may hold. */
const ofColumns: Readonly<Record<string, readonly string[]>> = {
  companies_status: companyStatuses,
  issues_status: issueStatuses,
  runs_status: runStatuses,
  wakes_status: wakeStatuses,
  interactions_status: interactionStatuses,
  approvals_status: approvalStatuses.filter((status) => status !== "resubmitted"),
  routines_status: routineStatuses,
  vaults_status: vaultStatuses,
  grants_permission: permissions,
  repositories_mode: repositoryModes,
  merges_state: mergeStates,
  merges_method: [...mergeMethods, "pull_request"],
  pull_requests_state: pullRequestStates,
  project_gates_kind: gateKinds,
  issue_reviews_verdict: reviewVerdicts,
  run_messages_state: messageStates,
};

const sorted = (sets: readonly ReturnType<typeof set>[]) =>
  sets.map(({ names, ...of }) => ({ ...of, names: [...names].sort() }));

describe("The sets of states in the database", () => {
  it("are those of the core in the predicate of every partial index", async () => {
    const indexes = await sql<{ name: string; predicate: string }[]>`
      select  indexrelid::regclass::text as name, pg_get_expr(indpred, indrelid) as predicate
      from    pg_index
      join    pg_class on pg_class.oid = indrelid
      where   relnamespace = 'public'::regnamespace
      and     indpred is not null
    `;
    const found = indexes.flatMap(({ name, predicate }) => {
      const sets = setsIn(predicate);
      return /ANY|ALL/.test(predicate) ? [[name, sorted(sets as ReturnType<typeof set>[])]] : [];
    });
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(ofIndexes).map(([name, one]) => [name, sorted([one])])),
    );
  });

  it("are those of the core in the check of each column that holds one", async () => {
    const checks = await sql<{ name: string; text: string }[]>`
      select  conname as name, pg_get_constraintdef(oid) as text
      from    pg_constraint
      where   contype = 'c'
    `;
    const found = new Map(
      checks.map(({ name, text }) => [name, setsIn(text).flatMap(({ names }) => [...names].sort())]),
    );
    for (const [column, names] of Object.entries(ofColumns))
      expect(found.get(`${column}_check`), column).toEqual([...names].sort());
  });

  it("stand in no statement as a list of its own", async () => {
    const folder = "adapters-infra/postgres";
    // A backup and a move ask for kinds of tables and types of columns, which are no states.
    const names = (await readdir(join(root, folder), { recursive: true })).filter(
      (name) =>
        name.endsWith(".ts") && !name.startsWith("backup/") && name !== "company-move/company-tables.ts",
    );
    expect(names).toContain("stores/run-store.ts");
    const lists: string[] = [];
    for (const name of names) {
      const text = await readFile(join(root, folder, name), "utf8");
      const found = text.match(/\b(in|any|all)\s*\(\s*(array\[)?\s*'[a-z_.]+'[^)]*\)/gi);
      for (const list of found ?? []) lists.push(`${name}: ${list}`);
    }
    expect(lists).toEqual([]);
  });
});
