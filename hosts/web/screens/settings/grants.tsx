import { useState } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { AgentField } from "../../nouns/agents/agent-field.tsx";
import { type GrantsDraft, grantsOf, grantText, sentGrants } from "../../nouns/agents/agent-grants.ts";
import { GrantFields } from "../../nouns/agents/grant-fields.tsx";
import { useCompany, useMayHere } from "../../nouns/companies/company.tsx";
import { useNames } from "../../nouns/names.ts";
import { Button } from "../../widgets/button.tsx";
import { Form, Problem } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

type Grant = AnswerOf<"grants.list">[number];

/** The decisions that agents may take in people's place: on ownership, and to merge. */
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
      const message = `${nameOf(agentId).name} no longer ${grantText({ permission, classes })}`;
      // The other permissions are given to nobody any more.
      if (permission !== "ownership:decide" && permission !== "code:merge") return say.done(message);
      say.done(message, () => again.run({ companyId, agentId, permission, classes: [...classes] }));
    };
    revoke.run({ grantId: id }, { onSuccess });
  };
  const rows = (grants.data ?? []).filter(({ revokedAt }) => revokedAt === null);
  const error = grants.error ?? revoke.error;
  return (
    <Section
      anchor="grants"
      title="Grants"
      action={
        mayOwn ? (
          <Button small icon="plus" aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
            Delegate to an agent
          </Button>
        ) : undefined
      }
    >
      {isAdding ? <NewGrant grants={rows} onDone={() => setAdding(false)} /> : null}
      {error === null ? null : <Problem error={error} />}
      {grants.isSuccess && rows.length === 0 ? (
        <p className="faint">All decisions are made by people.</p>
      ) : null}
      <ul className="plain-list">
        {rows.map((grant) => (
          <li key={grant.id} className="row list-row">
            <span className="grow">
              {nameOf(grant.agentId).name} {grantText(grant)}
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

/** All that one agent decides, which replaces what it decided so far. */
const NewGrant = ({ grants, onDone }: { readonly grants: readonly Grant[]; readonly onDone: () => void }) => {
  const [agentId, setAgentId] = useState<string | null>(null);
  const [typed, setTyped] = useState<GrantsDraft | null>(null);
  const update = useWrite("agents.update", { onDone });
  const value = typed ?? grantsOf(grants, agentId);
  return (
    <Form
      label="Delegate to an agent"
      error={update.error}
      onSubmit={() => {
        if (agentId !== null) update.run({ agentId, grants: sentGrants(value) });
      }}
    >
      <AgentField
        label="Agent"
        name="agentId"
        placeholder="Choose an agent"
        value={agentId}
        onChange={(chosen) => {
          setAgentId(chosen);
          setTyped(null);
        }}
      />
      {agentId === null ? null : <GrantFields key={agentId} value={value} onChange={setTyped} />}
      <div className="form-actions">
        <Button type="submit" busy={update.busy} disabled={agentId === null}>
          Grant
        </Button>
      </div>
    </Form>
  );
};
