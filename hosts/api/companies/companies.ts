import * as Effect from "effect/Effect";
import { z } from "zod";
import { companiesOf } from "../../../core/model/access/caller.ts";
import {
  BudgetExhausted,
  CompanyArchived,
  CompanyNotFound,
  companyStatuses,
} from "../../../core/model/companies/company.ts";
import { ReferenceNotFound } from "../../../core/model/shared/failure.ts";
import type { AssetId, CompanyId } from "../../../core/model/shared/ids.ts";
import { RunnerRefused } from "../../../core/staff/agents/choose-runner.ts";
import { acting, actingOnInstance, inCompany, signedIn } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { type InCompany, sharedRead } from "../endpoint/shared-read.ts";
import { Cents, listOf, Name, reference, ShortText, Text } from "../endpoint/values.ts";
import { AgentCausedRunLimit, CompanyShape, PulseShape } from "./company-shapes.ts";
import { houseRules } from "./house-rules.ts";
import { templates } from "./templates.ts";

export const companies = {
  list: endpoint({
    method: "GET",
    path: "/api/companies",
    summary: "List the companies you may access",
    description: "An agent sees its own company. Lists archived companies only if `status` names them.",
    access: signedIn,
    query: z.strictObject({ status: listOf(companyStatuses).optional() }),
    returns: z.array(CompanyShape).readonly(),
    run: ({ companies }, { status }, { caller }) =>
      companies.list(companiesOf(caller), status ?? ["active", "paused"], caller),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/companies",
    summary: "Create a company",
    description: "You become its owner.",
    access: actingOnInstance("createCompany"),
    body: z.strictObject({
      name: Name,
      description: Text.nullable().optional(),
      budgetMonthlyCents: Cents.optional(),
    }),
    returns: CompanyShape,
    status: 201,
    creates: {
      again: ({ companies }, id, { caller }) => companies.show(id as CompanyId, caller).pipe(Effect.orDie),
    },
    run: ({ companies }, input, { by, caller, newId }) =>
      companies
        .create({ ...input, id: newId<CompanyId>(), by })
        .pipe(Effect.flatMap(({ id }) => companies.show(id, caller).pipe(Effect.orDie))),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}",
    summary: "Show a company",
    description:
      "spentMonthlyCents covers the current month (UTC). A company in which you have no role answers 403, whether it exists or not.",
    access: inCompany("viewer"),
    returns: CompanyShape,
    failures: [CompanyNotFound],
    run: ({ companies }, { companyId }, { caller }) => companies.show(companyId, caller),
  }),
  pulse: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/pulse",
    summary: "Show who works on what now",
    description:
      "All agents with what they work on, the live runs, what failed today, and what today and this month cost. Days are UTC.",
    access: inCompany("viewer"),
    returns: PulseShape,
    failures: [CompanyNotFound],
    run: sharedRead(({ companies }, { companyId }: InCompany) => companies.pulse(companyId)),
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/companies/{companyId}",
    summary: "Change a company",
    description: "`budgetMonthlyCents` 0 means no limit.",
    access: acting("company", "update"),
    body: z.strictObject({
      name: Name.optional(),
      description: Text.nullable().optional(),
      budgetMonthlyCents: Cents.optional(),
      runner: ShortText.nullable()
        .optional()
        .describe("The runner of its agents that name none: local, or a template of the operator."),
      agentCausedRunLimit: AgentCausedRunLimit.optional(),
      logoAssetId: reference<AssetId>()
        .nullable()
        .optional()
        .describe("The assetId that the upload of a logo returned."),
    }),
    returns: CompanyShape,
    failures: [CompanyNotFound, ReferenceNotFound, RunnerRefused],
    run: ({ companies }, input, { by, caller }) =>
      companies.update({ ...input, by }).pipe(Effect.flatMap(({ id }) => companies.show(id, caller))),
  }),
  pause: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/pause",
    summary: "Pause a company",
    description: "Ends the live runs of all its agents; none starts until it is resumed.",
    access: acting("company", "pause"),
    returns: CompanyShape,
    failures: [CompanyArchived, CompanyNotFound],
    run: ({ companies }, { companyId }, { by, caller }) =>
      companies.pause({ companyId, by }).pipe(Effect.flatMap(({ id }) => companies.show(id, caller))),
  }),
  resume: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/resume",
    summary: "Resume a paused or archived company",
    description: "Wakes its agents once for each workable issue.",
    access: acting("company", "resume"),
    returns: CompanyShape,
    failures: [BudgetExhausted, CompanyArchived, CompanyNotFound],
    run: ({ companies }, { companyId }, { by, caller }) =>
      companies.resume({ companyId, by }).pipe(Effect.flatMap(({ id }) => companies.show(id, caller))),
  }),
  archive: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/archive",
    summary: "Archive a company",
    description: "Ends its work and hides it from the list. Until it is resumed it can only be read.",
    access: acting("company", "archive"),
    returns: CompanyShape,
    failures: [CompanyArchived, CompanyNotFound],
    run: ({ companies }, { companyId }, { by, caller }) =>
      companies.archive({ companyId, by }).pipe(Effect.flatMap(({ id }) => companies.show(id, caller))),
  }),
  ...houseRules,
  ...templates,
};
