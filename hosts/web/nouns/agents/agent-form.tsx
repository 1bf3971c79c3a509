import { type ReactNode, useState } from "react";
import { useRead } from "../../live/calls.ts";
import { SelectField, TextArea, TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { Tabs } from "../../widgets/tabs.tsx";
import { useCompany, useMayHere } from "../companies/company.tsx";
import { NewSecret } from "../secrets/new-secret.tsx";
import { AdapterFields } from "./adapter-fields.tsx";
import { settingsOf, useConfigSchema } from "./adapter-settings.ts";
import {
  type AgentDraft,
  adapterConfigOf,
  doubledVariable,
  jsonOf,
  unfinishedVariable,
  withJson,
} from "./agent-draft.ts";
import { AgentField } from "./agent-field.tsx";
import { grantsOf } from "./agent-grants.ts";
import { useAskAfterFailedTest } from "./ask-after-failed-test.tsx";
import type { EnvironmentRow } from "./environment.ts";
import { EnvironmentFields } from "./environment-fields.tsx";
import { EnvironmentFindings, useEnvironmentTest } from "./environment-test.tsx";
import { GrantFields } from "./grant-fields.tsx";
import { LimitFields } from "./limit-fields.tsx";
import { RunnerField } from "./runner-field.tsx";
import { SkillsField } from "./skills-field.tsx";
import { TimerFields } from "./timer-fields.tsx";

interface AgentFormProps {
  readonly title: string;
  readonly verb: string;
  readonly draft: AgentDraft;
  readonly onChange: (draft: AgentDraft) => void;
  /** null: the agent does not exist yet. */
  readonly agentId: string | null;
  readonly write: { readonly busy: boolean; readonly error: unknown };
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  /** Before the fields. */
  readonly note?: ReactNode;
}

/** All settings of an agent, to hire one and to change one: fields, or JSON, and a test next to them. */
export const AgentForm = ({ draft, onChange, agentId, note, onSubmit, ...dialog }: AgentFormProps) => {
  const { id: companyId } = useCompany();
  const mayTest = useMayHere("testEnvironment");
  const [view, setView] = useState<"fields" | "json">("fields");
  const [json, setJson] = useState("");
  const isJson = view === "json";
  // Fields refuse an unfinished variable where it stands.
  const problem = doubledVariable(draft) ?? (isJson ? unfinishedVariable(draft) : null);
  const isWrong = isJson && withJson(draft, json) === null;
  const [keyed, setKeyed] = useState<EnvironmentRow | null>(null);
  const { adapterType, runtime } = draft;
  const test = useEnvironmentTest({
    companyId,
    adapterType,
    adapterConfig: adapterConfigOf(draft),
    agentId,
    runner: runtime.runner,
  });
  const hiring = useAskAfterFailedTest(test, {
    title: `Hire ${draft.name} anyway?`,
    verb: "Hire anyway",
    act: onSubmit,
  });
  const bind = (secretId: string) =>
    onChange({
      ...draft,
      environment: draft.environment.map((row) => (row.key === keyed?.key ? { ...row, secretId } : row)),
    });
  return (
    <>
      <FormDialog
        {...dialog}
        wide
        disabled={isWrong || problem !== null}
        onSubmit={agentId === null ? hiring.act : onSubmit}
      >
        {note}
        <Tabs
          label="Edit as"
          tabs={[
            { name: "fields", label: "Fields" },
            { name: "json", label: "JSON" },
          ]}
          shown={view}
          onChange={(next) => {
            if (next === "json") setJson(jsonOf(draft));
            setView(next);
          }}
        >
          {isJson ? (
            <JsonField
              text={json}
              isWrong={isWrong}
              onChange={(text) => {
                setJson(text);
                const next = withJson(draft, text);
                if (next !== null) onChange(next);
              }}
            />
          ) : (
            <div className={mayTest ? "agent-form with-test" : "agent-form"}>
              <div className="agent-form-fields">
                <Fields draft={draft} onChange={onChange} agentId={agentId} onNewSecret={setKeyed} />
              </div>
              {mayTest ? (
                <div className="agent-form-test">
                  <EnvironmentFindings test={test} />
                </div>
              ) : null}
            </div>
          )}
        </Tabs>
        {problem === null ? null : <FormProblem>{problem}</FormProblem>}
      </FormDialog>
      {hiring.dialog}
      {keyed === null ? null : <NewSecret name={keyed.name} onMade={bind} onClose={() => setKeyed(null)} />}
    </>
  );
};

const FormProblem = ({ children }: { readonly children: string }) => (
  <p className="field-problem" role="alert">
    {children}
  </p>
);

interface JsonFieldProps {
  readonly text: string;
  readonly isWrong: boolean;
  readonly onChange: (text: string) => void;
}

const JsonField = ({ text, isWrong, onChange }: JsonFieldProps) => (
  <TextArea
    label="adapterConfig, runtimeConfig and metadata"
    name="adapterConfig"
    hint={isWrong ? "Enter a JSON object with an adapterConfig." : "The fields update from this JSON."}
    className="input mono agent-form-json"
    spellCheck={false}
    value={text}
    onChange={onChange}
  />
);

type FieldsProps = Pick<AgentFormProps, "draft" | "onChange" | "agentId">;

const Fields = ({
  onNewSecret,
  ...props
}: FieldsProps & { readonly onNewSecret: (row: EnvironmentRow) => void }) => {
  const schema = useConfigSchema(props.draft.adapterType);
  const { config } = props.draft;
  const settings = (groups: Parameters<typeof settingsOf>[2]) =>
    settingsOf(schema, config, groups).length === 0 ? null : (
      <Settings {...props} schema={schema} groups={groups} />
    );
  const { draft, onChange } = props;
  const permissions = settings(["permission"]);
  return (
    <>
      <PersonFields {...props} />
      <Section title="Program">
        <AdapterField {...props} />
        {settings(["first"])}
        {settings(["more"]) === null ? null : (
          <details>
            <summary>More adapter settings</summary>
            <div className="form">{settings(["more"])}</div>
          </details>
        )}
      </Section>
      <Section title="Skills">
        <SkillsField
          adapterType={draft.adapterType}
          desired={Array.isArray(config.desiredSkills) ? (config.desiredSkills as string[]) : []}
          onChange={(desired) => {
            const { desiredSkills: _, ...others } = config;
            onChange({
              ...draft,
              config: desired.length === 0 ? others : { ...others, desiredSkills: desired },
            });
          }}
        />
      </Section>
      {permissions === null ? null : <Section title="Permissions">{permissions}</Section>}
      <Section title="Environment">
        <EnvironmentFields
          rows={draft.environment}
          onChange={(environment) => onChange({ ...draft, environment })}
          onNewSecret={onNewSecret}
        />
      </Section>
      <RunFields {...props} />
      <Section title="Limits">
        <LimitFields {...props} />
        {settings(["limit"])}
      </Section>
      <GrantsOfAgent {...props} />
    </>
  );
};

/** For owners: the others do not grant. */
const GrantsOfAgent = ({ draft, onChange, agentId }: FieldsProps) => {
  const { id: companyId } = useCompany();
  const mayGrant = useMayHere("manageGrants");
  const current = useRead("grants.list", { companyId }, { enabled: mayGrant && agentId !== null });
  if (!mayGrant || (agentId !== null && current.data === undefined)) return null;
  return (
    <Section title="Delegated decisions">
      <GrantFields
        value={draft.grants ?? grantsOf(current.data ?? [], agentId)}
        onChange={(grants) => onChange({ ...draft, grants })}
      />
    </Section>
  );
};

const Settings = ({
  draft,
  onChange,
  schema,
  groups,
}: FieldsProps & {
  readonly schema: ReturnType<typeof useConfigSchema>;
  readonly groups: Parameters<typeof settingsOf>[2];
}) => {
  const { id: companyId } = useCompany();
  return (
    <AdapterFields
      companyId={companyId}
      adapterType={draft.adapterType}
      schema={schema}
      config={draft.config}
      groups={groups}
      onChange={(config) => onChange({ ...draft, config })}
    />
  );
};

const Section = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <fieldset className="agent-form-section">
    <legend>{title}</legend>
    {children}
  </fieldset>
);

