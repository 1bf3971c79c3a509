import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Runners } from "../../ports/runners.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Views } from "../../ports/views.ts";
import type { ExplainAgents } from "../staff/agents/explain-agents.ts";
import { createCompany } from "./create-company.ts";
import { measureDisk } from "./measure-disk.ts";
import { resumeCompany } from "./resume-company.ts";
import { showPulse } from "./show-pulse.ts";
import { stopCompany } from "./stop-company.ts";
import { updateCompany } from "./update-company.ts";
import { writeHouseRules } from "./write-house-rules.ts";

/** The use cases of companies. */
export const companies = (
  transactor: Transactor,
  clock: Clock,
  ids: Ids,
  runners: Runners,
  views: Views,
  explain: ExplainAgents,
) => ({
  create: createCompany(transactor, clock),
  update: updateCompany(transactor, clock, ids, runners),
  writeHouseRules: writeHouseRules(transactor, clock),
  measureDisk: measureDisk(transactor, clock),
  pulse: showPulse(views, explain, clock),
  pause: stopCompany(transactor, clock, "paused"),
  resume: resumeCompany(transactor, clock, ids),
  archive: stopCompany(transactor, clock, "archived"),
});

export type Companies = ReturnType<typeof companies>;
