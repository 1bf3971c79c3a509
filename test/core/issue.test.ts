import * as Result from "effect/Result";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Assignee, namedAssignee, nobody, TwoAssignees } from "../../core/model/issues/assignee.ts";
import {
  agentMayChange,
  assignIssue,
  beginByPerson,
  beginIn,
  type CheckOut,
  type CheckOutRefusal,
  checkOut,
  type Issue,
  IssueHeldByAnother,
  IssueNotYours,
  moveIssue,
  releaseIssue,
} from "../../core/model/issues/issue.ts";
import {
  type IssueStatus,
  isClosed,
  issueMoves,
  issueStatuses,
  mayPeopleMove,
} from "../../core/model/issues/issue-status.ts";
import type { AgentId, IssueId, RunId, UserId } from "../../core/model/shared/ids.ts";
import { mayMove } from "../../core/model/shared/moves.ts";
import {
  aClaim,
  ada,
  anIssue,
  anIssueHeldBy,
  bob,
  byAgent,
  earlier,
  eve,
  firstRun,
  id,
  now,
  secondRun,
  theBoard,
} from "../support/nouns.ts";

const claimed = (issue: Issue, claim: Partial<CheckOut> = {}): Issue =>
  Result.getOrThrowWith(checkOut(issue, aClaim(claim)), (no) => new Error(no.message));

const refused = (issue: Issue, claim: Partial<CheckOut> = {}): CheckOutRefusal => {
  const result = checkOut(issue, aClaim(claim));
  if (Result.isSuccess(result)) throw new Error("The claim was granted.");
  return result.failure;
};

const openStatuses = issueStatuses.filter((status) => !isClosed(status));
const claimable = openStatuses.filter((status) => status !== "in_progress");

