import type { AdapterProbe } from "../../ports/adapter-probe.ts";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Credentials } from "../../ports/credentials.ts";
import type { Ids } from "../../ports/ids.ts";
import type { SkillCatalogue } from "../../ports/skill-catalogue.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { createAgentKey, revokeAgentKey } from "./agent-keys.ts";
import { showSkills, syncSkills } from "./agent-skills.ts";
import { rollbackAgent, updateAgent } from "./configure-agent.ts";
import { createAgent } from "./create-agent.ts";
import { pauseAgent, resumeAgent, terminateAgent } from "./hold-agent.ts";
import { invokeAgent } from "./invoke-agent.ts";

/** The use cases of agents. */
export const agents = (
  transactor: Transactor,
  clock: Clock,
  ids: Ids,
  adapters: AdapterRegistry,
  credentials: Credentials,
  probe: AdapterProbe,
  catalogue: SkillCatalogue,
) => ({
  create: createAgent(transactor, clock, ids, adapters),
  update: updateAgent(transactor, clock, ids, adapters),
  rollback: rollbackAgent(transactor, clock, ids, adapters),
  skills: showSkills(transactor, adapters, probe, catalogue),
  syncSkills: syncSkills(transactor, clock, ids, adapters, probe, catalogue),
  pause: pauseAgent(transactor, clock),
  resume: resumeAgent(transactor, clock, ids),
  terminate: terminateAgent(transactor, clock, ids),
  createKey: createAgentKey(transactor, clock, credentials),
  revokeKey: revokeAgentKey(transactor, clock),
  invoke: invokeAgent(transactor, clock, ids),
});

export type Agents = ReturnType<typeof agents>;
