import { useState } from "react";
import type { EventFormat } from "../../../../core/model/events/event-format.ts";
import { type AnswerOf, useWrite } from "../../live/calls.ts";
import { listedIn } from "../../nouns/agents/agent-grants.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { formatNames } from "../../nouns/events/format-names.ts";
import { boundTo } from "../../widgets/bound.ts";
import { Button } from "../../widgets/button.tsx";
import { Form, SelectField, TextField } from "../../widgets/field.tsx";

export type Subscription = AnswerOf<"eventSubscriptions.list">[number];

interface EventSubscriptionFormProps {
  /** null: a new one. */
  readonly subscription: Subscription | null;
  /** With the secret of a new signed webhook. */
  readonly onDone: (secret: string | null) => void;
}

/** Adds a subscription, or changes which events one gets. */
export const EventSubscriptionForm = ({ subscription, onDone }: EventSubscriptionFormProps) => {
  const { id: companyId } = useCompany();
  const [draft, setDraft] = useState({
    url: "",
    format: "webhook" as EventFormat,
    events: subscription?.events.join(", ") ?? "approval.*, issue.status_changed",
  });
  const create = useWrite("eventSubscriptions.create", { onDone: ({ secret }) => onDone(secret) });
  const update = useWrite("eventSubscriptions.update", { onDone: () => onDone(null) });
  const set = (change: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...change }));
  const events = listedIn(draft.events);
  return (
    <Form
      label={subscription === null ? "Add an event subscription" : `Edit ${subscription.url}`}
      error={create.error ?? update.error}
      onSubmit={() =>
        subscription === null
          ? create.run({ companyId, url: draft.url.trim(), format: draft.format, events })
          : update.run({ eventSubscriptionId: subscription.id, events })
      }
    >
      {subscription === null ? (
        <>
          <SelectField
            label="Format"
            name="format"
            value={draft.format}
            onChange={(format) => set({ format })}
            options={(Object.keys(formatNames) as EventFormat[]).map((value) => ({
              value,
              label: formatNames[value],
            }))}
          />
          <TextField
            label="URL"
            required
            type="url"
            hint={
              draft.format === "webhook"
                ? "Events are sent to this address as signed POST requests."
                : "The address of an incoming webhook. It isn't shown again."
            }
            {...boundTo(draft, set).value("url")}
          />
        </>
      ) : null}
      <TextField
        label="Events"
        required
        hint="Separated by commas: * for all, issue.* for all events about issues, or single ones such as approval.created."
        {...boundTo(draft, set).value("events")}
      />
      <div className="form-actions">
        <Button onClick={() => onDone(null)}>Cancel</Button>
        <Button type="submit" kind="main" busy={create.busy || update.busy}>
          {subscription === null ? "Add subscription" : "Save events"}
        </Button>
      </div>
    </Form>
  );
};
