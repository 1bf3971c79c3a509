import { readlinkSync } from "node:fs";
import * as Effect from "effect/Effect";
import type { LocalProcess } from "../../ports/process-runner.ts";
import type { ProcessEntry, ProcessTable } from "./process-table.ts";
import { type ProcessTree, processKey, type TreeMembers, treeMembers } from "./process-tree.ts";

/** Interval between two scans for processes that received SIGTERM. */
const pollMs = 25;
/** Interval when SIGKILL has not worked yet: the kernel blocks the process (a stuck disk). */
const slowestPollMs = 1_000;

/**
 * Ends every process of the tree: SIGTERM, up to `graceSec` to exit, then SIGKILL until two consecutive scans find
 * nothing. Skips a process that may not be signalled (another user's, through sudo) after one attempt. Not
 * interruptible.
 */
export const endTree = (
  table: ProcessTable,
  tree: ProcessTree,
  graceSec: number,
): Effect.Effect<{ readonly found: number }> =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const members = treeMembers(tree);
      const graceEndsAt = performance.now() + graceSec * 1000;
      let emptyScans = 0;
      let attempts = 0;

      while (emptyScans < 2) {
        const living = yield* Effect.promise(async () => members.among(await table.list()));
        if (living.length === 0) {
          // One scan can miss a child born during the scan; a second one cannot miss that child.
          emptyScans += 1;
          continue;
        }
        emptyScans = 0;
        if (performance.now() < graceEndsAt) {
          const fresh = living.filter((process) => !tree.asked.has(processKey(process)));
          for (const process of fresh) tree.asked.add(processKey(process));
          signal(
            table,
            fresh.filter(({ pid }) => !isWrapper(pid, tree.wrapper)),
            "SIGTERM",
            members,
          );
          yield* allGone(table, living, graceEndsAt);
        } else {
          if (tree.ownsRun()) tree.groups?.kill(tree.runId);
          signal(table, living, "SIGKILL", members);
          attempts += 1;
          yield* allGone(table, living, performance.now() + Math.min(slowestPollMs, pollMs * attempts));
        }
      }
      if (tree.ownsRun()) tree.groups?.forget(tree.runId);
      return { found: members.count() };
    }),
  );

/** Waits until all of them have ended or the time is up. */
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

const isWrapper = (pid: number, wrapper: string | null): boolean => {
  if (wrapper === null) return false;
  try {
    return readlinkSync(`/proc/${pid}/exe`) === wrapper;
  } catch {
    return false;
  }
};

/** Whether exactly this process lives, not another with its pid. */
export const isAlive = (table: ProcessTable, identity: LocalProcess): boolean =>
  table.find(identity.pid)?.startedAt === identity.startedAt;

const signal = (
  table: ProcessTable,
  processes: readonly ProcessEntry[],
  name: "SIGTERM" | "SIGKILL",
  members: TreeMembers,
): void => {
  const groups = new Set<number>();
  for (const target of processes) {
    // The pid may be reused by now: look again immediately before the signal.
    const now = table.find(target.pid);
    // The group signal has reached it already. Many programs take a second SIGTERM for "at once".
    if (now?.startedAt !== target.startedAt || groups.has(now.groupId)) continue;
    // Signals a whole group in one call, which no fork can escape.
    if (members.ownsGroup(now.groupId) && send(-now.groupId, name)) {
      groups.add(now.groupId);
    } else if (!send(target.pid, name)) {
      members.ignore(target);
    }
  }
  // A stopped process receives SIGTERM only after SIGCONT.
  if (name === "SIGTERM") {
    for (const target of processes) if (isAlive(table, target)) send(target.pid, "SIGCONT");
  }
};

/** Returns false where permission is missing. A process that has ended counts as signalled. */
const send = (pid: number, name: NodeJS.Signals): boolean => {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EPERM";
  }
};
