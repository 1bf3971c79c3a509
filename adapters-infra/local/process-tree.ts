import type { InstallationId } from "../../core/model/shared/ids.ts";
import type { LocalProcess } from "../../ports/process-runner.ts";
import type { MarkedProcessEntry, ProcessEntry } from "./process-table.ts";
import type { RunGroups } from "./run-groups.ts";

/** The processes to end with one program: its descendants and its session, or all that remain of its run. */
export interface ProcessTree {
  /** Processes of another one are not touched, whatever their run. */
  readonly installation: InstallationId;
  readonly runId: string;
  /** The program itself; null when only the run id is known. */
  readonly root: LocalProcess | null;
  /**
   * Whether the service has supervised the program since its start, so that the session it led is still its own after
   * its end. Otherwise the session counts only while the program lives.
   */
  readonly attended: boolean;
  /**
   * `bornAt` of the first program of the run; processes born before it are not of the run. null: it is not known, or
   * other services have started programs of the run.
   */
  readonly since: number | null;
  /** The control groups that hold the processes of runs. */
  readonly groups: RunGroups | null;
  /**
   * The executable that wraps an isolated program. A SIGTERM would end it at once, without the program's grace period;
   * it exits by itself after the program.
   */
  readonly wrapper: string | null;
  /** Whether the tree is the whole run: no other program of the run is live. Called at each scan. */
  ownsRun(): boolean;
  /** Processes of the run that have received SIGTERM from the end of any of its programs. */
  readonly asked: Set<string>;
  /** Whether the process is the live program of another run. */
  isOfOther(program: LocalProcess): boolean;
}

export interface TreeMembers {
  among(processes: readonly MarkedProcessEntry[]): Promise<readonly ProcessEntry[]>;
  /** Whether all processes of that group are members. */
  ownsGroup(groupId: number): boolean;
  /** Excludes a process that may not be signalled. */
  ignore(process: ProcessEntry): void;
  count(): number;
}

/** Finds and remembers the members of a tree: a member stays one when its parent has died and init has adopted it. */
export const treeMembers = (tree: ProcessTree): TreeMembers => {
  const known = new Set<string>(tree.root === null ? [] : [processKey(tree.root)]);
  const seen = new Set<string>();
  const ignored = new Set<string>();
  /**
   * Sessions that a member leads. The number stays reserved while the session has processes, even without its leader.
   */
  const sessions = new Set<number>(tree.root !== null && tree.attended ? [tree.root.pid] : []);
  let members = new Set<number>();

  const admit = (process: MarkedProcessEntry) => {
    members.add(process.pid);
    known.add(processKey(process));
    seen.add(processKey(process));
    if (process.sessionId === process.pid) sessions.add(process.pid);
  };
  /** The number of an empty session may be reused. */
  const forgetEmptySessions = (living: readonly ProcessEntry[]) => {
    const inhabited = new Set(living.map(({ sessionId }) => sessionId));
    for (const session of sessions) if (!inhabited.has(session)) sessions.delete(session);
  };

  return {
    ownsGroup: (groupId) => members.has(groupId) || sessions.has(groupId),
    ignore: (process) => ignored.add(processKey(process)),
    count: () => seen.size,
    among: async (processes) => {
      const byPid = new Map(processes.map((process) => [process.pid, process]));
      const isOfRun = await runMarks(tree, processes, byPid);
      members = new Set();
      const untouchable = serviceAndAncestors(byPid);
      const isInSession = ({ sessionId }: ProcessEntry) => {
        const leader = byPid.get(sessionId);
        return sessions.has(sessionId) && (leader === undefined || known.has(processKey(leader)));
      };
      const belongs = (process: MarkedProcessEntry) =>
        known.has(processKey(process)) ||
        isOfRun(process) ||
        members.has(process.parentPid) ||
        isInSession(process);

      // A member can add members among those read before it: its children and the processes of its session.
      let before: number;
      do {
        before = members.size;
        for (const process of processes)
          if (!members.has(process.pid) && !untouchable.has(process.pid) && belongs(process)) admit(process);
      } while (members.size > before);

      const living = processes.filter(({ pid }) => members.has(pid));
      forgetEmptySessions(living);
      return living.filter((process) => !ignored.has(processKey(process)));
    },
  };
};

/** Matches processes with the run's id or in its control group, where the tree is all that remains of the run. */
const runMarks = async (
  tree: ProcessTree,
  processes: readonly MarkedProcessEntry[],
  byPid: ReadonlyMap<number, MarkedProcessEntry>,
): Promise<(process: MarkedProcessEntry) => boolean> => {
  if (!tree.ownsRun()) return () => false;
  // Read after the table: a pid reused since then is not signalled.
  const grouped = tree.groups?.members(tree.runId);
  const { since } = tree;
  const found = new Set<MarkedProcessEntry>();
  const isOfOther = descendantsOfOthers(tree, byPid);
  for (const process of processes) {
    if (since !== null && process.bornAt !== null && process.bornAt < since) continue;
    if (grouped?.has(process.pid) === true) found.add(process);
    else if (!isOfOther(process) && (await process.runIdOf(tree.installation)) === tree.runId)
      found.add(process);
  }
  // Another program of the run may have started meanwhile.
  return (process) => tree.ownsRun() && found.has(process);
};

/**
 * Matches live programs of other runs and the processes below them, whose environment need not be read: those runs end
 * them. A child is not older than its parent, whose pid another process may have had before.
 */
const descendantsOfOthers = (
  tree: ProcessTree,
  byPid: ReadonlyMap<number, MarkedProcessEntry>,
): ((process: MarkedProcessEntry) => boolean) => {
  const answers = new Map<number, boolean>();
  const isOfOther = (process: MarkedProcessEntry): boolean => {
    const known = answers.get(process.pid);
    if (known !== undefined) return known;
    // A circle of parents would be the fault of a scan while pids were reused.
    answers.set(process.pid, false);
    const parent = byPid.get(process.parentPid);
    const isChild = parent !== undefined && (parent.bornAt ?? 0) <= (process.bornAt ?? 0);
    const answer = tree.isOfOther(process) || (isChild && isOfOther(parent));
    answers.set(process.pid, answer);
    return answer;
  };
  return isOfOther;
};

/**
 * Excludes the service and its ancestors, whatever their environment: the service may itself run inside an agent's run.
 */
const serviceAndAncestors = (byPid: ReadonlyMap<number, ProcessEntry>): ReadonlySet<number> => {
  const chain = new Set<number>([0, 1, process.pid]);
  let next = byPid.get(process.pid)?.parentPid ?? process.ppid;
  while (!chain.has(next)) {
    chain.add(next);
    next = byPid.get(next)?.parentPid ?? 0;
  }
  return chain;
};

/** Identifies a process also once its pid is that of another one. */
export const processKey = ({ pid, startedAt }: LocalProcess): string => `${pid}/${startedAt}`;
