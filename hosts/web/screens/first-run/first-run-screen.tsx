import { useState } from "react";
import { useSearchParams } from "wouter";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { useSession } from "../../live/session.ts";
import { Button } from "../../widgets/button.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { ErrorView } from "../../widgets/error-view.tsx";
import { Form, SelectField, TextArea } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { Page } from "../../widgets/page.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { FirstIssue } from "./first-issue.tsx";
import { HireFirst } from "./hire-first.tsx";
import { CompanyName, ImportTemplate } from "./import-template.tsx";

type Company = AnswerOf<"companies.create">;
type Agent = AnswerOf<"agents.create">;

const steps = ["Company", "Agent", "First issue"] as const;

/** Explains the thing that each step makes. */
const meanings = [
  "A company is a team of agents that share issues, projects, secrets and a budget.",
  "An agent is a program, such as a coding assistant, that starts when there's work for it.",
  "Issues are tasks. The agent reports progress and asks questions in the thread.",
] as const;

/** From nothing to an agent at work: company, agent with a tested environment, first issue. */
export const FirstRunScreen = () => {
  const { createCompany } = useSession().callerMay;
  // In the address, so that a reload keeps the step.
  const [params, setParams] = useSearchParams();
  const [companyId, agentId] = [params.get("company") ?? "", params.get("agent") ?? ""];
  const company = useRead("companies.get", { companyId }, { enabled: companyId !== "" });
  const agent = useRead("agents.get", { agentId }, { enabled: agentId !== "" });
  const goOn = (made: { readonly company: string; readonly agent?: string }) =>
    setParams(new URLSearchParams({ ...made }), { replace: true });
  const at = companyId === "" ? 0 : agentId === "" ? 1 : 2;
  const failed = [company, agent].find(({ isError }) => isError);
  if (!createCompany.allowed)
    return (
      <Page title="New company">
        <Empty icon="building" title={createCompany.error ?? ""}>
          Ask an instance admin to create a company and add you to it.
        </Empty>
      </Page>
    );
  return (
    <Page title="New company">
      <div className="first-run">
        <ol className="first-run-steps" aria-label="Steps">
          {steps.map((step, index) => (
            <li key={step} aria-current={index === at ? "step" : undefined}>
              <Icon name={index < at ? "circle-check" : index === at ? "circle-dot" : "circle-dashed"} />
              {step}
            </li>
          ))}
        </ol>
        <p className="muted">{meanings[at]}</p>
        {failed !== undefined ? (
          <ErrorView error={failed.error} retry={() => void failed.refetch()} />
        ) : at === 0 ? (
          <FoundCompany
            onDone={({ id }) => goOn({ company: id })}
            onImported={(found) => goOn({ company: found.company.id, agent: found.agent.id })}
          />
        ) : company.data === undefined ? (
          <Skeleton rows={3} />
        ) : at === 1 ? (
          <HireFirst company={company.data} onDone={({ id }) => goOn({ company: companyId, agent: id })} />
        ) : agent.data === undefined ? (
          <Skeleton rows={3} />
        ) : (
          <FirstIssue company={company.data} agent={agent.data} />
        )}
      </div>
    </Page>
  );
};

/** The choice of beginning without a template. */
const empty = "";

const FoundCompany = ({
  onDone,
  onImported,
}: {
  readonly onDone: (company: Company) => void;
  readonly onImported: (found: { readonly company: Company; readonly agent: Agent }) => void;
}) => {
  const [start, setStart] = useState(empty);
  const templates = useRead("companies.templates", {});
  const [name, setName] = useState("");
  const chosen = templates.data?.find(({ key }) => key === start);
  return (
    <>
      <SelectField
        label="Start from"
        name="template"
        options={[
          { value: empty, label: "Blank company" },
          ...(templates.data ?? []).map(({ key, template }) => ({
            value: key,
            label: template.company?.name ?? key,
          })),
        ]}
        value={start}
        onChange={setStart}
      />
      {chosen === undefined ? (
        <EmptyCompany name={name} onName={setName} onDone={onDone} />
      ) : (
        <ImportTemplate
          key={chosen.key}
          template={chosen.template}
          name={name}
          onName={setName}
          onDone={onImported}
        />
      )}
    </>
  );
};

const EmptyCompany = ({
  name,
  onName,
  onDone,
}: {
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly onDone: (company: Company) => void;
}) => {
  const [description, setDescription] = useState("");
  const create = useWrite("companies.create", { onDone });
  return (
    <Form
      label="Company"
      error={create.error}
      onSubmit={() => create.run({ name, ...(description.trim() === "" ? {} : { description }) })}
    >
      <CompanyName value={name} onChange={onName} />
      <TextArea
        label="Description"
        name="description"
        hint="Agents read this as context."
        value={description}
        onChange={setDescription}
      />
      <div className="form-actions">
        <Button type="submit" kind="main" busy={create.busy}>
          Create company
        </Button>
      </div>
    </Form>
  );
};
