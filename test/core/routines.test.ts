import * as Result from "effect/Result";
import { describe, expect, it } from "vitest";
import { type IssueStatus, issueMoves, issueStatuses } from "../../core/model/issues/issue-status.ts";
import { type DueFacts, decideTicks } from "../../core/model/routines/catch-up.ts";
import {
  type ConcurrencyPolicy,
  catchUpPolicies,
  concurrencyPolicies,
  editRoutine,
  fieldsOf,
  isBasedOn,
  mayChange,
  type Routine,
  type RoutineStatus,
  routineMoves,
  routineStatuses,
} from "../../core/model/routines/routine.ts";
import {
  decideFiring,
  type FiredStatus,
  holdsSlot,
  type OpenIssue,
  routineRunMoves,
  shownStatus,
} from "../../core/model/routines/routine-run.ts";
import { payloadOf } from "../../core/model/routines/trigger-payload.ts";
import { proofIn } from "../../core/model/routines/webhook-request.ts";
import type { ProjectId, RevisionId, RoutineId, RoutineRunId } from "../../core/model/shared/ids.ts";
import { addMillis, addSeconds } from "../../core/model/shared/instant.ts";
import { type Moves, mayMove, movesFrom } from "../../core/model/shared/moves.ts";
import { acme, ada, bob, byAgent, earlier, id, now, theBoard, theIssue } from "../support/nouns.ts";

const aRoutine = (fields: Partial<Routine> = {}): Routine => ({
  id: id<RoutineId>(0x70),
  companyId: acme,
  title: "Sweep",
  description: null,
  assigneeAgentId: ada,
  projectId: id<ProjectId>(0x71),
  goalId: null,
  parentIssueId: null,
  priority: "medium",
  status: "active",
  concurrencyPolicy: "coalesce_if_active",
  catchUpPolicy: "skip_missed",
  latestRevisionId: id<RevisionId>(0x72),
  latestRevisionNumber: 1,
  createdByAgentId: null,
  createdByUserId: null,
  createdAt: earlier,
  updatedAt: earlier,
  ...fields,
});

/** The possible results of a firing. */
const firedStatuses: readonly FiredStatus[] = ["issue_created", "coalesced", "skipped", "failed"];

const codeOf = <A>(result: Result.Result<A, { readonly code: string }>): string | null =>
  Result.isFailure(result) ? result.failure.code : null;

describe("The slot of a routine", () => {
  const quiet = {
    status: "todo" as IssueStatus,
    hasLiveRun: false,
    hasPendingInteraction: false,
    lastRunEndedAt: null,
    heldManuallyAt: null,
    heldByBudgetAt: null,
    companyHeldByBudgetAt: null,
    companyStatus: "active" as const,
    projectHeldByBudgetAt: null,
  };
  const minutesAgo = (minutes: number) => addMillis(now, -minutes * 60_000);

  it.each(issueStatuses.map((status) => ({ status })))("in $status", ({ status }) => {
    const closed = status === "done" || status === "cancelled";
    const waitsForPeople = status === "in_review" || status === "blocked";
    expect(holdsSlot({ ...quiet, status }, now)).toBe(waitsForPeople);
    expect(holdsSlot({ ...quiet, status, hasLiveRun: true }, now)).toBe(!closed);
    expect(holdsSlot({ ...quiet, status, hasPendingInteraction: true }, now)).toBe(!closed);
    expect(holdsSlot({ ...quiet, status, lastRunEndedAt: minutesAgo(14.99) }, now)).toBe(!closed);
    expect(holdsSlot({ ...quiet, status, lastRunEndedAt: minutesAgo(15) }, now)).toBe(waitsForPeople);
    // The routine is held as long as its assignee.
    expect(holdsSlot({ ...quiet, status, heldManuallyAt: minutesAgo(900) }, now)).toBe(!closed);
    expect(holdsSlot({ ...quiet, status, heldByBudgetAt: now }, now)).toBe(!closed);
    expect(holdsSlot({ ...quiet, status, companyHeldByBudgetAt: now }, now)).toBe(!closed);
    expect(holdsSlot({ ...quiet, status, projectHeldByBudgetAt: now }, now)).toBe(!closed);
  });
});

