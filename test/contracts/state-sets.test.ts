import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Scope } from "../../adapters-infra/postgres/views/cost-sums.ts";
import type { Actor } from "../../core/model/access/caller.ts";
import { roles } from "../../core/model/access/roles.ts";
import { signInMethods } from "../../core/model/access/sign-in.ts";
import type { SignInPurpose } from "../../core/model/access/sign-in-code.ts";
import type { LifecycleState } from "../../core/model/agents/agent-status.ts";
import { runEndsOfHolds, wakeEndsOfHolds } from "../../core/model/agents/holds.ts";
import { approvalTypes } from "../../core/model/approvals/approval.ts";
import { approvalStatuses, openApprovalStatuses } from "../../core/model/approvals/approval-status.ts";
import { permissions } from "../../core/model/approvals/grant.ts";
import type { Asset } from "../../core/model/assets/asset.ts";
import { companyStatuses } from "../../core/model/companies/company.ts";
import { type CostEvent, costStatuses } from "../../core/model/costs/cost-event.ts";
import { deliveryStates } from "../../core/model/events/event-delivery.ts";
import { chatFormats, disabledReasons, eventFormats } from "../../core/model/events/event-format.ts";
import { goalLevels, goalStatuses } from "../../core/model/goals/goal.ts";
import { callsForAssignee } from "../../core/model/inbox/inbox-entry.ts";
import { gateCheckStates } from "../../core/model/issues/gates/gate-check.ts";
import { reviewVerdicts } from "../../core/model/issues/gates/review.ts";
import {
  continuationPolicies,
  interactionKinds,
  interactionStatuses,
} from "../../core/model/issues/interactions/interaction-status.ts";
import {
  closedStatuses,
  issueStatuses,
  priorities,
  readyStatuses,
} from "../../core/model/issues/issue-status.ts";
import { noticeKinds } from "../../core/model/notices/notice-kind.ts";
import { gateKinds } from "../../core/model/projects/gate.ts";
import { projectStatuses } from "../../core/model/projects/project.ts";
import { mergeMethods, mergeStates } from "../../core/model/repositories/merge.ts";
import { openPullRequestStates, pullRequestStates } from "../../core/model/repositories/pull-request.ts";
import { checkStates } from "../../core/model/repositories/pull-request-at-host.ts";
import { hostKinds, repositoryModes } from "../../core/model/repositories/repository.ts";
import { catchUpPolicies, concurrencyPolicies, routineStatuses } from "../../core/model/routines/routine.ts";
import {
  attemptedStatuses,
  type FiredStatus,
  routineRunSources,
} from "../../core/model/routines/routine-run.ts";
import { signingModes, triggerKinds } from "../../core/model/routines/trigger.ts";
import { loopKinds } from "../../core/model/runs/loop-breaker.ts";
import { messageStates } from "../../core/model/runs/messages/run-message.ts";
import { failedRunStatuses, liveRunStatuses, runStatuses } from "../../core/model/runs/run-status.ts";
import { usageStatuses } from "../../core/model/runs/usage-window.ts";
import { wakeStatuses } from "../../core/model/runs/wake.ts";
import { managedModes, secretStatuses } from "../../core/model/secrets/secret.ts";
import { providers } from "../../core/model/vaults/provider.ts";
import { isClosedVault, vaultStatuses } from "../../core/model/vaults/vault-status.ts";
import { commandKinds } from "../../core/model/workspaces/workspace-command.ts";
import type { BoardCredential } from "../../ports/stores/access-store.ts";
import type { AgentConfigRevision } from "../../ports/stores/agent-store.ts";
import type { AssistantToken } from "../../ports/stores/assistant-store.ts";
import type { AccessEvent } from "../../ports/stores/secret-store.ts";
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

/** Sets that the core names, each with the set that it is a part of. */
const ofNouns: readonly (readonly [readonly string[], readonly string[]])[] = [
  [closedStatuses, issueStatuses],
  [readyStatuses, issueStatuses],
  [liveRunStatuses, runStatuses],
  [failedRunStatuses, runStatuses],
  [openApprovalStatuses, approvalStatuses],
  [openPullRequestStates, pullRequestStates],
];

/** The sets in the predicates of partial indexes. */
const ofIndexes: Readonly<Record<string, ReturnType<typeof set>>> = {
  runs_one_live: set("status", liveRunStatuses),
  runs_failed: set("status", failedRunStatuses),
  runs_cut_off: set("stop_reason", runEndsOfHolds),
  wakes_cut_off: set("end_reason", wakeEndsOfHolds),
  wakes_ended_alone: set("end_reason", wakeEndsOfHolds, false),
  issues_open_of_routine: set("status", closedStatuses, false),
  issues_open_with_own_gates: set("status", closedStatuses, false),
  approvals_open_hire: set("status", openApprovalStatuses),
  routine_runs_by_result: set("status", attemptedStatuses),
  pull_requests_due: set("state", openPullRequestStates),
  pull_requests_one_open: set("state", openPullRequestStates),
  activity_issue_news: set("action", [...callsForAssignee, "issue.comment_added"]),
};

