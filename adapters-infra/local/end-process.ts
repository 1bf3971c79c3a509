import * as Effect from "effect/Effect";
import type { ProcessIdentity } from "../../ports/process-runner.ts";
import type { MarkedProcessEntry, ProcessEntry, ProcessTable } from "./process-table.ts";
import type { RunGroups } from "./run-groups.ts";

/** The processes of one run: what descends from its program, shares its session, or carries its run id. */
export interface ProcessTree {
  readonly runId: string;
  /** The program itself; null when only the run id is known. */
  readonly root: ProcessIdentity | null;
  /**
   * The program has been under our eyes from its start until now, so that the session it led can be nobody else's even
   * when it has ended. Otherwise the session counts only while the program lives.
   */
  readonly attended: boolean;
  /** Where the kernel keeps the run's processes together. */
  readonly groups: RunGroups | null;
}

/** Between two looks at processes that were asked to end. */
const pollMs = 25;
/** Between two looks when SIGKILL has not worked yet: the kernel holds the process (a stuck disk). */
const slowestPollMs = 1_000;

/**
 * Ends every process of the tree: SIGTERM, up to `graceSec` for leaving, then SIGKILL, again and again, until two
 * looks in a row find nothing. A process that may not be signalled (another user's, through sudo) is left out after
 * the attempt. Not interruptible: half an ending is none.
 */
export const endTree = (
  table: ProcessTable,
  tree: ProcessTree,
  graceSec: number,
): Effect.Effect<{ readonly found: number }> =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const members = membership(tree);
      const graceEndsAt = performance.now() + graceSec * 1000;
      const asked = new Set<string>();
      let emptyLooks = 0;
      let attempts = 0;

      while (emptyLooks < 2) {
        const living = members.among(yield* Effect.promise(() => table.list()));
        if (living.length === 0) {
          // One look can miss a child that was born while it walked the table, a second one cannot miss its child.
          emptyLooks += 1;
          continue;
        }
        emptyLooks = 0;
        if (performance.now() < graceEndsAt) {
          signal(
            table,
            living.filter((process) => !asked.has(key(process))),
            "SIGTERM",
            members,
          );
          for (const process of living) asked.add(key(process));
          yield* allGone(table, living, graceEndsAt);
        } else {
          tree.groups?.kill(tree.runId);
          signal(table, living, "SIGKILL", members);
          attempts += 1;
          yield* allGone(table, living, performance.now() + Math.min(slowestPollMs, pollMs * attempts));
        }
      }
      tree.groups?.forget(tree.runId);
      return { found: members.count() };
    }),
  );

/** Waits until all of them have ended, or the time has come. */
const allGone = (table: ProcessTable, processes: readonly ProcessEntry[], until: number) =>
  Effect.gen(function* () {
    let waitMs = 5;
    while (processes.some((process) => isAlive(table, process))) {
      const leftMs = until - performance.now();
      if (leftMs <= 0) return;
      yield* Effect.sleep(Math.min(waitMs, leftMs));
      waitMs = Math.min(waitMs * 2, pollMs * 4);
    }
  });

/** Whether that very process lives, and not a stranger that was given its number. */
export const isAlive = (table: ProcessTable, identity: ProcessIdentity): boolean =>
  table.find(identity.pid)?.startedAt === identity.startedAt;

interface Membership {
  among(processes: readonly MarkedProcessEntry[]): readonly ProcessEntry[];
  /** Whether everybody in that process group is a member. */
  ownsGroup(groupId: number): boolean;
  /** It may not be signalled: never again a member. */
  giveUp(process: ProcessEntry): void;
  count(): number;
}

/**
 * Who belongs to the tree. It remembers whom it has seen: a member stays one when its parent has died and the kernel
 * has handed it to init.
 */
const membership = (tree: ProcessTree): Membership => {
  const known = new Set<string>(tree.root === null ? [] : [key(tree.root)]);
  const seen = new Set<string>();
  const givenUp = new Set<string>();
  /** Sessions led by a member. The number stays reserved while anybody is in the session, even when its leader is gone. */
  const sessions = new Set<number>(tree.root !== null && tree.attended ? [tree.root.pid] : []);
  let leaders = new Set<number>();

  return {
    ownsGroup: (groupId) => leaders.has(groupId) || sessions.has(groupId),
    giveUp: (process) => givenUp.add(key(process)),
    count: () => seen.size,
    among: (processes) => {
      const byPid = new Map(processes.map((process) => [process.pid, process]));
      const untouchable = ourselves(byPid);
      const members = new Set<number>();
      // Asked after the table was read: a number in it that has changed hands since is not signalled, whoever has it.
      const grouped = tree.groups?.members(tree.runId);
      const belongs = (process: MarkedProcessEntry): boolean => {
        if (known.has(key(process)) || process.runId === tree.runId) return true;
        if (grouped?.has(process.pid)) return true;
        if (members.has(process.parentPid)) return true;
        if (!sessions.has(process.sessionId)) return false;
        const leader = byPid.get(process.sessionId);
        return leader === undefined || known.has(key(leader));
      };

      let grew = true;
      while (grew) {
        grew = false;
        for (const process of processes) {
          if (members.has(process.pid) || untouchable.has(process.pid) || !belongs(process)) continue;
          members.add(process.pid);
          known.add(key(process));
          seen.add(key(process));
          if (process.sessionId === process.pid) sessions.add(process.pid);
          grew = true;
        }
      }
      const living = processes.filter((process) => members.has(process.pid));
      // An empty session's number is free for a stranger.
      const inhabited = new Set(living.map(({ sessionId }) => sessionId));
      for (const session of sessions) if (!inhabited.has(session)) sessions.delete(session);
      leaders = members;
      return living.filter((process) => !givenUp.has(key(process)));
    },
  };
};

/** The service and its own ancestors, whatever their environment says: it may itself run inside an agent's run. */
const ourselves = (byPid: ReadonlyMap<number, ProcessEntry>): ReadonlySet<number> => {
  const chain = new Set<number>([0, 1, process.pid]);
  let next = byPid.get(process.pid)?.parentPid ?? process.ppid;
  while (!chain.has(next)) {
    chain.add(next);
    next = byPid.get(next)?.parentPid ?? 0;
  }
  return chain;
};

const signal = (
  table: ProcessTable,
  processes: readonly ProcessEntry[],
  name: "SIGTERM" | "SIGKILL",
  members: Membership,
): void => {
  const groups = new Set<number>();
  for (const target of processes) {
    // The number can be a stranger's by now: look once more, with nothing in between.
    const now = table.find(target.pid);
    // Signalled with its group already. Twice would be wrong: many programs take a second SIGTERM for "at once".
    if (now?.startedAt !== target.startedAt || groups.has(now.groupId)) continue;
    // A whole group in one call, which no fork can slip through.
    if (members.ownsGroup(now.groupId) && send(-now.groupId, name)) {
      groups.add(now.groupId);
    } else if (!send(target.pid, name)) {
      members.giveUp(target);
    }
  }
  // A stopped process gets its SIGTERM only when it goes on.
  if (name === "SIGTERM") {
    for (const target of processes) if (isAlive(table, target)) send(target.pid, "SIGCONT");
  }
};

/** False when we may not. A process that is gone already is as good as signalled. */
const send = (pid: number, name: NodeJS.Signals): boolean => {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EPERM";
  }
};

const key = ({ pid, startedAt }: ProcessIdentity): string => `${pid}/${startedAt}`;
