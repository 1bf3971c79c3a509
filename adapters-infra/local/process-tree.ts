import type { ProcessIdentity } from "../../ports/process-runner.ts";
import type { MarkedProcessEntry, ProcessEntry } from "./process-table.ts";
import type { RunGroups } from "./run-groups.ts";

/** The processes to end with one program: what descends from it or shares its session, or all that is left of its run. */
export interface ProcessTree {
  readonly runId: string;
  /** The program itself; null when only the run id is known. */
  readonly root: ProcessIdentity | null;
  /**
   * The service has watched the program from its start until now, so that the session it led can be no other's even
   * when it has ended. Otherwise the session counts only while the program lives.
   */
  readonly attended: boolean;
  /** Where the kernel keeps the run's processes together. */
  readonly groups: RunGroups | null;
  /**
   * The executable that stays beside an enclosed program. Asked to leave it would leave at once, and take the program's
   * grace with it; it ends by itself when the program has.
   */
  readonly wrapper: string | null;
  /** Whether everything of the run belongs to it: no other program of the run goes on. Asked at each look. */
  ownsRun(): boolean;
  /** Processes of the run that were sent SIGTERM, by whichever program's end. */
  readonly asked: Set<string>;
}

export interface TreeMembers {
  among(processes: readonly MarkedProcessEntry[]): readonly ProcessEntry[];
  /** Whether everybody in that process group is a member. */
  ownsGroup(groupId: number): boolean;
  /** It may not be signalled: never again a member. */
  giveUp(process: ProcessEntry): void;
  count(): number;
}

/**
 * Tells who belongs to the tree, and remembers it: a member stays one when its parent has died and the kernel has handed
 * it to init.
 */
export const treeMembers = (tree: ProcessTree): TreeMembers => {
  const known = new Set<string>(tree.root === null ? [] : [key(tree.root)]);
  const seen = new Set<string>();
  const givenUp = new Set<string>();
  /** Led by a member. The number stays reserved while anybody is in the session, even when its leader is gone. */
  const sessions = new Set<number>(tree.root !== null && tree.attended ? [tree.root.pid] : []);
  let members = new Set<number>();

  const admit = (process: MarkedProcessEntry) => {
    members.add(process.pid);
    known.add(key(process));
    seen.add(key(process));
    if (process.sessionId === process.pid) sessions.add(process.pid);
  };
  /** An empty session's number is free for another. */
  const forgetEmptySessions = (living: readonly ProcessEntry[]) => {
    const inhabited = new Set(living.map(({ sessionId }) => sessionId));
    for (const session of sessions) if (!inhabited.has(session)) sessions.delete(session);
  };

  return {
    ownsGroup: (groupId) => members.has(groupId) || sessions.has(groupId),
    giveUp: (process) => givenUp.add(key(process)),
    count: () => seen.size,
    among: (processes) => {
      members = new Set();
      const byPid = new Map(processes.map((process) => [process.pid, process]));
      const untouchable = serviceAndAncestors(byPid);
      const isOfRun = runMarks(tree);
      const isInSession = ({ sessionId }: ProcessEntry) => {
        const leader = byPid.get(sessionId);
        return sessions.has(sessionId) && (leader === undefined || known.has(key(leader)));
      };
      const belongs = (process: MarkedProcessEntry) =>
        known.has(key(process)) || isOfRun(process) || members.has(process.parentPid) || isInSession(process);

      // A member can make members of those read before it: its children, and who is in its session.
      let before: number;
      do {
        before = members.size;
        for (const process of processes)
          if (!members.has(process.pid) && !untouchable.has(process.pid) && belongs(process)) admit(process);
      } while (members.size > before);

      const living = processes.filter(({ pid }) => members.has(pid));
      forgetEmptySessions(living);
      return living.filter((process) => !givenUp.has(key(process)));
    },
  };
};

/** Who carries the run's id or is in its control group, where the tree is all that is left of the run. */
const runMarks = (tree: ProcessTree): ((process: MarkedProcessEntry) => boolean) => {
  if (!tree.ownsRun()) return () => false;
  // Asked after the table was read: a number in it that has changed hands since is not signalled.
  const grouped = tree.groups?.members(tree.runId);
  return ({ pid, runId }) => runId === tree.runId || grouped?.has(pid) === true;
};

/** The service and its own ancestors, whatever their environment says: it may itself run inside an agent's run. */
const serviceAndAncestors = (byPid: ReadonlyMap<number, ProcessEntry>): ReadonlySet<number> => {
  const chain = new Set<number>([0, 1, process.pid]);
  let next = byPid.get(process.pid)?.parentPid ?? process.ppid;
  while (!chain.has(next)) {
    chain.add(next);
    next = byPid.get(next)?.parentPid ?? 0;
  }
  return chain;
};

const key = ({ pid, startedAt }: ProcessIdentity): string => `${pid}/${startedAt}`;
