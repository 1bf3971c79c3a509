import { useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { useSession } from "../../live/session.ts";
import { AdapterFields, settingsOf, useConfigSchema } from "../../nouns/agents/adapter-fields.tsx";
import { CheckList } from "../../nouns/agents/check-list.tsx";
import { Button } from "../../widgets/button.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { ErrorView } from "../../widgets/error-view.tsx";
import { Form, SelectField, TextArea, TextField } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { Page } from "../../widgets/page.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
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

/** Agents that need no program of the operator's: the sample does its issue with the shell and curl. */
const sample = {
  value: "sample",
  label: "Sample agent (no setup needed)",
  adapterType: "process",
  adapterConfig: {
    command: "/bin/sh",
    args: [
      "-c",
      `set -e
call() { curl -sS --fail-with-body -H "Authorization: Bearer $SERVICE_API_KEY" -H "Content-Type: application/json" "$@"; echo; }
issue="$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID"
test -n "$SERVICE_TASK_ID" || { echo "nothing to do"; exit 0; }
# Slow enough to be watched.
sleep 2
call "$issue/checkout" -d '{"agentId":"'"$SERVICE_AGENT_ID"'","expectedStatuses":["todo","in_progress"]}'
sleep 3
call "$issue/comments" -d '{"body":"Hello. I read the issue, and that is all this sample can do."}'
sleep 2
call -X PATCH "$issue" -d '{"status":"done"}'`,
    ],
  },
};

const otherSettings = ["permission", "limit", "more"] as const;

const HireFirst = ({
  company,
  onDone,
}: {
  readonly company: Company;
  readonly onDone: (agent: Agent) => void;
}) => {
  const adapters = useRead("adapters.list", {});
  const [kind, setKind] = useState(sample.value);
  const [name, setName] = useState("Ada");
  const [config, setConfig] = useState<Readonly<Record<string, unknown>>>({});
  const isSample = kind === sample.value;
  const adapterType = isSample ? sample.adapterType : kind;
  const schema = useConfigSchema(adapterType);
  const adapterConfig = isSample ? sample.adapterConfig : config;
  const settings = { companyId: company.id, adapterType, schema, config, onChange: setConfig };
  const create = useWrite("agents.create", { onDone });
  const test = useWrite("adapters.testEnvironment", {
    onDone: ({ status }) => {
      if (status === "pass")
        create.run({
          companyId: company.id,
          name,
          role: "engineer",
          adapterType,
          adapterConfig: adapterConfig as never,
        });
    },
  });
  const problems = test.answer?.checks.filter(({ level }) => level !== "info") ?? [];
  return (
    <Form
      label="Agent"
      error={test.error ?? create.error}
      onSubmit={() => test.run({ companyId: company.id, adapterType, adapterConfig: adapterConfig as never })}
    >
      <TextField label="Agent name" name="name" required value={name} onChange={setName} />
      <SelectField
        label="Runs"
        name="adapterType"
        options={[
          { value: sample.value, label: sample.label },
          ...(adapters.data ?? [])
            .filter(({ type }) => type !== null)
            .map(({ type, label }) => ({ value: type!, label: label ?? type! })),
        ]}
        value={kind}
        onChange={setKind}
      />
      {isSample ? null : (
        <>
          <AdapterFields {...settings} groups={["first"]} />
          {settingsOf(schema, config, otherSettings).length === 0 ? null : (
            <details>
              <summary>More adapter settings</summary>
              <div className="form">
                <AdapterFields {...settings} groups={otherSettings} />
              </div>
            </details>
          )}
        </>
      )}
      {problems.length === 0 ? null : <CheckList checks={problems} />}
      <div className="form-actions">
        <Button type="submit" kind="main" busy={test.busy || create.busy}>
          Test and hire
        </Button>
      </div>
    </Form>
  );
};

const FirstIssue = ({ company, agent }: { readonly company: Company; readonly agent: Agent }) => {
  const [, go] = useLocation();
  const [title, setTitle] = useState("Say hello");
  const shown = (identifier: string) => go(`/${company.issuePrefix}/issues/${identifier}`);
  const [description, setDescription] = useState("Introduce yourself in a comment, then finish this issue.");
  const resume = useWrite("companies.resume");
  const create = useWrite("issues.create", {
    // A company of a template is paused until its first issue.
    onDone: ({ identifier }) =>
      company.status === "paused"
        ? void resume.runAndWait({ companyId: company.id }).then(
            () => shown(identifier),
            () => {},
          )
        : shown(identifier),
  });
  return (
    <Form
      label="First issue"
      error={create.error ?? resume.error}
      onSubmit={() =>
        create.run({ companyId: company.id, title, description, assigneeAgentId: agent.id, status: "todo" })
      }
    >
      <TextField label="What should it do first?" name="title" required value={title} onChange={setTitle} />
      <TextArea
        label="Description"
        name="description"
        rows={4}
        value={description}
        onChange={setDescription}
      />
      <div className="form-actions">
        <Button type="submit" kind="main" busy={create.busy}>
          Assign to {agent.name}
        </Button>
      </div>
    </Form>
  );
};
