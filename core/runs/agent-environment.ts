import type { RunContext } from "../../ports/agent-adapter.ts";
import type { RunTask } from "../../ports/views/run-views.ts";
import { type AdapterConfig, plainVariables } from "../model/agents/agent-config.ts";
import { isServiceVariable } from "../model/agents/service-variables.ts";
import type { Run } from "../model/runs/run.ts";

export interface EnvironmentFacts {
  /** The part of the service's own environment that programs may see. */
  readonly base: Readonly<Record<string, string>>;
  readonly apiUrl: string;
  readonly token: string;
  readonly run: Pick<Run, "id" | "agentId" | "companyId">;
  readonly context: RunContext;
  /** The approvals whose decisions woke the agent, oldest first. */
  readonly decisions: RunTask["decisions"];
  /** For a program that traces its own work; null where the run is not traced. */
  readonly traceparent: string | null;
  readonly cwd: string;
  readonly config: AdapterConfig;
}

/**
 * Returns the complete environment of an agent's program: the allowed part of the service's own, the agent's variables,
 * and the service's variables, which take precedence. It never contains the service's secrets.
 */
export const agentEnvironment = (facts: EnvironmentFacts): Readonly<Record<string, string>> => {
  const { run, context } = facts;
  const [commentId] = context.wakeCommentIds.slice(-1);
  const [decision] = facts.decisions.slice(-1);
  return {
    ...facts.base,
    ...ownVariables(facts.config),
    ...(facts.traceparent === null ? {} : { TRACEPARENT: facts.traceparent }),
    AGENT_HOME: facts.cwd,
    SERVICE_API_URL: facts.apiUrl,
    SERVICE_API_KEY: facts.token,
    SERVICE_AGENT_ID: run.agentId,
    SERVICE_COMPANY_ID: run.companyId,
    SERVICE_RUN_ID: run.id,
    SERVICE_TASK_ID: context.issueId ?? "",
    SERVICE_WAKE_REASON: context.wakeReason,
    SERVICE_WAKE_PAYLOAD_JSON: JSON.stringify({ ...context.payload, wakeCommentIds: context.wakeCommentIds }),
    ...(commentId === undefined ? {} : { SERVICE_WAKE_COMMENT_ID: commentId }),
    ...(decision === undefined
      ? {}
      : {
          SERVICE_APPROVAL_ID: decision.id,
          SERVICE_APPROVAL_STATUS: decision.status,
          SERVICE_LINKED_ISSUE_IDS: decision.issueIds.join(","),
        }),
  };
};

/** The variables of an adapterConfig. They cannot set names of the service. */
export const ownVariables = (config: AdapterConfig): Readonly<Record<string, string>> =>
  Object.fromEntries(plainVariables(config).filter(([name]) => !isServiceVariable(name)));