describe("Checkout", () => {
  test.each(claimable)("claims an issue in %s without an owner for one agent and its run", (status) => {
    const before = anIssue({ status });
    expect(claimed(before, { expectedStatuses: [status] })).toEqual({
      ...before,
      status: "in_progress",
      assigneeAgentId: ada,
      checkoutRunId: firstRun,
      heldSince: now,
      startedAt: now,
      lastActivityAt: now,
      updatedAt: now,
    });
  });

  test.each(claimable)("claims an issue in %s for the agent that owns it already", (status) => {
    const before = anIssue({ status, assigneeAgentId: ada });
    expect(claimed(before, { expectedStatuses: [status] })).toMatchObject({ checkoutRunId: firstRun });
  });

  test.each(openStatuses)(
    "refuses an issue in %s that another agent owns, whatever is expected",
    (status) => {
      const before = anIssue({ status, assigneeAgentId: bob });
      expect(refused(before, { expectedStatuses: issueStatuses })).toMatchObject({
        code: "issue_held_by_another",
        kind: "conflict",
        details: { issueId: before.id, status, assigneeAgentId: bob, checkoutRunId: null, heldSince: null },
      });
    },
  );

  test.each(openStatuses)("refuses an issue in %s that is a person's, whatever is expected", (status) => {
    const before = anIssue({ status, assigneeUserId: eve });
    for (const runId of [firstRun, null])
      expect(refused(before, { runId, expectedStatuses: issueStatuses })).toMatchObject({
        code: "issue_held_by_another",
        details: { assigneeAgentId: null, assigneeUserId: eve },
      });
  });

  test.each(
    openStatuses.flatMap((status) =>
      openStatuses.filter((other) => other !== status).map((other) => [status, other] as const),
    ),
  )("refuses an issue in %s where only %s is expected", (status, other) => {
    expect(refused(anIssue({ status }), { expectedStatuses: [other] }).code).toBe("issue_status_unexpected");
  });

  test.each(openStatuses)("of an issue in %s waits for the issues that block it", (status) => {
    const blocker = id<IssueId>(99);
    const before = anIssue({ status, assigneeAgentId: ada });
    expect(refused(before, { expectedStatuses: [status], openBlockers: [blocker] })).toMatchObject({
      code: "unresolved_blockers",
      kind: "unprocessable",
      details: { blockedByIssueIds: [blocker] },
    });
  });

  test.each(["done", "cancelled"] as const)("refuses an issue that is %s, even if expected", (status) => {
    expect(refused(anIssue({ status }), { expectedStatuses: [status] })).toMatchObject({
      code: "invalid_status_transition",
      details: { from: status, to: "in_progress", allowed: Object.keys(issueMoves[status]) },
    });
    expect(refused(anIssue({ status }), { expectedStatuses: ["todo"] }).code).toBe("issue_status_unexpected");
  });

  test.each(issueStatuses)("from %s agrees with the table of moves", (status) => {
    const granted = Result.isSuccess(
      checkOut(anIssue({ status }), aClaim({ expectedStatuses: issueStatuses })),
    );
    expect(granted).toBe(status === "in_progress" || mayMove(issueMoves, status, "in_progress"));
  });

  test("repeated by its holder changes nothing, whatever is expected and whatever blocks by now", () => {
    const checkedOut = anIssueHeldBy(ada, firstRun);
    const again = { expectedStatuses: [], openBlockers: [id<IssueId>(99)], holderIsActive: true };
    expect(claimed(checkedOut, again)).toBe(checkedOut);
  });

  test("by the board for an agent sets no run", () => {
    expect(claimed(anIssue(), { runId: null })).toMatchObject({
      status: "in_progress",
      assigneeAgentId: ada,
      checkoutRunId: null,
    });
  });

  describe("of work in progress", () => {
    const checkedOut = anIssueHeldBy(ada, firstRun);
    const next = { runId: secondRun, expectedStatuses: ["in_progress"] } as const;

    test("is refused while the run that holds it is live, even to the same agent", () => {
      expect(refused(checkedOut, { ...next, holderIsActive: true })).toMatchObject({
        code: "issue_held_by_another",
        details: { checkoutRunId: firstRun, heldSince: earlier },
      });
    });

    test("is refused to the board while the run that holds it is live", () => {
      expect(refused(checkedOut, { ...next, runId: null, holderIsActive: true }).code).toBe(
        "issue_held_by_another",
      );
    });

    test("takes over the lock of an ended run without a new start time", () => {
      expect(claimed(checkedOut, next)).toEqual({
        ...checkedOut,
        checkoutRunId: secondRun,
        heldSince: now,
        startedAt: earlier,
        lastActivityAt: now,
        updatedAt: now,
      });
    });

    test("claims an issue whose lock the end of a run has cleared", () => {
      expect(claimed({ ...checkedOut, checkoutRunId: null }, next)).toMatchObject({
        checkoutRunId: secondRun,
        startedAt: earlier,
      });
    });

    test("takes over only if in_progress is expected", () => {
      expect(refused(checkedOut, { ...next, expectedStatuses: ["todo"] }).code).toBe(
        "issue_status_unexpected",
      );
    });

    test("never passes to another agent, even if its run has ended", () => {
      expect(refused(checkedOut, { ...next, agentId: bob }).code).toBe("issue_held_by_another");
    });
  });

  test("sets a new start time on entering from another status", () => {
    const before = anIssue({ status: "in_review", assigneeAgentId: ada, startedAt: earlier });
    expect(claimed(before, { expectedStatuses: ["in_review"] }).startedAt).toBe(now);
  });

  const agents = fc.constantFrom<AgentId>(ada, bob);
  const runs = fc.constantFrom<RunId | null>(firstRun, secondRun, null);
  const someIssue = fc
    .record({
      status: fc.constantFrom(...issueStatuses),
      assigneeAgentId: fc.option(agents),
      checkoutRunId: runs,
    })
    .map(({ status, assigneeAgentId, checkoutRunId }) => {
      if (status !== "in_progress") return anIssue({ status, assigneeAgentId });
      return anIssueHeldBy(assigneeAgentId ?? ada, checkoutRunId);
    });
  const someClaim = fc.record({
    agentId: agents,
    runId: runs,
    expectedStatuses: fc.subarray([...issueStatuses], { minLength: 1 }),
    holderIsActive: fc.boolean(),
    openBlockers: fc.constantFrom<readonly IssueId[]>([], [id<IssueId>(99)]),
    at: fc.constant(now),
  });

  test("is idempotent: a granted claim may be repeated any number of times", () => {
    fc.assert(
      fc.property(someIssue, someClaim, (issue, claim) => {
        const first = checkOut(issue, claim);
        fc.pre(Result.isSuccess(first));
        const again = checkOut(first.success, { ...claim, at: "2027-01-01T00:00:00.000Z" });
        expect(Result.isSuccess(again) && again.success).toBe(first.success);
      }),
    );
  });

  test("gives an issue one owner: after a claim, no other agent succeeds, and no other run while that one is live", () => {
    fc.assert(
      fc.property(someIssue, someClaim, someClaim, (issue, winner, other) => {
        const won = checkOut(issue, winner);
        fc.pre(Result.isSuccess(won) && winner.runId !== null);
        const rival = checkOut((won as { success: Issue }).success, {
          ...other,
          holderIsActive: true,
        });
        const same = other.agentId === winner.agentId && other.runId === winner.runId;
        expect(Result.isSuccess(rival)).toBe(same);
      }),
    );
  });

  test("produces only work in progress of the claiming agent and run, with one start", () => {
    fc.assert(
      fc.property(someIssue, someClaim, (issue, claim) => {
        const result = checkOut(issue, claim);
        fc.pre(Result.isSuccess(result));
        const after = (result as { success: Issue }).success;
        expect(after).toMatchObject({
          status: "in_progress",
          assigneeAgentId: claim.agentId,
          checkoutRunId: claim.runId,
          startedAt: issue.status === "in_progress" ? issue.startedAt : claim.at,
        });
      }),
    );
  });

  test("takes nothing from an owner or a live run, and nothing unexpected, blocked or closed", () => {
    fc.assert(
      fc.property(someIssue, someClaim, (issue, claim) => {
        const result = checkOut(issue, claim);
        fc.pre(Result.isSuccess(result) && result.success !== issue);
        expect([null, claim.agentId]).toContain(issue.assigneeAgentId);
        if (claim.holderIsActive) expect([null, claim.runId]).toContain(issue.checkoutRunId);
        expect(claim.expectedStatuses).toContain(issue.status);
        expect(claim.openBlockers).toEqual([]);
        expect(isClosed(issue.status)).toBe(false);
      }),
    );
  });
});

