import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import {
  type CheckTerms,
  checkEngine,
  type RefusesSubnets,
} from "../../../adapters-infra/runner-helper/check-engine.ts";
import type { RunnerFacts } from "../../../adapters-infra/runner-helper/engine.ts";
import {
  type EngineVolumes,
  engineIssueWorkspaces,
} from "../../../adapters-infra/runner-helper/engine-issue-workspaces.ts";
import { engineWorkspaces } from "../../../adapters-infra/runner-helper/engine-workspaces.ts";
import type { HandoverFiles } from "../../../adapters-infra/runner-helper/handover-files.ts";
import { leaseTimes } from "../../../core/model/runs/lease.ts";
import type { InstallationId, VolumeId } from "../../../core/model/shared/ids.ts";
import { clause } from "../../../core/model/shared/sentence.ts";
import type { ProcessRunner } from "../../../ports/process-runner.ts";
import type { Runner } from "../../../ports/runners.ts";
import type { Config } from "../config.ts";
import { checkout } from "../data-dir.ts";

/** A sentence for the operator. */
export interface Problem {
  readonly problem: string;
}

/** The parts of the service that the runner of a template needs. */
export interface RunnerParts {
  readonly config: Config;
  readonly installation: InstallationId;
  /** null: programs end with the service. */
  readonly handoverFiles: HandoverFiles | null;
}

/** The result of a template: a runner, or the reason for its absence. */
export type OpenedRunner = { readonly runner: Runner } | Problem;

interface EngineKind<Fields> {
  readonly kind: "docker" | "kubernetes";
  readonly schema: z.ZodType<Fields>;
  readonly terms: CheckTerms;
  readonly open: (
    fields: Fields,
    facts: Omit<RunnerFacts, "scope">,
  ) => Promise<
    | {
        readonly processes: ProcessRunner;
        readonly endingSec: number;
        /** null: nothing stays of a program. */
        readonly volumes: EngineVolumes | null;
        /** Left out: the service reads no rules of the engine's machine. */
        readonly refuses?: RefusesSubnets;
      }
    | Problem
  >;
}

/** Makes the runner of a template. */
export const openEngine = async <Fields>(
  name: string,
  template: unknown,
  { config, installation, handoverFiles }: RunnerParts,
  { kind, schema, terms, open }: EngineKind<Fields>,
): Promise<OpenedRunner> => {
  const parsed = schema.safeParse(template);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { problem: `${issue?.path.join(".") || "The template"}: ${clause(issue?.message ?? "")}.` };
  }
  const { agentUrl, dataDir, leaseSec } = config;
  if (agentUrl === null)
    return {
      problem: `SERVICE_AGENT_URL is not set: ${terms.kind}s cannot know where they reach the service.`,
    };
  const { recoveryBoundSec } = leaseTimes(leaseSec);
  // A program that outlives its service waits for the next one.
  const service = {
    installation,
    fenceSec: recoveryBoundSec + config.handoverSec,
    skills: join(dataDir, "skills"),
  };
  const opened = await open(parsed.data, { helper: await readHelper(), service, handover: handoverFiles });
  if ("problem" in opened) return opened;
  const { processes, endingSec, volumes, refuses } = opened;
  const workspaces = engineWorkspaces(terms.kind);
  return {
    runner: {
      name,
      kind,
      processes,
      workspaces,
      recoveryBoundSec: recoveryBoundSec + endingSec,
      volume: volumes === null ? null : (processes.scope as VolumeId),
      ...(volumes === null
        ? {}
        : { issueWorkspaces: engineIssueWorkspaces(installation, processes, volumes) }),
      check: () => checkEngine({ processes, workspaces }, agentUrl, terms, refuses),
    },
  };
};

/** The bundle of `adapters-infra/runner-helper`, next to this program. */
const readHelper = (): Promise<string> => {
  const root = checkout();
  const folder = root === null ? fileURLToPath(new URL(".", import.meta.url)) : join(root, "dist");
  return readFile(join(folder, "runner-helper.js"), "utf8");
};
