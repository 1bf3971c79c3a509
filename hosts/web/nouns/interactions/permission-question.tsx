import { useState } from "react";
import { describePermission } from "../../../../core/model/issues/interactions/describe-permission.ts";
import type { RequestPermission } from "../../../../core/model/issues/interactions/payload.ts";
import { type PermissionScope, ruleOf } from "../../../../core/model/issues/interactions/permission-rule.ts";
import type { Interaction } from "../../live/records.ts";
import { Button } from "../../widgets/button.tsx";
import { useDraft } from "../../widgets/drafts.ts";
import { Form, Problem, TextArea } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { KeyedButton } from "../../widgets/keyed-button.tsx";
import { Menu } from "../../widgets/menu.tsx";
import { Time } from "../../widgets/time.tsx";
import { HeldDecision, useFinalWrite } from "../final-writes.tsx";
import { useNames } from "../names.ts";

type Asked = Pick<Interaction, "id" | "issueId" | "status" | "callerMay" | "createdByAgentId"> & {
  readonly payload: unknown;
};

/** A use of a tool that a program asks for, whole, and the answer. */
export const PermissionQuestion = ({ interaction }: { readonly interaction: Asked }) => {
  // The service made the payload.
  const request = interaction.payload as RequestPermission;
  const { command, diff, reason, expiresAt } = request;
  const nameOf = useNames();
  return (
    <div className="permission">
      <p>
        {nameOf(interaction.createdByAgentId).name} wants to {describePermission(request)}.
      </p>
      {reason === null ? null : <p className="permission-reason">{reason}</p>}
      {command === null ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
        <section className="permission-text" aria-label="Command" tabIndex={0}>
          {command}
        </section>
      )}
      {diff === null ? null : <Change diff={diff} />}
      {interaction.status === "pending" ? (
        <>
          <p className="faint">
            Denied automatically <Time at={expiresAt} />
          </p>
          <Answer interaction={interaction} />
        </>
      ) : null}
    </div>
  );
};

const kinds: Readonly<Record<string, string>> = { "+": "added", "-": "removed" };
const spoken: Readonly<Record<string, string>> = { "+": "added: ", "-": "removed: " };

const Change = ({ diff }: { readonly diff: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
  <section className="diff permission-change" aria-label="Changes" tabIndex={0}>
    {diff.split("\n").map((line, at) => {
      const [mark = " "] = line;
      const key = at;
      return (
        <div key={key} className={`diff-line ${kinds[mark] ?? "same"}`}>
          <span aria-hidden="true">{mark}</span>
          <span>
            <span className="only-read">{spoken[mark]}</span>
            {line.slice(1)}
          </span>
        </div>
      );
    })}
  </section>
);

const Answer = ({ interaction }: { readonly interaction: Asked }) => {
  const { id: interactionId, issueId, callerMay } = interaction;
  const [reason, setReason] = useDraft(`refusal of ${interactionId}`);
  const [isRefusing, setRefusing] = useState(false);
  const accept = useFinalWrite("interactions.accept", interactionId);
  const reject = useFinalWrite("interactions.reject", interactionId, () => setReason(""));
  const request = interaction.payload as RequestPermission;
  const { tool } = request;
  if (!callerMay.accept.allowed) return <p className="faint">{callerMay.accept.error}</p>;
  const named = { issueId, interactionId };
  if (accept.waits !== null) return <HeldDecision subject={interactionId} />;
  if (isRefusing)
    return (
      <Form
        label="Deny"
        error={reject.error}
        onSubmit={() =>
          reject.run({ ...named, ...(reason.trim() === "" ? {} : { reason }) }, `Denied: ${tool}`)
        }
      >
        <TextArea
          label="Reason"
          name="reason"
          hint="Sent to the agent if its program supports reasons."
          value={reason}
          onChange={setReason}
        />
        <div className="form-actions">
          <Button onClick={() => setRefusing(false)}>Back</Button>
          <Button type="submit" kind="danger">
            Deny
          </Button>
        </div>
      </Form>
    );
  return (
    <>
      {accept.error === null ? null : <Problem error={accept.error} />}
      <div className="form-actions">
        <KeyedButton kind="danger" action="reject" onClick={() => setRefusing(true)}>
          Deny
        </KeyedButton>
        {ruleOf(request) === null ? null : (
          <AlwaysAllow
            interaction={interaction}
            onChoose={(always, notice) => accept.run({ ...named, always }, notice)}
          />
        )}
        <KeyedButton kind="main" action="approve" onClick={() => accept.run(named, `Allowed once: ${tool}`)}>
          Allow once
        </KeyedButton>
      </div>
    </>
  );
};

interface AlwaysAllowProps {
  readonly interaction: Asked;
  readonly onChoose: (always: PermissionScope, notice: string) => void;
}

/** Allows the same command without another question, until the run ends or until it is revoked. */
const AlwaysAllow = ({ interaction, onChoose }: AlwaysAllowProps) => {
  const nameOf = useNames();
  const { tool } = interaction.payload as RequestPermission;
  const agent = nameOf(interaction.createdByAgentId).name;
  return (
    <Menu
      label="Always allow this command"
      className="button"
      align="end"
      button={
        <>
          Always allow <Icon name="chevron-down" size={14} />
        </>
      }
      items={[
        {
          label: "For this run",
          hint: "The same command isn't asked again until the run ends.",
          run: () => onChoose("run", `Allowed for this run: ${tool}`),
        },
        {
          label: `For ${agent}`,
          hint: "The same command isn't asked again. Revoke it in the agent's configuration.",
          run: () => onChoose("agent", `Always allowed for ${agent}: ${tool}`),
        },
      ]}
    />
  );
};