describe("A firing while an earlier run is open", () => {
  const open = (fields: Partial<OpenIssue>): OpenIssue => ({
    runId: id<RoutineRunId>(1),
    issueId: theIssue,
    status: "todo",
    since: earlier,
    hasLiveRun: false,
    hasPendingInteraction: false,
    lastRunEndedAt: null,
    heldManuallyAt: null,
    heldByBudgetAt: null,
    companyHeldByBudgetAt: null,
    companyStatus: "active",
    projectHeldByBudgetAt: null,
    ...fields,
  });
  const active = open({ runId: id<RoutineRunId>(2), status: "in_progress", hasLiveRun: true });
  const outcomes: Readonly<Record<ConcurrencyPolicy, string>> = {
    coalesce_if_active: "coalesced",
    skip_if_active: "skipped",
    always_enqueue: "issue_created",
  };

  it.each(concurrencyPolicies)("%s", (policy) => {
    expect(decideFiring(policy, [], now)).toEqual({ status: "issue_created" });
    expect(decideFiring(policy, [open({})], now)).toEqual({ status: "issue_created" });
    const verdict = decideFiring(policy, [open({}), active], now);
    expect(verdict.status).toBe(outcomes[policy]);
    if (verdict.status !== "issue_created") expect(verdict.into).toBe(active);
  });

  it("derives the status of a run from its issue", () => {
    const shown = Object.fromEntries(
      issueStatuses.map((status) => [status, shownStatus("issue_created", status)]),
    );
    expect(shown).toEqual({
      backlog: "issue_created",
      todo: "issue_created",
      in_progress: "issue_created",
      in_review: "issue_created",
      done: "completed",
      blocked: "failed",
      cancelled: "failed",
    });
    for (const fired of ["failed", "coalesced", "skipped"] as const)
      for (const status of issueStatuses) expect(shownStatus(fired, status)).toBe(fired);
  });

  it("moves a run with its issue exactly as the table says", () => {
    const seen = new Set(
      issueStatuses.flatMap((from) =>
        movesFrom(issueMoves as Moves<IssueStatus>, from).map(
          (to) => `${shownStatus("issue_created", from)} ${shownStatus("issue_created", to)}`,
        ),
      ),
    );
    const after = ["issue_created", "completed", "failed"] as const;
    for (const from of after)
      for (const to of after)
        if (from !== to) expect(mayMove(routineRunMoves, from, to)).toBe(seen.has(`${from} ${to}`));
    expect(Object.keys(routineRunMoves.received).sort()).toEqual([...firedStatuses].sort());
  });
});

describe("Ticks that are due", () => {
  const every = (minutes: number) => (after: string) =>
    new Date((Math.floor(Date.parse(after) / (minutes * 60_000)) + 1) * minutes * 60_000).toISOString();
  const at = "2026-01-31T12:00:10.000Z";
  const due = (fields: Partial<DueFacts>) =>
    decideTicks({
      policy: "skip_missed",
      first: "2026-01-31T12:00:00.000Z",
      at,
      lateSince: addSeconds(at, -30),
      next: every(60),
      ...fields,
    });

  it.each(catchUpPolicies)("slightly late fires once (%s)", (policy) => {
    expect(due({ policy })).toEqual({
      fire: ["2026-01-31T12:00:00.000Z"],
      missed: 0,
      madeUpFor: 0,
      dropped: 0,
      isAtLeast: false,
    });
  });

  it("late by an interval or more: it is missed", () => {
    const late = { at: "2026-01-31T12:00:30.000Z", lateSince: "2026-01-31T12:00:00.000Z" };
    expect(due(late)).toMatchObject({ missed: 0, fire: ["2026-01-31T12:00:00.000Z"] });
    const missed = { at: "2026-01-31T12:00:30.001Z", lateSince: "2026-01-31T12:00:00.001Z" };
    expect(due(missed)).toMatchObject({ missed: 1, dropped: 1, fire: [] });
  });

  it("skip_missed fires no missed tick", () => {
    expect(
      due({
        first: "2026-01-30T12:00:00.000Z",
        at: "2026-01-31T12:30:00.000Z",
        lateSince: "2026-01-31T12:29:30.000Z",
      }),
    ).toEqual({
      fire: [],
      missed: 25,
      madeUpFor: 0,
      dropped: 25,
      isAtLeast: false,
    });
  });

  it.each([
    [24, 24, 0],
    [25, 25, 0],
    [26, 25, 1],
    [100, 25, 75],
  ])(
    "enqueue_missed_with_cap of %i missed fires %i, oldest first, and drops %i",
    (missed, madeUpFor, dropped) => {
      const end = "2026-01-31T12:30:00.000Z";
      const first = addMillis("2026-01-31T12:00:00.000Z", -(missed - 1) * 3_600_000);
      const ticks = due({
        policy: "enqueue_missed_with_cap",
        first,
        at: end,
        lateSince: addSeconds(end, -30),
      });
      expect(ticks).toMatchObject({ missed, madeUpFor, dropped, isAtLeast: false });
      expect(ticks.fire).toEqual(
        Array.from({ length: madeUpFor }, (_, n) => addMillis(first, n * 3_600_000)),
      );
    },
  );

  it("missed ticks do not prevent the current tick from firing", () => {
    const first = "2026-01-31T02:00:00.000Z";
    expect(due({ first })).toMatchObject({ missed: 10, dropped: 10, fire: ["2026-01-31T12:00:00.000Z"] });
    expect(due({ first, policy: "enqueue_missed_with_cap" }).fire).toHaveLength(11);
  });

  it("years of missed minutes are not counted one by one", () => {
    const ticks = due({
      first: "2016-01-31T12:00:00.000Z",
      next: every(1),
      policy: "enqueue_missed_with_cap",
    });
    expect(ticks).toMatchObject({ missed: 10_000, madeUpFor: 25, dropped: 9_975, isAtLeast: true });
    expect(ticks.fire).toHaveLength(26);
    expect(ticks.fire.at(-1)).toBe("2026-01-31T12:00:00.000Z");
  });
});

