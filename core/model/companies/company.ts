import type { Result } from "effect/Result";
import { fail, succeed } from "effect/Result";
import { refusal } from "../shared/failure.ts";
import type { CompanyId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { type Moves, mayMove } from "../shared/moves.ts";

export const companyStatuses = ["active", "paused", "archived"] as const;
export type CompanyStatus = (typeof companyStatuses)[number];

/** The statuses of companies whose programs run; a company that was just imported is paused. */
export const workingCompanyStatuses = ["active"] as const satisfies readonly CompanyStatus[];

export const isWorking = (status: CompanyStatus): boolean =>
  (workingCompanyStatuses as readonly CompanyStatus[]).includes(status);

export const companyMoves = {
  active: { paused: "pause", archived: "archive" },
  paused: { active: "resume", archived: "archive" },
  archived: { active: "resume" },
} satisfies Moves<CompanyStatus>;

export interface Company {
  readonly id: CompanyId;
  readonly name: string;
  readonly description: string | null;
  readonly status: CompanyStatus;
  /** Letters before the number of each issue, unique over the instance. */
  readonly issuePrefix: string;
  /** 0 means no limit. */
  readonly budgetMonthlyCents: number;
  /** When its budget was used up; the stored status stays as it is. */
  readonly heldByBudgetAt: Instant | null;
  /** The runner of its agents that name none; null: the service's default. */
  readonly runner: string | null;
  /** How many runs agents alone may cause for one of its agents in 10 minutes before a person must act; 0: any number. */
  readonly agentCausedRunLimit: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export class CompanyNotFound extends refusal("company_not_found", "not_found", "Company not found.") {}

export class CompanyArchived extends refusal(
  "company_archived",
  "conflict",
  "This company is archived. Resume it to make changes.",
) {}

export class CompanyNotActive extends refusal(
  "company_not_active",
  "conflict",
  "This company is paused or archived. Resume it first.",
) {}

export class BudgetExhausted extends refusal(
  "budget_exhausted",
  "conflict",
  "The monthly budget of the company or the agent is used up. Raise it or wait for the new month.",
) {}

/** A move to the current status changes nothing and is not refused. */
export const moveCompany = (
  company: Company,
  to: CompanyStatus,
  at: Instant,
): Result<Company, CompanyArchived> =>
  company.status === to
    ? succeed(company)
    : mayMove(companyMoves, company.status, to)
      ? succeed({ ...company, status: to, updatedAt: at })
      : fail(new CompanyArchived());

/** Refuses every change of an archived company. Only resuming it does not ask. */
export const takesWrites = (status: CompanyStatus): Result<void, CompanyArchived> =>
  status === "archived" ? fail(new CompanyArchived()) : succeed(undefined);

/** First three letters of the name, `CMP` where it has none. */
export const issuePrefixOf = (name: string): string => {
  const letters = name
    .normalize("NFKD")
    .toUpperCase()
    .replace(/[^A-Z]/g, "")
    .slice(0, 3);
  return letters === "" ? "CMP" : letters;
};

/** The n-th candidate if earlier ones are in use: ABC, ABCA, ABCB, … ABCZ, ABCAA. */
export const nextIssuePrefix = (base: string, n: number): string => {
  let suffix = "";
  for (let rest = n; rest > 0; rest = Math.floor((rest - 1) / 26))
    suffix = String.fromCharCode(65 + ((rest - 1) % 26)) + suffix;
  return base + suffix;
};