describe("A new issue", () => {
  test.each(issueStatuses.filter((status) => status !== "in_progress"))("may begin in %s", (status) => {
    expect(beginIn(anIssue(), status, now)).toEqual({
      ...anIssue(),
      status,
      completedAt: status === "done" ? now : null,
      cancelledAt: status === "cancelled" ? now : null,
    });
  });

  test("starts in progress only by a checkout", () => {
    // @ts-expect-error in_progress is no status to begin in
    beginIn(anIssue(), "in_progress", now);
  });
});

describe("A status change", () => {
  type Target = Exclude<IssueStatus, "in_progress">;
  const targets = issueStatuses.filter((status): status is Target => status !== "in_progress");
  const pairs = issueStatuses.flatMap((from) => targets.map((to) => [from, to] as const));
  const inStatus = (status: IssueStatus): Issue =>
    status === "in_progress"
      ? anIssueHeldBy(ada, firstRun)
      : anIssue({
          status,
          assigneeAgentId: ada,
          completedAt: status === "done" ? earlier : null,
          cancelledAt: status === "cancelled" ? earlier : null,
        });

  const allowed: Record<IssueStatus, readonly Target[]> = {
    backlog: ["todo", "in_review", "blocked", "done", "cancelled"],
    todo: ["backlog", "in_review", "blocked", "done", "cancelled"],
    in_progress: ["todo", "in_review", "blocked", "done", "cancelled"],
    in_review: ["todo", "blocked", "done", "cancelled"],
    blocked: ["todo", "backlog", "cancelled"],
    done: ["todo", "cancelled"],
    cancelled: ["todo", "done"],
  };
  /** Open issues whose status only the board corrects. */
  const corrections = ["backlog in_review", "backlog done", "todo in_review"];

  test.each(pairs)("from %s to %s by the board follows the ruling", (from, to) => {
    const before = inStatus(from);
    const result = moveIssue(before, to, theBoard, now);
    if (from === to) expect(Result.isSuccess(result) && result.success).toBe(before);
    else if (allowed[from].includes(to)) {
      expect(Result.isSuccess(result) && result.success).toMatchObject({
        status: to,
        checkoutRunId: null,
        heldSince: null,
        completedAt: to === "done" ? now : null,
        cancelledAt: to === "cancelled" ? now : null,
        updatedAt: now,
      });
    } else
      expect(Result.isFailure(result) && result.failure).toMatchObject({
        code: "invalid_status_transition",
        kind: "unprocessable",
        details: { from, to, allowed: Object.keys(issueMoves[from]) },
      });
  });

  test.each(pairs)(
    "from %s to %s by an agent follows the same ruling, without reopening and corrections",
    (from, to) => {
      const byBoard = moveIssue(inStatus(from), to, theBoard, now);
      const byItself = moveIssue(inStatus(from), to, byAgent(ada, firstRun), now);
      if (corrections.includes(`${from} ${to}`))
        expect(Result.isFailure(byItself) && byItself.failure.details).toEqual({
          from,
          to,
          allowed: Object.keys(issueMoves[from]).filter((each) => !corrections.includes(`${from} ${each}`)),
        });
      else if (!isClosed(from) && Result.isSuccess(byBoard)) expect(byItself).toEqual(byBoard);
      else if (!isClosed(from)) expect(Result.isFailure(byItself)).toBe(true);
      else if (from !== to)
        expect(Result.isFailure(byItself) && byItself.failure).toMatchObject({
          code: "invalid_status_transition",
          message: `Only the board can move an issue out of ${from}.`,
          details: { allowed: [] },
        });
    },
  );

  test.each(pairs)("from %s to %s keeps its assignee, except for a release", (from, to) => {
    const result = moveIssue(inStatus(from), to, theBoard, now);
    if (Result.isSuccess(result))
      expect(result.success.assigneeAgentId).toBe(from === "in_progress" && to === "todo" ? null : ada);
  });

  test("never leads into in_progress, which only a checkout reaches", () => {
    for (const [from, to] of pairs) {
      const result = moveIssue(inStatus(from), to, theBoard, now);
      if (Result.isSuccess(result) && from !== to) expect(result.success.status).not.toBe("in_progress");
    }
  });

  test("keeps the start time of the work", () => {
    const result = moveIssue(anIssueHeldBy(ada, firstRun), "done", theBoard, now);
    expect(Result.isSuccess(result) && result.success.startedAt).toBe(earlier);
  });

  test("names the allowed moves when refused", () => {
    const result = moveIssue(anIssue({ status: "backlog" }), "done", byAgent(ada, firstRun), now);
    expect(Result.isFailure(result) && result.failure.message).toBe(
      "An issue can't move from backlog to done. Allowed: todo, in_progress, blocked, cancelled.",
    );
  });
});

