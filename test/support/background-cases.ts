import * as Effect from "effect/Effect";
import type { PostgresAdapters } from "../../adapters-infra/postgres/index.ts";
import type { Stores } from "../../ports/transactor.ts";
import { crowd, nth } from "./crowded-database.ts";

/** A repeated query, and the number of rows it may read where it finds many. */
export interface BackgroundCase {
  readonly ask: (adapters: PostgresAdapters) => Effect.Effect<unknown, unknown>;
  /** Always planned for its values. */
  readonly searched?: true;
  readonly beyond?: readonly [rows: number, because: string];
  /** A table that the planner may also scan completely. */
  readonly mayScan?: string;
}

/** Runs in a transaction that is rolled back. */
const inTransaction = (work: (stores: Stores) => Effect.Effect<unknown, unknown>): BackgroundCase => ({
  ask: ({ transactor }) =>
    transactor
      .transact((stores) => Effect.andThen(work(stores), Effect.fail("undone" as const)))
      .pipe(Effect.ignore),
});

const now = () => new Date().toISOString();
const caps = { instance: 100, company: 100, adapterType: 100 };
const queued = nth("run", 99_955);
const done = nth("run", 600);
/** As a data directory names itself. */
const volume = nth("other", 1);

/** The queries that the service repeats every second or with every run: their cost must not grow with past data. */
export const backgroundCases: Readonly<Record<string, BackgroundCase>> = {
  "choosing and locking who may run next": {
    ...inTransaction(({ runs }) =>
      runs.lockCandidates({
        adapterTypes: ["process"],
        typesWithoutFiles: [],
        runners: ["local"],
        serviceId: nth("other", 1),
        volume: nth("other", 1),
        defaultRunner: "local",
        limit: 20,
        caps,
        at: now(),
      }),
    ),
    mayScan: "agents",
    beyond: [
      9_000,
      "where the planner reckons with a long queue it reads all 4,000 agents, once or twice: they are hired, they do not pass",
    ],
  },
  "looking for runs that nobody has in supervision": inTransaction(({ runs }) =>
    runs.lost({ scopes: ["host/here"], leaseEndedBy: now() }),
  ),
  "finding the runs of this service": { ask: ({ views }) => views.runs.supervisedBy(nth("other", 1)) },
  "finding runs that are to stop": { ask: ({ views }) => views.runs.stopsRequested(nth("other", 1)) },
  "finding out which of some runs have ended": { ask: ({ views }) => views.runs.endedAmong([done, queued]) },
  "firing timers": inTransaction(({ agents }) => agents.lockDueTimers(now(), 100)),
  "lifting budget holds of agents": inTransaction(({ agents }) => agents.lockHeldBefore(now(), 100)),
  "lifting budget holds of companies": inTransaction(({ companies }) => companies.lockHeldBefore(now(), 100)),
  "finding triggers that are due": { ask: ({ views }) => views.routines.due(now(), 100) },
  "finding the next tick of all": { ask: ({ views }) => views.routines.nextFireAt() },
  "locking a trigger that is due": inTransaction(({ routines }) =>
    routines.lockDue(nth("trigger", 7), now()),
  ),
  "asking which ticks have been fired": inTransaction(({ routines }) =>
    routines.firedAmong(nth("trigger", 7), [now()]),
  ),
  "asking what is open of a routine": {
    ...inTransaction(({ routines }) => routines.openIssues(nth("routine", 1))),
    beyond: [2_000, "a hundred open issues, each with its run, its interactions and its runs"],
  },
  "asking for a run under a key": inTransaction(({ routines }) =>
    routines.findRunByKey({
      routineId: nth("routine", 1),
      source: "manual",
      triggerId: null,
      idempotencyKey: "x",
    } as never),
  ),
  "asking whether a signature came before": inTransaction(({ routines }) =>
    routines.isReplay(nth("trigger", 7), new Uint8Array(32)),
  ),
  "forgetting old requests": { ask: ({ idempotency }) => idempotency.sweep(now()) },
  "finding blobs that nothing refers to": inTransaction(({ files }) => files.discardDue(now(), 100)),
  "stopping the runs of an agent": inTransaction(({ runs }) =>
    runs.requestStop({ agentId: nth("agent", 1) }, "agent_paused", now()),
  ),
  "stopping the runs of a company": inTransaction(({ runs }) =>
    runs.requestStop({ companyId: crowd.big }, "agent_paused", now()),
  ),
  "stopping the runs of an issue": inTransaction(({ runs }) =>
    runs.requestStop({ issueId: nth("issue", 1) }, "agent_paused", now()),
  ),
  "stopping the runs of a service": inTransaction(({ runs }) =>
    runs.requestStop({ serviceId: nth("other", 1) }, "agent_paused", now()),
  ),
  "cancelling the wakes of an agent": inTransaction(({ wakes }) =>
    wakes.cancelPending({ agentId: nth("agent", 1) }, "agent_paused", now()),
  ),
  "cancelling the wakes of a company": inTransaction(({ wakes }) =>
    wakes.cancelPending({ companyId: crowd.big }, "agent_paused", now()),
  ),
  "cancelling the wakes of an issue": inTransaction(({ wakes }) =>
    wakes.cancelPending({ issueId: nth("issue", 1) }, "agent_paused", now()),
  ),
  "ending the wakes of a run": inTransaction(({ wakes }) => wakes.endStarted([queued], now())),
  "asking whether a wake waits for the end of a run": inTransaction(({ wakes }) =>
    wakes.followUpWaits(nth("agent", 1), nth("issue", 1)),
  ),
  "starting a run for what has waited": inTransaction(({ wakes }) =>
    wakes.promote(nth("agent", 1), nth("issue", 1), nth("run", 999_999), now()),
  ),
  "unlocking the issues of a run": inTransaction(({ issues }) => issues.unlockAll([done], now())),
  "adding to the events of a run with thousands": inTransaction(({ runs }) =>
    runs.appendEvents([
      {
        companyId: crowd.big,
        runId: nth("run", 1),
        type: "lifecycle",
        level: "info",
        message: "x",
        at: now(),
      },
    ]),
  ),
  "asking what an agent can do next": {
    ...inTransaction(({ issues }) => issues.actionable({ agentId: nth("agent", 30) }, now())),
    beyond: [200, "the open issues of the agent, and what blocks them"],
  },
  "asking what the agents of a company can do next": {
    ...inTransaction(({ issues }) => issues.actionable({ companyId: crowd.small }, now())),
  },
  "asking what a run cost so far": inTransaction(({ costs }) => costs.ofRun(done)),
  "asking what runs cost that end together": inTransaction(({ costs }) => costs.ofRuns([done, queued])),
  "locking runs that end together": inTransaction(({ runs }) => runs.lockAll([done, queued])),
  "locking their agents": inTransaction(({ agents }) => agents.lockAll([nth("agent", 1), nth("agent", 2)])),
  "noting that their agents have run": inTransaction(({ agents }) =>
    agents.recordHeartbeats([{ agentId: nth("agent", 1), errorReason: null }], now()),
  ),
  "asking what was spent this month": inTransaction(({ costs }) =>
    costs.spent(crowd.big, "2026-11-01T00:00:00.000Z"),
  ),
  "reading what a run is about": { ask: ({ views }) => views.runs.task(queued) },
  "reading the log of a run with thousands of segments": {
    ask: ({ views }) => views.runs.logSegments(nth("run", 1), 1_000_000, 1_000),
    beyond: [3_000, "the thousand segments of a portion"],
  },
  "reading operations": {
    ask: ({ views }) => views.operations.now(now()),
    beyond: [1_000, "all that is queued and running"],
  },
  "following a company's stream": {
    ask: ({ views }) =>
      views.stream
        .end()
        .pipe(Effect.flatMap((end) => views.stream.after(end, [crowd.big, crowd.small], 100))),
  },
  "taking the gates whose commands are due": {
    ...inTransaction(({ gates }) => gates.takeDue(volume, now(), 2)),
    beyond: [50_000, "the open issues of projects with such gates, and the work of those that have some"],
    mayScan: "companies",
  },
  "finding merges of killed services": inTransaction(({ merges }) => merges.abandoned()),
  "asking which merge of a repository runs": inTransaction(({ merges }) =>
    merges.running(nth("repository", 1)),
  ),
  "taking the pull requests whose time has come": inTransaction(({ pullRequests }) =>
    pullRequests.takeDue({ at: now(), until: now() }, 20),
  ),
  "hurrying the pull requests of a repository": {
    ...inTransaction(({ pullRequests }) => pullRequests.hurry(nth("repository", 2), now(), 30)),
  },
  "finding workspaces whose removal was begun": inTransaction(({ issueWorkspaces }) =>
    issueWorkspaces.toRemove(volume, 100),
  ),
  "finding workspaces of issues that were closed long ago": {
    ...inTransaction(({ issueWorkspaces }) =>
      issueWorkspaces.takeIdle(volume, { at: now(), usedBefore: now(), triedBefore: now() }, 100),
    ),
    beyond: [3_000, "the folders that the disk has, and their issues"],
  },
  "taking workspaces with work that is not kept": inTransaction(({ issueWorkspaces }) =>
    issueWorkspaces.claimUncaptured(volume, { at: now(), before: now() }, 10),
  ),
  "naming workspaces with work that is not kept": { ask: ({ views }) => views.operations.uncaptured(10) },
  "asking whether a workspace has left out files": inTransaction(({ issueWorkspaces }) =>
    issueWorkspaces.hasLeftOut(nth("tree", 6)),
  ),
  "asking which runs have words": { ask: ({ views }) => views.runs.messagesFor([done, queued]) },
  "handing a run its next message": inTransaction(({ runMessages }) =>
    runMessages.handNext(nth("run", 1), [], now()),
  ),
  "leaving messages to the next run": inTransaction(({ runMessages }) =>
    runMessages.leaveToNextRun([nth("run", 1), queued]),
  ),
  "taking up messages that were left": {
    ...inTransaction(({ runMessages }) =>
      runMessages.takeUp(
        { id: queued, agentId: nth("agent", 1), issueId: nth("issue", 1), adapterType: "process" },
        now(),
      ),
    ),
    beyond: [
      6_000,
      "a thousand that were left to the agent on that issue before, and the runs that took them up",
    ],
  },
  "deleting the details of old runs": {
    ...inTransaction(({ history }) => history.deleteRunDetails(now(), 2, now())),
    searched: true,
    beyond: [100_000, "a run of 20,000 events and as many pieces of log"],
  },
  "deleting old wakes without a run": inTransaction(({ history }) => history.deleteLoneWakes(now(), 20)),
  "deleting what came with old firings": inTransaction(({ history }) =>
    history.deleteFiringPayloads(now(), 20),
  ),
  "deleting old activity": inTransaction(({ history }) => history.deleteActivity(now(), 20)),
  "deleting the old use of secrets": inTransaction(({ history }) => history.deleteSecretAccess(now(), 20)),
  "deleting old sessions": inTransaction(({ history }) => history.deleteSessions(now(), 20)),
  "deleting old sign-ins": inTransaction(({ history }) => history.deleteSignIns(now(), 20)),
  "deleting old links": inTransaction(({ history }) => history.deleteSignInCodes(now(), 20)),
  "looking up a board token": {
    ask: ({ views }) => views.access.boardByHash(new Uint8Array(32), "token", now()),
  },
  "looking up an agent's key": {
    ask: ({ views }) => views.access.agentByKeyHash(new Uint8Array(32), queued, now()),
  },
};

