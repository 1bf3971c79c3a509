import { clause } from "../../core/shared/sentence.ts";
import type { ProgramSpec } from "../../ports/process-runner.ts";
import type { EngineProgram } from "../runner-helper/engine-program.ts";
import { pause } from "../runner-helper/follow-log.ts";
import { volumeNameOf } from "../runner-helper/labels.ts";
import { RefusedByEngine } from "../runner-helper/refused.ts";
import { type Cluster, isPassing } from "./cluster.ts";
import { podOf } from "./pod.ts";
import type { Pod } from "./pod-status.ts";
import type { KubernetesTemplate } from "./template.ts";

export interface PodSettings {
  /** Returns the name of the ConfigMap with the helper. */
  readonly helper: () => Promise<string>;
  readonly deadlineSec: number;
  /** Between the kubelet's SIGTERM and SIGKILL. */
  readonly graceSec: number;
}

/** How long an API server that does not answer may take to create a pod. */
const createSec = 60;
const againMs = 1_000;

/** Creates the pod of a program, as soon as the API server and the quota let it; or says why it cannot be made. */
export const createPod = async (
  cluster: Cluster,
  template: KubernetesTemplate,
  { name, runId, workspace: { agentId, companyId }, stop, onPlacement }: EngineProgram,
  { helper, deadlineSec, graceSec }: PodSettings,
): Promise<Pod | { readonly startError: string }> => {
  const claimName = template.volume === null || agentId === null ? null : volumeNameOf(agentId);
  const wait = (waitsFor: string) => onPlacement({ node: null, waitsFor });
  const beganAt = performance.now();
  while (!stop.aborted) {
    const elapsedSec = (performance.now() - beganAt) / 1000;
    const isLate = elapsedSec > createSec;
    try {
      if (claimName !== null && template.volume !== null)
        await cluster.ensureClaim(claimName, template.volume);
      const helperName = await helper();
      const plan = { name, runId, companyId, agentId, helperName, claimName, deadlineSec, graceSec };
      const { status, message, body } = await cluster.createPod(podOf(template, plan));
      if (status === 201) return body as unknown as Pod;
      // The answer to an earlier attempt may have been lost; nobody else knows the name.
      const found = status === 409 ? await cluster.pod(name) : null;
      if (found !== null) return found;
      const isFull = status === 403 && /quota/i.test(message);
      if (isFull && elapsedSec < template.pendingSec)
        await wait(`The quota of the namespace leaves no room: ${message}`);
      else if (isFull || isLate || !isPassing(status))
        return { startError: `The cluster refuses its pod: ${message}` };
      else await wait(`The cluster makes no pod yet: ${message}`);
    } catch (error) {
      const { message } = error as Error;
      const refused = error instanceof RefusedByEngine;
      if (refused && (!error.passing || isLate)) return { startError: message };
      const silent = `The API server ${cluster.api.server} does not answer`;
      if (isLate) return { startError: `${silent}: ${clause(message)}.` };
      await wait(refused ? message : `${silent}.`);
    }
    await pause(againMs, stop);
  }
  return { startError: "It was stopped before its pod was made." };
};

/** When the kubelet ends a pod that nobody attends to: after its program's own time limit in any case. */
export const deadlineOf = (
  { timeoutSec, graceSec }: ProgramSpec,
  { pendingSec }: KubernetesTemplate,
  marginSec: number,
): number => Math.min(Math.ceil(timeoutSec + graceSec + pendingSec + marginSec), 2 ** 31 - 1);
