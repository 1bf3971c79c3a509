import { expect } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { handedOver, type MessageCrashPoint } from "./crash-points.ts";
import { eventually } from "./eventually.ts";
import { isLiving, stateOf } from "./run-processes.ts";
import type { ServiceProgram } from "./service-program.ts";

/** The words of the person in the scene. */
export const messageText = "Use the blue yarn.";

interface Scene {
  /** Suspends itself at a point of a message. */
  readonly service: ServiceProgram;
  readonly admin: Client;
  /** Its agent is about to run. */
  readonly issueId: string;
  /** The message is on its way to the program. */
  readonly onHanded?: () => void;
}

/** Says something to the run of the issue, and kills the service where it suspends itself. */
export const killedAtMessage = async ({ service, admin, issueId, onHanded = () => {} }: Scene) => {
  const runsBy = async (client: Client) => (await client.runs.ofIssue({ issueId })).items;
  const run = await eventually(
    async () => (await runsBy(admin))[0],
    (found) => found?.status === "running",
  );
  const runId = run!.id;
  await eventually(
    () => admin.runs.get({ runId }),
    ({ takesMessages }) => takesMessages,
  );
  const pid = service.child.pid!;
  // The service may be suspended before it answers.
  void admin.runs.say({ runId, body: messageText }).catch(() => {});
  await eventually(
    async () => service.output(),
    (output) => output.includes(handedOver),
  );
  onHanded();
  await eventually(
    async () => stateOf(pid),
    (state) => state === "T",
  );
  process.kill(pid, "SIGKILL");
  await eventually(
    async () => isLiving(pid),
    (living) => !living,
  );
  return {
    /** Another run has come after the lost one, and all have ended. */
    recovered: async (client: Client) => {
      const all = await eventually(
        () => runsBy(client),
        (found) => found.every(({ finishedAt }) => finishedAt !== null),
      );
      expect(all.length).toBeGreaterThan(1);
    },
    message: async (client: Client) => (await client.runs.messages({ runId })).items[0],
  };
};

/** A message that was not recorded is the next run's. */
export const deliveredAfter = (point: MessageCrashPoint) => ({
  state: point === "message-recorded" ? "injected" : "new_run",
  deliveredAt: expect.any(String),
});
