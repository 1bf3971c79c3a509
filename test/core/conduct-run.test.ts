import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { describe, expect, it } from "vitest";
import type { RunCost } from "../../core/money/record-cost.ts";
import type { ClaimedRun } from "../../core/runs/claim-runs.ts";
import { conductRun } from "../../core/runs/conduct-run.ts";
import type { FinishRun } from "../../core/runs/finish-run.ts";
import type { Conduct } from "../../core/runs/run-supervision.ts";
import type { RunSupervision } from "../../ports/agent-runner.ts";
import { anAgent, aRun } from "../support/nouns.ts";
import { aWorkspace } from "../support/workspaces.ts";

const value = "canary-in-a-defect-77";
const agent = anAgent({
  adapterConfig: { command: "x", env: { API_TOKEN: { type: "secret_ref", secretId: "s" } } },
});
const claimed = {
  run: aRun({ status: "running" }),
  agent,
  issue: null,
  session: null,
  code: null,
} as unknown as ClaimedRun;

/** Conducts a run whose value is in every possible defect; returns all that was logged. */
const conducted = async (execute: (supervision: RunSupervision) => Effect.Effect<never>) => {
  const output: string[] = [];
  const finished: FinishRun[] = [];
  const costs: RunCost[] = [];
  const broken = Effect.die(new Error(`it broke near ${value}, ${encodeURIComponent(value)}`));
  const deps = {
    runs: {
      recordEvent: () => Effect.void,
      recordCost: (_: unknown, cost: RunCost) => {
        costs.push(cost);
        return broken;
      },
      finish: (command: FinishRun) => Effect.sync(() => void finished.push(command)),
    },
    views: {
      mcpServers: { list: () => Effect.succeed([]) },
      runs: {
        task: () =>
          Effect.succeed({
            companyName: "A",
            houseRules: "",
            issue: null,
            comments: [],
            commentIds: [],
            decisions: [],
          }),
      },
    },
    agentRunner: {
      execute: (_type: string, _assignment: unknown, _at: unknown, supervision: RunSupervision) =>
        execute(supervision),
    },
    runLogs: {
      open: () => Effect.succeed({ write: () => Effect.void, tail: () => "", close: () => broken }),
    },
    credentials: { mintRunToken: () => Effect.succeed("run-token") },
    secrets: {
      resolve: () => Effect.succeed([{ variable: "API_TOKEN", value: Redacted.make(value) }]),
    },
    runners: {
      get: () => ({
        processes: { mayOutlive: false },
        workspaces: { prepare: () => Effect.succeed(aWorkspace("/work")) },
      }),
    },
    handover: null,
    apiUrl: () => "http://127.0.0.1",
    onFailure: (what: string, defect: string) => output.push(`${what}: ${defect}`),
  } as unknown as Conduct;
  await Effect.runPromise(conductRun(deps)(claimed, new AbortController().signal));
  return { output, finished, costs };
};

describe("the service's log of a failed run", () => {
  it("holds no value of the run, whatever the defect", async () => {
    const { output, finished, costs } = await conducted((supervision) =>
      supervision
        .onUsage({
          usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 },
          model: `model-${value}`,
        })
        .pipe(Effect.andThen(Effect.die(new Error(`the adapter broke over ${value}`)))),
    );
    expect(output.map((line) => line.split(":")[0])).toEqual([
      "the cost of a run could not be recorded yet",
      "a run could not be carried out",
      "the end of a run's log could not be stored",
    ]);
    expect(costs[0]?.model).toBe("model-••••");
    expect(finished).toMatchObject([{ outcome: "service_failed" }]);
    expect(JSON.stringify([output, finished, costs])).not.toContain(value);
    for (const line of output) expect(line).toContain("••••");
  });
});