describe("The moves that people may ask for", () => {
  const person = "0194b6d8-0000-7000-8000-00000000abcd" as UserId;
  const cases = issueStatuses.flatMap((from) =>
    issueStatuses
      .filter((to) => to !== from)
      .flatMap((to) => [null, person].map((assigneeUserId) => ({ from, to, assigneeUserId }))),
  );

  test.each(cases)("are those that the verbs accept: $from to $to, of $assigneeUserId", (asked) => {
    const { from, to, assigneeUserId } = asked;
    const issue = anIssue({ status: from, assigneeAgentId: null, assigneeUserId });
    const isAccepted =
      to === "in_progress"
        ? assigneeUserId !== null && Result.isSuccess(beginByPerson(issue, [], now))
        : Result.isSuccess(moveIssue(issue, to, theBoard, now));
    expect(mayPeopleMove({ status: from, isAssigned: assigneeUserId !== null }, to)).toBe(isAccepted);
  });
});

describe("Assignment", () => {
  test.each(issueStatuses)("of an issue in %s to its assignee changes nothing", (status) => {
    const before = anIssue({ status, assigneeAgentId: ada });
    expect(assignIssue(before, { ...nobody, assigneeAgentId: ada }, now)).toBe(before);
    const ofPerson = anIssue({ status, assigneeUserId: eve });
    expect(assignIssue(ofPerson, { ...nobody, assigneeUserId: eve }, now)).toBe(ofPerson);
  });

  const others = [
    ["another agent", { assigneeAgentId: bob, assigneeUserId: null }],
    ["a person", { assigneeAgentId: null, assigneeUserId: eve }],
  ] as const;
  const pairs = others.flatMap(([who, to]) => issueStatuses.map((status) => [status, who, to] as const));

  test.each(pairs)("of an issue in %s to %s keeps its status and clears the lock", (status, _, to) => {
    const before = { ...anIssueHeldBy(ada, firstRun), status };
    expect(assignIssue(before, to, now)).toEqual({
      ...before,
      ...to,
      checkoutRunId: null,
      heldSince: null,
      lastActivityAt: now,
      updatedAt: now,
    });
  });

  test.each(issueStatuses)("of an issue in %s to null is a release", (status) => {
    const before = { ...anIssueHeldBy(ada, firstRun), status };
    expect(assignIssue(before, nobody, now)).toEqual(releaseIssue(before, now));
  });
});