const PersonFields = ({ draft, onChange }: FieldsProps) => (
  <>
    <div className="agent-form-pair">
      <TextField
        label="Name"
        name="name"
        required
        maxLength={500}
        value={draft.name}
        onChange={(name) => onChange({ ...draft, name })}
      />
      <TextField
        label="Title"
        name="title"
        maxLength={500}
        placeholder="Head of works"
        value={draft.title}
        onChange={(title) => onChange({ ...draft, title })}
      />
    </div>
    <div className="agent-form-pair">
      <TextField
        label="Role"
        name="role"
        required
        maxLength={500}
        hint="engineer, manager, researcher …"
        value={draft.role}
        onChange={(role) => onChange({ ...draft, role })}
      />
      <AgentField
        label="Reports to"
        name="reportsTo"
        value={draft.reportsTo}
        onChange={(reportsTo) => onChange({ ...draft, reportsTo })}
        placeholder="The board"
        clearable
      />
    </div>
    <TextArea
      label="Capabilities"
      name="capabilities"
      rows={2}
      hint="What this agent is good at. Other agents see this."
      value={draft.capabilities}
      onChange={(capabilities) => onChange({ ...draft, capabilities })}
    />
  </>
);

const AdapterField = ({ draft, onChange }: FieldsProps) => {
  const adapters = useRead("adapters.list", {});
  const known = (adapters.data ?? []).flatMap(({ type, label }) =>
    type === null ? [] : [{ value: type, label }],
  );
  // Settings typed for another adapter come back with it.
  const [typed, setTyped] = useState<Readonly<Record<string, AgentDraft["config"]>>>({});
  const isKnown = known.some(({ value }) => value === draft.adapterType);
  return (
    <SelectField
      label="Adapter"
      name="adapterType"
      hint="The tool this agent runs on."
      options={isKnown ? known : [...known, { value: draft.adapterType, label: draft.adapterType }]}
      value={draft.adapterType}
      onChange={(adapterType) => {
        setTyped({ ...typed, [draft.adapterType]: draft.config });
        onChange({ ...draft, adapterType, config: typed[adapterType] ?? {} });
      }}
    />
  );
};

const RunFields = ({ draft, onChange, agentId }: FieldsProps) => {
  const { id: companyId } = useCompany();
  const { runtime } = draft;
  return (
    <Section title="Runs">
      <TimerFields
        companyId={companyId}
        agentId={agentId}
        heartbeat={runtime.heartbeat ?? {}}
        onChange={(heartbeat) => onChange({ ...draft, runtime: { ...runtime, heartbeat } })}
      />
      <RunnerField
        name="runtimeConfig.runner"
        nothing="Company default"
        onlyOfSeveral
        value={runtime.runner ?? ""}
        onChange={(runner) => {
          const { runner: _, ...others } = runtime;
          onChange({ ...draft, runtime: runner === "" ? others : { ...others, runner } });
        }}
      />
    </Section>
  );
};
