import { existsSync, writeFileSync } from "node:fs";
import { chmod, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { logOf } from "./counted-output.ts";
import { eventually } from "./eventually.ts";
import type { ScriptStep } from "./model-api/scripted-model.ts";
import { type AnyScene, agentOf } from "./real-clis.ts";
import { carriersOf } from "./run-processes.ts";

const patient = { withinMs: 120_000, everyMs: 200 };

/** codex asks only for what its model wants to do outside of its own sandbox. */
export const askingStep = (program: string, command: string): ScriptStep =>
  program === "codex"
    ? {
        tool: "exec_command",
        args: { cmd: command, sandbox_permissions: "require_escalated", justification: "It is elsewhere." },
      }
    : command;

/** For homes and data of real programs: codex starts no sandbox where its home is below the folder of temporary files. */
export const noTemporaryFolder = "/var/tmp";

/** A folder that agents of any user may write to, where the service shows it to them. */
export const scratchFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "people-"));
  await chmod(folder, 0o777);
  return folder;
};

interface AskingRun {
  readonly issueId: string;
  readonly runId: string;
}

/**
 * A program asks people and is allowed, denied and left without an answer; gets a message while it works; is interrupted, and continues its
 * session. None of its processes outlives a run. Its files are this machine's, unless `look` knows better.
 */
export const workWithPeople = async (
  scene: AnyScene & {
    readonly program: string;
    /** A folder that its commands write to. */
    readonly scratch: string;
    readonly exists?: (path: string) => boolean;
    readonly make?: (path: string) => void;
  },
): Promise<void> => {
  const { admin, companyId, model, program } = scene;
  const { exists = existsSync, make = (path: string) => writeFileSync(path, "") } = scene;
  const path = (name: string) => join(scene.scratch, `${name}-by-${program}`);
  const asks = { ...scene.adapterConfig, permissions: "ask", graceSec: 1 };
  const patientAgent = await agentOf({ ...scene, adapterConfig: asks }, "Asker");
  const hasty = { ...scene, adapterConfig: { ...asks, permissionWaitSec: 2 } };
  const hastyAgent = await agentOf(hasty, "Hasty Asker");

  const begin = async (assigneeAgentId: string, title: string, command: string) => {
    model.forget();
    model.script([askingStep(program, command)], "That is all.");
    const { id: issueId } = await admin.issues.create({ companyId, title, assigneeAgentId });
    const [card] = await eventually(
      async () => (await admin.interactions.list({ issueId })).items,
      (items) => items.length > 0,
      patient,
    );
    // Some programs show a command in its title alone.
    expect(JSON.stringify(card)).toContain(`-by-${program}`);
    const [run] = (await admin.runs.ofIssue({ issueId })).items;
    const answer = { issueId, interactionId: card!.id };
    return { issueId, runId: run!.id, answer };
  };
  const ended = async (runId: string) => {
    const run = await eventually(
      () => admin.runs.get({ runId }),
      ({ finishedAt }) => finishedAt !== null,
      patient,
    );
    expect(carriersOf([runId])).toEqual([]);
    return run;
  };
  /** Some programs ask more than once: for a command and for its folder, or again after a word. */
  const acceptAll = async ({ issueId, runId }: AskingRun) => {
    for (const { id: interactionId, status } of await interactionsOf(issueId, runId))
      if (status === "pending") await admin.interactions.accept({ issueId, interactionId });
  };
  const acceptUntilThere = (run: AskingRun, name: string) =>
    eventually(
      async () => {
        await acceptAll(run);
        return exists(path(name));
      },
      (there) => there,
      patient,
    );
  const endedWithYes = async (run: AskingRun) => {
    const { runId } = run;
    await eventually(
      async () => {
        await acceptAll(run);
        return admin.runs.get({ runId });
      },
      ({ finishedAt }) => finishedAt !== null,
      patient,
    );
    return ended(runId);
  };
  const close = (issueId: string) => admin.issues.update({ issueId, status: "cancelled" });
  const interactionsOf = async (issueId: string, runId: string) =>
    (await admin.interactions.list({ issueId })).items.filter(({ sourceRunId }) => sourceRunId === runId);

  const allowed = await begin(patientAgent, "Allowed", `touch ${path("allowed")}`);
  expect(exists(path("allowed"))).toBe(false);
  expect(await endedWithYes(allowed)).toMatchObject({ status: "succeeded" });
  expect(exists(path("allowed"))).toBe(true);
  await close(allowed.issueId);

  const denied = await begin(patientAgent, "Denied", `touch ${path("denied")}`);
  await admin.interactions.reject({ ...denied.answer, reason: "Not that." });
  await ended(denied.runId);
  expect(await logOf(admin, denied.runId)).toMatch(/refused \(ask\): .*Not that\./);
  await close(denied.issueId);

  const expired = await begin(hastyAgent, "Expired", `touch ${path("expired")}`);
  await ended(expired.runId);
  expect(await interactionsOf(expired.issueId, expired.runId)).toMatchObject([{ status: "expired" }]);
  expect(await logOf(admin, expired.runId)).toContain("refused (ask): ");
  await close(expired.issueId);
  expect(["denied", "expired"].map((name) => exists(path(name)))).toEqual([false, false]);

  const wait = `touch ${path("begun")}; while [ ! -e ${path("go")} ]; do sleep 0.1; done`;
  const waiting = await begin(patientAgent, "A word", wait);
  await acceptUntilThere(waiting, "begun");
  await admin.runs.say({ runId: waiting.runId, body: "Use the blue yarn." });
  // Some programs say that they have it only when their command has ended.
  await eventually(
    () => logOf(admin, waiting.runId),
    (content) => content.includes("Use the blue yarn."),
    patient,
  );
  make(path("go"));
  await endedWithYes(waiting);
  const [message] = (await admin.runs.messages({ runId: waiting.runId })).items;
  expect(message).toMatchObject({ state: expect.stringMatching(/^(injected|queued)$/), nextRunId: null });
  expect(message?.deliveredAt).not.toBeNull();
  // Codex asks for a title of its session last, which is no part of the conversation.
  const asked = model.requests.filter((each) => JSON.stringify(each).includes("Use the blue yarn."));
  const conversation = scene.cli.conversation({ ...model, requests: asked.slice(-1) });
  expect(conversation.split("Use the blue yarn.")).toHaveLength(2);
  await close(waiting.issueId);

  const stopped = await begin(patientAgent, "Interrupted", `touch ${path("long")}; sleep 614`);
  await acceptUntilThere(stopped, "long");
  await admin.runs.interrupt({ runId: stopped.runId });
  const interrupted = await ended(stopped.runId);
  expect(interrupted).toMatchObject({ status: "cancelled", errorCode: "turn_interrupted" });
  expect(interrupted.sessionIdAfter).not.toBeNull();
  model.forget();
  model.script([], "I know.");
  await admin.issues.comment({ issueId: stopped.issueId, body: "Go on." });
  const next = await eventually(
    async () => (await admin.runs.ofIssue({ issueId: stopped.issueId })).items,
    (runs) => runs.length > 1 && runs.every(({ finishedAt }) => finishedAt !== null),
    // One program loses a session that is loaded in the minute in which it was made, so its adapter waits.
    { withinMs: 180_000, everyMs: 200 },
  );
  const [first] = next.filter(({ id }) => id > stopped.runId).reverse();
  expect(first).toMatchObject({ sessionIdBefore: interrupted.sessionIdAfter, summary: "I know." });
  expect(scene.cli.conversation(model)).toContain("sleep 614");
};
