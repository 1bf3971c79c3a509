import { isUuid } from "../../core/shared/ids.ts";
import { pause } from "../runner-helper/follow-log.ts";
import { labelOf, runLabel } from "../runner-helper/labels.ts";
import type { DockerEngine } from "./docker-engine.ts";

/** Between the end of the grace of programs and SIGKILL for process 1. */
const helperGraceMs = 3_000;
/** How long requests to end what another service left are repeated; later it is tried again. */
const leftoverSec = 30;
/** How long the removal of a container that has ended is tried; afterwards the comparison of runs and containers removes it. */
const clearAwayMs = 30_000;
const endingPollMs = 300;
const checkKeptMs = 300_000;

/** Asks process 1 to end, again and again because it hears nothing before it has started; kills after the grace. */
export const askToEnd = async (
  engine: DockerEngine,
  id: string,
  graceSec: number,
  askedForMs: number,
): Promise<void> => {
  // A paused container hears nothing.
  await engine.unpause(id);
  await engine.signal(id, askedForMs > graceSec * 1000 + helperGraceMs ? "SIGKILL" : "SIGTERM");
};

export interface EndingContainer {
  readonly id: string;
  readonly name: string;
  readonly graceSec: number;
  /** The deadline, as in `performance.now()`; null: none of its processes lives. */
  readonly until: number | null;
}

/** Ends a container and removes it with its volume; asks until the engine answers. Returns false where it did not in time. */
export const endContainer = async (
  engine: DockerEngine,
  { id, name, graceSec, until }: EndingContainer,
): Promise<boolean> => {
  const beganAt = performance.now();
  const never = new AbortController().signal;
  let isOver = until === null;
  let deadline = until ?? beganAt + clearAwayMs;
  do {
    try {
      if (!isOver) {
        const found = await engine.container(id);
        isOver = found === null || !found.State.Running;
        if (isOver) deadline = performance.now() + clearAwayMs;
        else await askToEnd(engine, id, graceSec, performance.now() - beganAt);
      }
      if (isOver && (await engine.removeContainer(id)) && (await engine.removeVolume(name))) return true;
    } catch {
      // The engine is away.
    }
    await pause(endingPollMs, never);
  } while (performance.now() < deadline);
  return false;
};

/**
 * Ends and removes what the engine has of a run: one whose container is gone may have left its volume. Rejects where that
 * cannot be known: the run must not end before its programs.
 */
export const endRun = async (engine: DockerEngine, runId: string, graceSec: number): Promise<void> => {
  const label = `${runLabel}=${labelOf(runId)}`;
  const containers = await engine.containers(label);
  await Promise.all(
    containers.map(async ({ Id, Names, State }) => {
      const name = nameOf(Names);
      const until = State === "exited" ? null : performance.now() + (graceSec + leftoverSec) * 1000;
      if (await endContainer(engine, { id: Id, name, graceSec, until })) return;
      throw new Error(`Container ${name} has not ended: its engine does not answer. It is tried again.`);
    }),
  );
  for (const { Name } of await engine.volumes(label).catch(() => []))
    await engine.removeVolume(Name).catch(() => false);
};

/** The runs that have containers or volumes, ended ones included: they are to be removed. Removes old ones of checks. */
export const runIdsOn = async (engine: DockerEngine): Promise<ReadonlySet<string>> => {
  const containers = await engine.containers(runLabel).catch(() => []);
  const volumes = await engine.volumes(runLabel).catch(() => []);
  const runIds = new Set<string>();
  const old = Date.now() - checkKeptMs;
  for (const { Id, Names, Created, State, Labels } of containers) {
    const runId = Labels?.[runLabel] ?? "";
    if (isUuid(runId)) runIds.add(runId);
    else if (State !== "running" && Created * 1000 < old)
      await endContainer(engine, { id: Id, name: nameOf(Names), graceSec: 1, until: null });
  }
  for (const { Name, CreatedAt = "", Labels } of volumes) {
    const runId = Labels?.[runLabel] ?? "";
    if (isUuid(runId)) runIds.add(runId);
    else if (Date.parse(CreatedAt) < old) await engine.removeVolume(Name).catch(() => false);
  }
  return runIds;
};

const nameOf = (names: readonly string[]): string => (names[0] ?? "").replace(/^\//, "");
