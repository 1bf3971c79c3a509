import { useState } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { Button } from "../../parts/button.tsx";
import { Form, Problem, SelectField, TextField } from "../../parts/field.tsx";
import { useNames } from "../../parts/names.ts";
import { Section } from "../../parts/section.tsx";
import { Time } from "../../parts/time.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { useCompany, useMayHere } from "../../shell/company.tsx";

type Grant = AnswerOf<"grants.list">[number];

/** The decisions that agents may take in people's place: ownership decisions of some classes. */
export const Grants = () => {
  const { id: companyId } = useCompany();
  const mayOwn = useMayHere("manageGrants");
  const nameOf = useNames();
  const [isAdding, setAdding] = useState(false);
  const grants = useRead("grants.list", { companyId });
  const say = useToasts();
  const again = useWrite("grants.create", { onRefused: say.refused });
  const revoke = useWrite("grants.revoke");
  const remove = ({ id, agentId, permission, classes }: Grant) => {
    const onSuccess = () => {
      const said = `${nameOf(agentId).name} decides on ${classes.join(", ")} no longer.`;
      // Only this permission is still given to agents.
      if (permission !== "ownership:decide") return say.done(said);
      say.done(said, () => again.run({ companyId, agentId, permission, classes: [...classes] }));
    };
    revoke.run({ grantId: id }, { onSuccess });
  };
  const rows = (grants.data ?? []).filter(({ revokedAt }) => revokedAt === null);
  const error = grants.error ?? revoke.error;
  return (
    <Section
      title="Grants"
      action={
        mayOwn ? (
          <Button small icon="plus" aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
            Let an agent decide
          </Button>
        ) : undefined
      }
    >
      {isAdding ? <NewGrant onDone={() => setAdding(false)} /> : null}
      {error === null ? null : <Problem error={error} />}
      {grants.isSuccess && rows.length === 0 ? (
        <p className="faint">No agent decides anything: ownership decisions wait for people.</p>
      ) : null}
      <ul className="plain-list">
        {rows.map((grant) => (
          <li key={grant.id} className="row list-row">
            <span className="grow">
              {nameOf(grant.agentId).name} decides on ownership of {grant.classes.join(", ")}
              <span className="faint">
                {" "}
                · by {nameOf(grant.grantedByUserId).name}, <Time at={grant.createdAt} />
              </span>
            </span>
            {mayOwn ? (
              <Button small kind="danger" onClick={() => remove(grant)}>
                Revoke
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
    </Section>
  );
};

const NewGrant = ({ onDone }: { readonly onDone: () => void }) => {
  const { id: companyId } = useCompany();
  const [agentId, setAgentId] = useState("");
  const [classes, setClasses] = useState("");
  const { data: agents = [] } = useRead("agents.list", { companyId });
  const create = useWrite("grants.create", { onDone });
  return (
    <Form
      label="Let an agent decide"
      error={create.error}
      onSubmit={() =>
        create.run({
          companyId,
          agentId,
          permission: "ownership:decide",
          classes: classes
            .split(",")
            .map((each) => each.trim())
            .filter((each) => each !== ""),
        })
      }
    >
      <SelectField
        label="Agent"
        name="agentId"
        required
        value={agentId}
        onChange={setAgentId}
        options={[
          { value: "", label: "Choose an agent" },
          ...agents
            .filter(({ status }) => status !== "terminated")
            .map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <TextField
        label="Classes of decision"
        name="classes"
        required
        hint="With commas between. What an agent asks for itself, it never decides."
        value={classes}
        onChange={setClasses}
      />
      <div className="form-actions">
        <Button type="submit" busy={create.busy}>
          Grant
        </Button>
      </div>
    </Form>
  );
};
