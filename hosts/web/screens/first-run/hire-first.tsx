import { useState } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { AdapterFields } from "../../nouns/agents/adapter-fields.tsx";
import { settingsOf, useConfigSchema } from "../../nouns/agents/adapter-settings.ts";
import { CheckList } from "../../nouns/agents/check-list.tsx";
import { useEnvironmentTest } from "../../nouns/agents/environment-test.tsx";
import { Button } from "../../widgets/button.tsx";
import { Form, SelectField, TextField } from "../../widgets/field.tsx";

type Company = AnswerOf<"companies.create">;
type Agent = AnswerOf<"agents.create">;

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

export const HireFirst = ({
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
  const test = useEnvironmentTest({ companyId: company.id, adapterType, adapterConfig, agentId: null });
  const hire = () =>
    create.run({
      companyId: company.id,
      name,
      role: "engineer",
      adapterType,
      adapterConfig: adapterConfig as never,
    });
  return (
    <Form label="Agent" error={test.error ?? create.error} onSubmit={() => test.start(hire)}>
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
      {test.failed ? <CheckList checks={test.report?.checks ?? []} /> : null}
      <div className="form-actions">
        {test.failed ? (
          <Button busy={create.busy} onClick={hire}>
            Hire anyway
          </Button>
        ) : null}
        <Button type="submit" kind="main" busy={test.busy || create.busy}>
          Test and hire
        </Button>
      </div>
    </Form>
  );
};