/** All members of a type. */
const all = <Name extends string>(members: Readonly<Record<Name, true>>) => Object.keys(members);
const actorKinds = all<Actor["kind"]>({ board: true, agent: true, system: true });

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
  notices_kind: noticeKinds,
  event_subscriptions_format: eventFormats,
  notice_chats_format: chatFormats,
  event_subscriptions_disabled_because: disabledReasons,
  event_deliveries_state: deliveryStates,
  merges_state: mergeStates,
  merges_method: [...mergeMethods, "pull_request"],
  pull_requests_state: pullRequestStates,
  project_gates_kind: gateKinds,
  issue_gates_kind: gateKinds,
  issue_reviews_verdict: reviewVerdicts,
  run_messages_state: messageStates,
  gate_checks_state: gateCheckStates,
  usage_windows_status: usageStatuses,
  memberships_role: roles,
  assistant_tokens_kind: all<AssistantToken["kind"]>({ access: true, refresh: true }),
  board_tokens_kind: all<BoardCredential["kind"]>({ token: true, session: true }),
  agents_lifecycle_state: all<LifecycleState>({ active: true, pending_approval: true, terminated: true }),
  agent_config_revisions_source: all<AgentConfigRevision["source"]>({
    create: true,
    patch: true,
    rollback: true,
  }),
  goals_level: goalLevels,
  goals_status: goalStatuses,
  projects_status: projectStatuses,
  issues_priority: priorities,
  wakes_by_kind: actorKinds,
  merges_by_kind: actorKinds,
  pull_requests_by_kind: actorKinds,
  cost_events_cost_status: costStatuses,
  cost_events_source: all<CostEvent["source"]>({ adapter: true, api: true }),
  activity_actor_kind: actorKinds,
  interactions_kind: interactionKinds,
  interactions_continuation_policy: continuationPolicies,
  cost_days_scope: all<Scope>({ company: true, agent: true, project: true, model: true }),
  assets_purpose: all<Asset["purpose"]>({ attachment: true, logo: true }),
  // No default vault has one of these.
  vaults: vaultStatuses.filter(isClosedVault),
  vaults_provider: providers,
  secrets_managed_mode: managedModes,
  secrets_status: secretStatuses,
  secret_access_events_outcome: all<AccessEvent["outcome"]>({ success: true, failure: true }),
  approvals_type: approvalTypes,
  routines_priority: priorities,
  routines_concurrency_policy: concurrencyPolicies,
  routines_catch_up_policy: catchUpPolicies,
  routine_triggers_kind: triggerKinds,
  routine_triggers_signing_mode: signingModes,
  routine_runs_status: all<FiredStatus>({
    issue_created: true,
    failed: true,
    coalesced: true,
    skipped: true,
  }),
  routine_runs_source: routineRunSources,
  sign_in_codes_purpose: all<SignInPurpose>({ start: true, open: true, invitation: true }),
  sign_ins_method: signInMethods,
  runs_quarantined_for: loopKinds,
  repositories_host_kind: hostKinds,
  pull_requests_checks: checkStates,
  workspace_commands_kind: commandKinds,
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
      and     connamespace = 'public'::regnamespace
    `;
    const found = checks.flatMap(({ name, text }) => {
      const names = setsIn(text).flatMap((each) => each.names);
      return names.length === 0 ? [] : [[name.replace(/_check$/, ""), names.sort()]];
    });
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(ofColumns).map(([column, names]) => [column, [...names].sort()])),
    );
  });

  it("stand in no comparison of the core as names of its own", async () => {
    const same = (one: readonly string[], other: readonly string[]) =>
      `${one.toSorted()}` === `${other.toSorted()}`;
    const known = ofNouns.flatMap(([some, every]) => [some, every.filter((name) => !some.includes(name))]);
    const again: string[] = [];
    for (const name of await readdir(join(root, "core"), { recursive: true })) {
      if (!name.endsWith(".ts")) continue;
      const text = await readFile(join(root, "core", name), "utf8");
      for (const [chain, what] of text.matchAll(
        /([\w.]*\b(?:status|state)) === "\w+"(?: \|\| \1 === "\w+")+/g,
      )) {
        const names = [...chain.matchAll(/"(\w+)"/g)].map(([, one = ""]) => one);
        if (known.some((set) => same(set, names))) again.push(`${name}: ${what}: ${names}`);
      }
    }
    expect(again).toEqual([]);
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
