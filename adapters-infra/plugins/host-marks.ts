import { createHash, randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import type { LocalProcessRunner } from "../../ports/process-runner.ts";

/** Marks the processes that a service starts for itself, so that a later service finds those of a dead one. */
export interface HostMarks {
  /** Returns a fresh mark: the value of SERVICE_RUN_ID in the process and its descendants. */
  readonly mark: () => string;
  /** Ends processes left by dead services of this machine. */
  readonly endOrphans: () => Promise<void>;
}

export const hostMarks = (processes: LocalProcessRunner): HostMarks => {
  const { host, service } = processes;
  const machine = createHash("sha256").update(host).digest("hex").slice(0, 12);
  const ofMachine = `adapter-host.${machine}.`;
  const own = `${ofMachine}${service.pid}.${encodeURIComponent(service.startedAt).replaceAll(".", "%2E")}.`;
  // An edge: the loader waits for a promise before it starts the first host.
  const end = (mark: string) => Effect.runPromise(processes.endOrphans(mark, null, 0));
  const ownerOf = (mark: string) => {
    const [pid = "", startedAt = ""] = mark.slice(ofMachine.length).split(".");
    return { pid: Number(pid), startedAt: decodeURIComponent(startedAt) };
  };
  return {
    mark: () => `${own}${randomUUID()}`,
    endOrphans: async () => {
      const marks = await Effect.runPromise(processes.runIdsAlive());
      for (const mark of marks) {
        if (!mark.startsWith(ofMachine) || mark.startsWith(own)) continue;
        if (!(await Effect.runPromise(processes.isAlive(ownerOf(mark))))) await end(mark);
      }
    },
  };
};
