import type { Runners } from "../../ports/runners.ts";
import type { Views } from "../../ports/views.ts";
import type { UseCaseContext } from "../access/unit-of-work.ts";
import type { ExplainAgents } from "../staff/agents/explain-agents.ts";
import { createCompany } from "./create-company.ts";
import { measureDisk } from "./measure-disk.ts";
import { resumeCompany } from "./resume-company.ts";
import { showCompany } from "./show-company.ts";
import { showPulse } from "./show-pulse.ts";
import { stopCompany } from "./stop-company.ts";
import { updateCompany } from "./update-company.ts";
import { writeHouseRules } from "./write-house-rules.ts";

/** The use cases of companies. */
export const companies = (
  context: UseCaseContext,
  runners: Runners,
  views: Views,
  explain: ExplainAgents,
) => ({
  ...showCompany(views.companies, context.clock),
  create: createCompany(context),
  update: updateCompany(runners)(context),
  writeHouseRules: writeHouseRules(context),
  measureDisk: measureDisk(context),
  pulse: showPulse(views, explain, context.clock),
  pause: stopCompany("paused")(context),
  resume: resumeCompany(context),
  archive: stopCompany("archived")(context),
});

export type Companies = ReturnType<typeof companies>;
