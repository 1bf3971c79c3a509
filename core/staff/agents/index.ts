import type { AdapterProbe } from "../../../ports/adapter-probe.ts";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Credentials } from "../../../ports/credentials.ts";
import type { Runners } from "../../../ports/runners.ts";
import type { SkillCatalogue } from "../../../ports/skill-catalogue.ts";
import type { Views } from "../../../ports/views.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { createAgent } from "./create-agent.ts";
import { createAgentKey } from "./create-agent-key.ts";
import { detectModel } from "./detect-model.ts";
import { explainAgent } from "./explain-agent.ts";
import type { ExplainAgents } from "./explain-agents.ts";
import { invokeAgent } from "./invoke-agent.ts";
import { offeredSkills } from "./offered-skills.ts";
import { pauseAgent } from "./pause-agent.ts";
import { releaseWorkspace } from "./release-workspace.ts";
import { resumeAgent } from "./resume-agent.ts";
import { revokeAgentKey } from "./revoke-agent-key.ts";
import { rollbackAgent } from "./rollback-agent.ts";
import { showAgent } from "./show-agent.ts";
import { showSkills } from "./show-skills.ts";
import { syncSkills } from "./sync-skills.ts";
import { terminateAgent } from "./terminate-agent.ts";
import { testEnvironment } from "./test-environment.ts";
import { updateAgent } from "./update-agent.ts";

/** The ports of agents, and how they are explained. */
interface AgentPorts extends UseCaseContext {
  readonly adapters: AdapterRegistry;
  readonly runners: Runners;
  readonly credentials: Credentials;
  readonly probe: AdapterProbe;
  readonly catalogue: SkillCatalogue;
  readonly views: Views;
  readonly explain: ExplainAgents;
}

/** The use cases of agents. */
export const agents = ({
  adapters,
  runners,
  credentials,
  probe,
  catalogue,
  views,
  explain,
  ...context
}: AgentPorts) => ({
  ...showAgent(views.agents, context.clock),
  explain: explainAgent(views, explain, context.clock),
  create: createAgent(adapters, runners)(context),
  update: updateAgent(adapters, runners)(context),
  rollback: rollbackAgent(adapters, runners)(context),
  testEnvironment: testEnvironment(context, adapters, runners, probe),
  detectModel: detectModel(context, adapters, probe),
  offeredSkills: offeredSkills(catalogue),
  skills: showSkills(context, adapters, probe, catalogue),
  syncSkills: syncSkills(context, adapters, probe, catalogue),
  pause: pauseAgent(context),
  resume: resumeAgent(context),
  terminate: terminateAgent(context),
  releaseWorkspace: releaseWorkspace(context),
  createKey: createAgentKey(credentials)(context),
  revokeKey: revokeAgentKey(context),
  invoke: invokeAgent(context),
});

export type Agents = ReturnType<typeof agents>;