const { big, small } = crowd;

/** Single reads from tables that grow. */
export const readingCases: Readonly<Record<string, BackgroundCase>> = {
  "what new blockers wait for": inTransaction(({ issues }) =>
    issues.lockBlockerLinks(big, nth("issue", 1_002), [nth("issue", 3_003), nth("issue", 15_009)]),
  ),
  "an issue with all that hangs on it": { ask: ({ views }) => views.issues.get(nth("issue", 1)) },
  "a run": { ask: ({ views }) => views.runs.get(nth("run", 1)) },
  "an agent": {
    ask: ({ views }) => views.agents.get(nth("agent", 1), now()),
    beyond: [300, "the secrets it is bound to"],
  },
  "a company": { ask: ({ views }) => views.companies.get(big, now()) },
  "a routine": {
    ask: ({ views }) =>
      Effect.all([views.routines.get(nth("routine", 1)), views.routines.openIssues(nth("routine", 1))]),
    beyond: [2_000, "a hundred open issues, each with its run, its interactions and its runs"],
  },
  "a secret's usage": { ask: ({ views }) => views.secrets.usage(nth("secret", 1)) },
  "the costs of a small company": {
    ask: ({ views }) =>
      views.costs.total(small, { from: "2026-03-01T00:00:00.000Z", to: "2026-04-01T00:00:00.000Z" }),
  },
  "a count of an agent's open issues": {
    ask: ({ views }) =>
      views.issues.count({
        companyId: big,
        assigneeAgentId: nth("agent", 1),
        statuses: ["todo", "in_progress"],
      }),
    searched: true,
    beyond: [8_000, "what is counted"],
  },
  "a count of a company's issues by status": {
    ask: ({ views }) => views.issues.count({ companyId: big, statuses: ["todo", "done"] }),
  },
  "a count of a small company's issues": { ask: ({ views }) => views.issues.count({ companyId: small }) },
};
