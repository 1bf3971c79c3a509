import type { AnyHold } from "./holds.ts";

interface HoldMessages {
  /** The hold as a clause about an agent. */
  readonly because: string;
  /** The end of a sentence that begins with "Waiting until". */
  readonly until: string;
}

/** A clause for each hold. In a file without imports, so that the page loads little. */
export const holdMessages: Readonly<Record<AnyHold, HoldMessages>> = {
  manual: {
    because: "paused",
    until: "you resume the agent",
  },
  budget: {
    because: "over its monthly budget",
    until: "the budget is raised or the new month begins",
  },
  company: {
    because: "the company is paused",
    until: "you resume the company",
  },
  company_budget: {
    because: "the company is over its monthly budget",
    until: "the company's budget is raised or the new month begins",
  },
  project_budget: {
    because: "the project is over its monthly budget",
    until: "the project's budget is raised or the new month begins",
  },
  restored: {
    because: "the database was restored from a backup",
    until: "an instance admin releases the restored agents",
  },
};
