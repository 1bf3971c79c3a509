import type { AdapterProbe } from "../../../ports/adapter-probe.ts";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Credentials } from "../../../ports/credentials.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Runners } from "../../../ports/runners.ts";
import type { SkillCatalogue } from "../../../ports/skill-catalogue.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import type { Views } from "../../../ports/views.ts";
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
import { showSkills } from "./show-skills.ts";
import { syncSkills } from "./sync-skills.ts";
import { terminateAgent } from "./terminate-agent.ts";
import { testEnvironment } from "./test-environment.ts";
import { updateAgent } from "./update-agent.ts";

/** The use cases of agents. */
export const agents = (
  transactor: Transactor,
  clock: Clock,
  ids: Ids,
  adapters: AdapterRegistry,
  runners: Runners,
  credentials: Credentials,
  probe: AdapterProbe,
  catalogue: SkillCatalogue,
  views: Views,
  explain: ExplainAgents,
) => ({
  explain: explainAgent(views, explain, clock),
  create: createAgent(transactor, clock, ids, adapters, runners),
  update: updateAgent(transactor, clock, ids, adapters, runners),
  rollback: rollbackAgent(transactor, clock, ids, adapters, runners),
  testEnvironment: testEnvironment(transactor, adapters, runners, probe),
  detectModel: detectModel(transactor, adapters, probe),
  offeredSkills: offeredSkills(catalogue),
  skills: showSkills(transactor, adapters, probe, catalogue),
  syncSkills: syncSkills(transactor, clock, ids, adapters, probe, catalogue),
  pause: pauseAgent(transactor, clock),
  resume: resumeAgent(transactor, clock, ids),
  terminate: terminateAgent(transactor, clock, ids),
  releaseWorkspace: releaseWorkspace(transactor, clock),
  createKey: createAgentKey(transactor, clock, credentials),
  revokeKey: revokeAgentKey(transactor, clock),
  invoke: invokeAgent(transactor, clock, ids),
});

export type Agents = ReturnType<typeof agents>;
