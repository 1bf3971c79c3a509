import type * as Effect from "effect/Effect";
import { z } from "zod";
import {
  AdapterConfigInvalid,
  AdapterUnknown,
  AgentNotFound,
  AgentPendingApproval,
  AgentTerminated,
  UrlKeyTaken,
} from "../../../core/model/agents/agent.ts";
import { MaskWithoutValue } from "../../../core/model/agents/agent-config.ts";
import { LoaderVariables } from "../../../core/model/agents/loader-variables.ts";
import { AgentNotAssignable } from "../../../core/model/agents/named-agent.ts";
import { PathNotAllowed } from "../../../core/model/agents/named-paths.ts";
import { CompanyArchived, CompanyNotFound } from "../../../core/model/companies/company.ts";
import { GoalNotFound } from "../../../core/model/goals/goal.ts";
import { LabelNameTaken, LabelNotFound } from "../../../core/model/labels/label.ts";
import { ProjectArchived, ProjectNotFound } from "../../../core/model/projects/project.ts";
import { RoutineArchived, RoutineNotFound, StaleRevision } from "../../../core/model/routines/routine.ts";
import {
  CronInvalid,
  TimezoneInvalid,
  TriggerFieldsInvalid,
  TriggerNotFound,
} from "../../../core/model/routines/trigger.ts";
import { SecretVersionMissing } from "../../../core/model/secrets/binding.ts";
import { SecretDisabled } from "../../../core/model/secrets/secret.ts";
import { TooManyRecords } from "../../../core/model/shared/bounds.ts";
import { NotAllowed, ReferenceNotFound, WouldFormACycle } from "../../../core/model/shared/failure.ts";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import { TemplateInvalid } from "../../../core/model/templates/template-changes.ts";
import { RunnerRefused } from "../../../core/staff/agents/choose-runner.ts";
import { acting, actingOnInstance, boardInCompany, boardOnly } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { Name } from "../endpoint/values.ts";
import {
  AppliedTemplateShape,
  CompanyTemplateShape,
  ImportedCompanyShape,
  ShippedTemplateShape,
  TemplateInput,
} from "./template-shapes.ts";

/** Every refusal of the use cases by which a template is applied. */
const failuresOfApplying = [
  AdapterConfigInvalid,
  AdapterUnknown,
  AgentNotAssignable,
  AgentNotFound,
  AgentPendingApproval,
  AgentTerminated,
  CompanyNotFound,
  CronInvalid,
  GoalNotFound,
  LabelNameTaken,
  LabelNotFound,
  LoaderVariables,
  MaskWithoutValue,
  NotAllowed,
  PathNotAllowed,
  ProjectArchived,
  ProjectNotFound,
  ReferenceNotFound,
  RoutineArchived,
  RoutineNotFound,
  RunnerRefused,
  SecretDisabled,
  SecretVersionMissing,
  StaleRevision,
  TemplateInvalid,
  TimezoneInvalid,
  TooManyRecords,
  TriggerFieldsInvalid,
  TriggerNotFound,
  UrlKeyTaken,
  WouldFormACycle,
] as const;

const DryRun = z.boolean().optional().describe("Change nothing, and say what would change.");

export const templates = {
  template: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/template",
    summary: "Show a company as a template",
    description:
      "Its agents, organisation, labels, goals, projects and routines, by names: no history, no ids, no value of a secret. `boardroom companies export` writes it as a folder.",
    access: boardInCompany("viewer"),
    returns: CompanyTemplateShape,
    failures: [CompanyNotFound],
    run: ({ templates }, { companyId }) => templates.show({ companyId }),
  }),
  applyTemplate: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/apply-template",
    summary: "Change a company to match a template",
    description:
      "Changes only what differs, in one transaction; each change is checked and recorded like a request of its own. Fields and records that the template does not declare stay; with `prune`, records of declared lists that are not declared are removed: agents are terminated, labels deleted, all others archived.",
    access: acting("company", "applyTemplate"),
    body: z.strictObject({
      template: TemplateInput,
      prune: z.boolean().optional(),
      dryRun: DryRun,
    }),
    returns: AppliedTemplateShape,
    failures: [...failuresOfApplying],
    run: ({ templates }, input, { by }) => templates.apply({ ...input, by }),
  }),
  importTemplate: endpoint({
    method: "POST",
    path: "/api/companies/import-template",
    summary: "Make a company of a template",
    description:
      "In one transaction. The company is paused: resuming it starts its agents. You become its owner.",
    access: actingOnInstance("createCompany"),
    body: z.strictObject({ name: Name, template: TemplateInput, dryRun: DryRun }),
    returns: ImportedCompanyShape,
    creates: { again: null, keeps: () => true },
    failures: [...failuresOfApplying, CompanyArchived],
    run: ({ templates }, input, { by, newId }) =>
      templates.importCompany({ ...input, id: newId<CompanyId>(), by }),
  }),
  templates: endpoint({
    method: "GET",
    path: "/api/company-templates",
    summary: "List the templates that come with the service",
    description: "Each in the form in which a company is imported.",
    access: boardOnly,
    returns: z.array(ShippedTemplateShape).readonly(),
    run: ({ templates }) =>
      templates.shipped() as Effect.Effect<readonly z.output<typeof ShippedTemplateShape>[]>,
  }),
};
