import * as Effect from "effect/Effect";
import type { Handover } from "../../../ports/process-runner.ts";

/** The programs on this machine and those on engines as one; null: all end with their service. */
export const joinedHandover = (given: readonly (Handover | null | undefined)[]): Handover | null => {
  const parts = given.filter((part) => part != null);
  const [first] = parts;
  if (first === undefined) return null;
  /** By the address of a run that was left. */
  const owners = new Map<string, Handover>();
  return {
    sec: first.sec,
    folders: () => [...new Set(parts.flatMap((part) => part.folders()))],
    orphansIn: (folder) =>
      Effect.map(
        Effect.forEach(parts, (part) =>
          Effect.tap(part.orphansIn(folder), (found) =>
            Effect.sync(() => {
              for (const { address } of found) owners.set(address, part);
            }),
          ),
        ),
        (found) => found.flat(),
      ),
    takeOver: (orphan) => owners.get(orphan.address)?.takeOver(orphan) ?? Effect.succeed(null),
    endOrphanSteps: (orphan) => owners.get(orphan.address)?.endOrphanSteps(orphan),
    supervises: (runId) => parts.some((part) => part.supervises(runId)),
    release: (runId) => {
      for (const part of parts) part.release(runId);
    },
    leave: () => {
      for (const part of parts) part.leave();
    },
    hasDetached: () => parts.some((part) => part.hasDetached()),
  };
};