describe("The assignee that a request names", () => {
  const agents: Assignee = { assigneeAgentId: ada, assigneeUserId: null };
  const persons: Assignee = { assigneeAgentId: null, assigneeUserId: eve };
  test.each([
    ["nobody named: no change", agents, {}, undefined],
    ["an agent in place of an agent", agents, { assigneeAgentId: bob }, { ...nobody, assigneeAgentId: bob }],
    ["a person in place of an agent", agents, { assigneeUserId: eve }, persons],
    ["an agent in place of a person", persons, { assigneeAgentId: ada }, agents],
    ["a person, and expressly no agent", agents, { assigneeAgentId: null, assigneeUserId: eve }, persons],
    ["no agent, where one is", agents, { assigneeAgentId: null }, nobody],
    ["no person, where one is", persons, { assigneeUserId: null }, nobody],
    ["no agent, where a person is", persons, { assigneeAgentId: null }, persons],
    ["no person, where an agent is", agents, { assigneeUserId: null }, agents],
  ] as const)("%s", (_, before, named, after) => {
    expect(Result.getOrThrow(namedAssignee(before, named))).toEqual(after);
  });

  test("is not an agent and a person", () => {
    const both = namedAssignee(nobody, { assigneeAgentId: ada, assigneeUserId: eve });
    expect(Result.isFailure(both) && both.failure).toEqual(new TwoAssignees({ path: ["assigneeUserId"] }));
  });

  test("is at most one of both, whatever was before and is named", () => {
    const agent = fc.constantFrom(null, ada, bob);
    const person = fc.constantFrom(null, eve);
    const before = fc.oneof(fc.constant(agents), fc.constant(persons), fc.constant(nobody));
    fc.assert(
      fc.property(
        before,
        fc.option(agent, { nil: undefined }),
        fc.option(person, { nil: undefined }),
        (of, a, p) => {
          const result = namedAssignee(of, { assigneeAgentId: a, assigneeUserId: p });
          if (Result.isFailure(result)) return a != null && p != null;
          const { assigneeAgentId, assigneeUserId } = result.success ?? of;
          return assigneeAgentId === null || assigneeUserId === null;
        },
      ),
    );
  });
});

describe("A person's issue", () => {
  test.each(issueStatuses)("from %s begins as the table of moves says, without a lock", (status) => {
    const before = anIssue({ status, assigneeUserId: eve });
    const result = beginByPerson(before, [], now);
    expect(Result.isSuccess(result)).toBe(mayMove(issueMoves, status, "in_progress"));
    if (Result.isSuccess(result))
      expect(result.success).toMatchObject({
        status: "in_progress",
        assigneeUserId: eve,
        checkoutRunId: null,
        startedAt: now,
      });
  });

  test("waits for the issues that block it", () => {
    const result = beginByPerson(anIssue({ assigneeUserId: eve }), [id<IssueId>(99)], now);
    expect(Result.isFailure(result) && result.failure.code).toBe("unresolved_blockers");
  });
});

describe("Release", () => {
  test.each(issueStatuses)(
    "of an issue in %s clears the assignee, and turns work in progress into todo",
    (status) => {
      const before = { ...anIssueHeldBy(ada, firstRun), status };
      expect(releaseIssue(before, now)).toEqual({
        ...before,
        status: status === "in_progress" ? "todo" : status,
        assigneeAgentId: null,
        checkoutRunId: null,
        heldSince: null,
        lastActivityAt: now,
        updatedAt: now,
      });
    },
  );

  test("lets any agent claim the issue next", () => {
    const released = releaseIssue(anIssueHeldBy(ada, firstRun), now);
    expect(claimed(released, { agentId: bob, runId: secondRun }).assigneeAgentId).toBe(bob);
  });
});

describe("An agent may change", () => {
  const inRun = (runId: RunId | null, holderIsActive = false) => ({ agentId: ada, runId, holderIsActive });
  const notInProgress = issueStatuses.filter((status) => status !== "in_progress");

  test.each(notInProgress.flatMap((status) => [null, ada, bob].map((owner) => [status, owner] as const)))(
    "an issue in %s with any assignee (%s)",
    (status, owner) => {
      expect(agentMayChange(anIssue({ status, assigneeAgentId: owner }), inRun(firstRun))).toBeNull();
    },
  );

  test("no issue that another agent is working on, whether its run is live or not", () => {
    for (const live of [true, false])
      expect(agentMayChange(anIssueHeldBy(bob, secondRun), inRun(firstRun, live))).toBeInstanceOf(
        IssueNotYours,
      );
  });

  test("no issue that a person is working on", () => {
    const persons = anIssue({ status: "in_progress", assigneeUserId: eve });
    expect(agentMayChange(persons, inRun(firstRun))).toBeInstanceOf(IssueNotYours);
  });

  test.each([
    ["its own work, in the run that holds it", firstRun, firstRun, true, null],
    ["its own work that no run holds", null, firstRun, false, null],
    ["its own work whose run has ended", secondRun, firstRun, false, null],
    ["not its own work that another live run of it holds", secondRun, firstRun, true, IssueHeldByAnother],
  ] as const)("%s", (_, holder, runId, live, refusal) => {
    const no = agentMayChange(anIssueHeldBy(ada, holder), inRun(runId, live));
    if (refusal === null) expect(no).toBeNull();
    else expect(no).toBeInstanceOf(refusal);
  });
});
