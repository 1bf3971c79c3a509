import { useState } from "react";
import { useRead, useWrite } from "../../live/calls.ts";
import { useCompany, useMayHere } from "../../nouns/companies/company.tsx";
import { formatNames } from "../../nouns/events/format-names.ts";
import { Button, IconButton } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Problem } from "../../widgets/field.tsx";
import { OnceDialog } from "../../widgets/once-dialog.tsx";
import { Section } from "../../widgets/section.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { EventDeliveries } from "./event-deliveries.tsx";
import { EventSubscriptionForm, type Subscription } from "./event-subscription-form.tsx";

/** Where the company's events are sent: webhooks and chats. */
export const EventSubscriptions = () => {
  const { id: companyId } = useCompany();
  const mayManage = useMayHere("manageEventSubscriptions");
  const [edited, setEdited] = useState<Subscription | "new" | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const subscriptions = useRead("eventSubscriptions.list", { companyId });
  const { error, data = [] } = subscriptions;
  return (
    <Section anchor="events" title="Events">
      <p className="faint">Send what happens here to another system or a chat, signed and in order.</p>
      {error === null ? null : <Problem error={error} />}
      {subscriptions.isSuccess && data.length === 0 ? <p className="faint">No subscriptions yet.</p> : null}
      <ul className="plain-list" aria-label="Event subscriptions">
        {data.map((subscription) => (
          <SubscriptionRow
            key={subscription.id}
            subscription={subscription}
            mayManage={mayManage}
            onEdit={() => setEdited(subscription)}
            onSecret={setSecret}
          />
        ))}
      </ul>
      {mayManage && edited === null ? (
        <Button small icon="plus" onClick={() => setEdited("new")}>
          Add an event subscription
        </Button>
      ) : null}
      {edited === null ? null : (
        <EventSubscriptionForm
          key={edited === "new" ? "new" : edited.id}
          subscription={edited === "new" ? null : edited}
          onDone={(created) => {
            setEdited(null);
            setSecret(created);
          }}
        />
      )}
      {secret === null ? null : (
        <OnceDialog
          title="Copy the secret now"
          values={[{ label: "Secret", value: secret }]}
          onClose={() => setSecret(null)}
        >
          It is shown this once. The receiver verifies events with it.
        </OnceDialog>
      )}
    </Section>
  );
};

interface SubscriptionRowProps {
  readonly subscription: Subscription;
  readonly mayManage: boolean;
  readonly onEdit: () => void;
  readonly onSecret: (secret: string | null) => void;
}

const SubscriptionRow = ({ subscription, ...actions }: SubscriptionRowProps) => {
  const [isOpen, setOpen] = useState(false);
  const { url, format, events } = subscription;
  return (
    <li className="list-row">
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          {url} <span className="faint">· {[formatNames[format], ...stateOf(subscription)].join(" · ")}</span>
        </summary>
        <p className="faint">{events.join(", ")}</p>
        {isOpen ? <EventDeliveries subscription={subscription} mayManage={actions.mayManage} /> : null}
      </details>
      {actions.mayManage ? (
        <SubscriptionActions subscription={subscription} {...actions} onTested={() => setOpen(true)} />
      ) : null}
    </li>
  );
};

interface SubscriptionActionsProps extends Omit<SubscriptionRowProps, "mayManage"> {
  readonly onTested: () => void;
}

const SubscriptionActions = ({ subscription, onEdit, onSecret, onTested }: SubscriptionActionsProps) => {
  const { id: eventSubscriptionId, url, format, disabledAt, undelivered } = subscription;
  const [isRemoving, setRemoving] = useState(false);
  const test = useWrite("eventSubscriptions.test", { onDone: onTested });
  const update = useWrite("eventSubscriptions.update");
  const rotate = useWrite("eventSubscriptions.rotateSecret", { onDone: ({ secret }) => onSecret(secret) });
  const error = test.error ?? update.error ?? rotate.error;
  const isEnabled = disabledAt === null;
  const named = <span className="only-read"> {url}</span>;
  return (
    <>
      {error === null ? null : <Problem error={error} />}
      <div className="row">
        {isEnabled ? (
          <Button small busy={test.busy} onClick={() => test.run({ eventSubscriptionId })}>
            Send test event{named}
          </Button>
        ) : null}
        {isEnabled && undelivered > 0 ? <SendAgain subscription={subscription} /> : null}
        <Button small onClick={onEdit}>
          Edit events{named}
        </Button>
        <Button
          small
          busy={update.busy}
          onClick={() => update.run({ eventSubscriptionId, enabled: !isEnabled })}
        >
          {isEnabled ? "Disable" : "Enable"}
          {named}
        </Button>
        {format === "webhook" ? (
          <Button small busy={rotate.busy} onClick={() => rotate.run({ eventSubscriptionId })}>
            Rotate secret{named}
          </Button>
        ) : null}
        <IconButton icon="trash" small label={`Remove ${url}`} onClick={() => setRemoving(true)} />
      </div>
      {isRemoving ? <RemoveDialog subscription={subscription} onClose={() => setRemoving(false)} /> : null}
    </>
  );
};

/** Sends again all events that were not delivered. */
const SendAgain = ({ subscription }: { readonly subscription: Subscription }) => {
  const { id: eventSubscriptionId, url, undelivered, createdAt } = subscription;
  const say = useToasts();
  const resend = useWrite("eventSubscriptions.redeliverAll", {
    onDone: ({ deliveries }) =>
      say.done(deliveries === 1 ? "1 event is sent again." : `${deliveries} events are sent again.`),
  });
  return (
    <>
      {resend.error === null ? null : <Problem error={resend.error} />}
      <Button
        small
        busy={resend.busy}
        onClick={() =>
          resend.run({
            eventSubscriptionId,
            from: createdAt,
            to: new Date().toISOString(),
            states: ["undelivered"],
          })
        }
      >
        Send {undelivered} undelivered again<span className="only-read"> {url}</span>
      </Button>
    </>
  );
};

interface RemoveDialogProps {
  readonly subscription: Subscription;
  readonly onClose: () => void;
}

const RemoveDialog = ({ subscription: { id: eventSubscriptionId, url }, onClose }: RemoveDialogProps) => {
  const remove = useWrite("eventSubscriptions.remove", { onDone: onClose });
  return (
    <ConfirmDialog
      title={`Remove ${url}?`}
      verb="Remove subscription"
      busy={remove.busy}
      onConfirm={() => remove.run({ eventSubscriptionId })}
      onClose={onClose}
    >
      {remove.error === null ? null : <Problem error={remove.error} />}
      Events are no longer sent there. Its secret and its deliveries are deleted permanently.
    </ConfirmDialog>
  );
};

const stateOf = ({
  disabledAt,
  disabledBecause,
  failingSince,
  lastError,
  pending,
}: Subscription): string[] => {
  if (disabledAt !== null)
    return [disabledBecause === "person" ? "disabled" : `disabled, it failed: ${lastError ?? "no answer"}`];
  const waiting = pending === 0 ? [] : [`${pending} waiting`];
  return failingSince === null ? waiting : [`failing: ${lastError ?? "no answer"}`, ...waiting];
};