describe("Changing a routine", () => {
  const pairs = routineStatuses.flatMap((from) => routineStatuses.map((to) => ({ from, to })));
  it.each(pairs)("$from to $to", ({ from, to }) => {
    const may =
      from === to || (routineMoves[from] as Partial<Record<RoutineStatus, string>>)[to] !== undefined;
    const routine = aRoutine({ status: from });
    const edited = editRoutine(routine, { ...fieldsOf(routine), status: to }, theBoard, now);
    expect(codeOf(edited)).toBe(may ? null : "routine_archived");
  });

  it("is allowed to the board and to its assignee", () => {
    expect(codeOf(mayChange(aRoutine(), theBoard))).toBeNull();
    expect(codeOf(mayChange(aRoutine(), byAgent(ada)))).toBeNull();
    expect(codeOf(mayChange(aRoutine(), byAgent(bob)))).toBe("forbidden");
    const reassigned = { ...fieldsOf(aRoutine()), assigneeAgentId: bob };
    expect(codeOf(editRoutine(aRoutine(), reassigned, byAgent(ada), now))).toBe("forbidden");
    expect(codeOf(editRoutine(aRoutine(), reassigned, theBoard, now))).toBeNull();
  });

  it("is refused for an outdated revision, naming the latest", () => {
    const routine = aRoutine();
    expect(codeOf(isBasedOn(routine, undefined))).toBeNull();
    expect(codeOf(isBasedOn(routine, routine.latestRevisionId))).toBeNull();
    const stale = isBasedOn(routine, id<RevisionId>(9));
    expect(Result.isFailure(stale) && stale.failure.details).toEqual({
      currentRevisionId: routine.latestRevisionId,
    });
  });
});

describe("The visible fields of a webhook", () => {
  const hmac = { signingMode: "hmac_sha256", replayWindowSec: 300 } as const;
  const signature = "ab".repeat(32);
  const seconds = Math.floor(Date.parse(now) / 1000);
  const signed = (timestamp: string, given = signature) =>
    proofIn({ "x-service-timestamp": timestamp, "x-service-signature": given }, hmac, now);

  it.each([
    [0, true],
    [299, true],
    [300, true],
    [301, false],
    [-300, true],
    [-301, false],
  ])("a timestamp %i s off: %s", (off, good) => {
    expect(signed(String(seconds - off)) !== null).toBe(good);
    expect(signed(String((seconds - off) * 1000)) !== null).toBe(good);
  });

  it.each(["", "x", "1e9", " 1", "-1", "0x1", `${seconds}.0`])(
    "a timestamp that is %j is invalid",
    (timestamp) => {
      expect(signed(timestamp)).toBeNull();
    },
  );

  it("reads a signature with and without its prefix, only in lower case", () => {
    const proof = {
      kind: "hmac_sha256",
      prefix: `${seconds}.`,
      signatures: [{ encoding: "hex", text: signature }],
      keyIsBase64: false,
      messageId: null,
    };
    expect(signed(String(seconds))).toEqual(proof);
    expect(signed(String(seconds), `sha256=${signature}`)).toEqual(proof);
    for (const bad of ["", signature.toUpperCase(), signature.slice(1), `${signature}0`, `sha1=${signature}`])
      expect(signed(String(seconds), bad)).toBeNull();
  });

  it("require the fields of their mode", () => {
    const bearer = { signingMode: "bearer", replayWindowSec: 300 } as const;
    expect(proofIn({ authorization: " Bearer s3cret " }, bearer, now)).toEqual({
      kind: "bearer",
      secret: "s3cret",
    });
    expect(proofIn({ authorization: "Basic s3cret" }, bearer, now)).toBeNull();
    expect(proofIn({}, bearer, now)).toBeNull();
    expect(proofIn({ authorization: "Bearer s3cret" }, hmac, now)).toBeNull();
    expect(
      proofIn({ "x-service-timestamp": String(seconds), "x-service-signature": signature }, bearer, now),
    ).toBeNull();
  });
});

describe("The payload of a webhook", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  it.each([
    ["", null],
    ['{"a":1}', { a: 1 }],
    ["[1]", { body: [1] }],
    ["a=1&b=2", { body: "a=1&b=2" }],
    ['{"a":"\\u0000\\ud800"}', { a: "\uFFFD\uFFFD" }],
    ["a\u0000b", { body: "a\uFFFDb" }],
  ])("%j is kept as %j", (text, payload) => {
    expect(payloadOf(bytes(text))).toEqual(payload);
  });

  it("keeps a non-text or too deep payload unread", () => {
    expect(payloadOf(new Uint8Array([0xff, 0xfe]))).toEqual({ bodyBase64: "//4=" });
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect(payloadOf(bytes(deep))).toEqual({ body: deep });
  });
});
