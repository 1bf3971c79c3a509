import type { AnyHold } from "./holds.ts";

interface HoldWords {
  /** The hold as a clause about an agent. */
  readonly because: string;
  /** The end of a sentence that begins with "Nothing until". */
  readonly until: string;
}

/** A clause for each hold. In a file without imports, so that the page loads little. */
export const holdWords: Readonly<Record<AnyHold, HoldWords>> = {
  manual: {
    because: "it is paused",
    until: "a person resumes the agent",
  },
  budget: {
    because: "its monthly budget is used up",
    until: "the budget is raised or the new month begins",
  },
  company: {
    because: "its company is paused",
    until: "a person resumes the company",
  },
  company_budget: {
    because: "the monthly budget of its company is used up",
    until: "the company's budget is raised or the new month begins",
  },
  project_budget: {
    because: "the monthly budget of the project is used up",
    until: "the project's budget is raised or the new month begins",
  },
  restored: {
    because: "the database was restored from a backup",
    until: "an instance admin releases the agents of the restored database",
  },
};
