import { randomUUID } from "node:crypto";
import type { ProcessSupervision, ProgramSpec } from "../../ports/process-runner.ts";
import { pause } from "../runner-helper/follow-log.ts";
import { volumeNameOf } from "../runner-helper/labels.ts";
import { isPassing, RefusedByCluster } from "./cluster.ts";
import { helperGraceSec } from "./end-pods.ts";
import { attemptAnnotation, podOf } from "./pod.ts";
import type { PodProcessRunnerOptions, ProgramInPod } from "./pod-process-runner.ts";
import type { Pod } from "./pod-status.ts";
import type { KubernetesTemplate } from "./template.ts";

/** How long an API server that does not answer may take to create a pod. */
const createSec = 60;
const againMs = 1_000;

/** Creates the pod of a program, as soon as the API server and the quota let it; or says why it cannot be made. */
export const createPod = async (
  { cluster, template }: PodProcessRunnerOptions,
  spec: ProgramSpec,
  { runId, workspace }: ProcessSupervision,
  at: ProgramInPod,
): Promise<Pod | { readonly startError: string }> => {
  const attempt = randomUUID();
  const { agentId, companyId } = workspace;
  const claimName = template.volume === null || agentId === null ? null : volumeNameOf(agentId);
  const make = async () => {
    if (claimName !== null && template.volume !== null) await cluster.ensureClaim(claimName, template.volume);
    return cluster.createPod(
      podOf(template, {
        name: at.name,
        runId,
        attempt,
        companyId,
        agentId,
        helperName: await at.helper(),
        claimName,
        deadlineSec: deadlineOf(spec, template),
        graceSec: Math.ceil(spec.graceSec) + helperGraceSec,
      }),
    );
  };
  const beganAt = performance.now();
  while (!at.stop.aborted) {
    const elapsedSec = (performance.now() - beganAt) / 1000;
    try {
      const answer = await make();
      if (answer.status === 201 || answer.status === 200) return answer.body as unknown as Pod;
      if (answer.status === 409) {
        // The answer to an earlier attempt may have been lost.
        const found = await cluster.pod(at.name);
        if (found?.metadata.annotations?.[attemptAnnotation] === attempt) return found;
        return { startError: `The cluster has another pod of the name ${at.name}.` };
      }
      const waitsForQuota = answer.status === 403 && /quota/i.test(answer.message);
      if (waitsForQuota && elapsedSec < template.pendingSec)
        await at.onPlaced({
          node: null,
          waitsFor: `The quota of the namespace leaves no room: ${answer.message}`,
        });
      else if (waitsForQuota || !isPassing(answer.status))
        return { startError: `The cluster refuses its pod: ${answer.message}` };
      else if (elapsedSec > createSec) return { startError: `The cluster makes no pod: ${answer.message}` };
      else await at.onPlaced({ node: null, waitsFor: `The cluster makes no pod yet: ${answer.message}` });
    } catch (error) {
      const refused = error instanceof RefusedByCluster;
      if (refused && (!error.passing || elapsedSec > createSec)) return { startError: error.message };
      const silent = `The API server ${cluster.api.server} does not answer`;
      if (elapsedSec > createSec) return { startError: `${silent}: ${(error as Error).message}.` };
      await at.onPlaced({ node: null, waitsFor: refused ? error.message : `${silent}.` });
    }
    await pause(againMs, at.stop);
  }
  return { startError: "It was stopped before its pod was made." };
};

/** When the kubelet ends a pod that nobody attends to: after its program's own time limit in any case. */
export const deadlineOf = (spec: ProgramSpec, template: KubernetesTemplate): number =>
  Math.min(Math.ceil(spec.timeoutSec + spec.graceSec + template.pendingSec + 60), 2 ** 31 - 1);
