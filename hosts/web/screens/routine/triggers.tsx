import { useState } from "react";
import { useWrite } from "../../live/calls.ts";
import { baseUrl } from "../../live/client.ts";
import type { Routine } from "../../live/records.ts";
import { CronDescription } from "../../nouns/routines/cron-description.tsx";
import { Status } from "../../nouns/status.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Icon, type IconName } from "../../widgets/icon.tsx";
import { Menu } from "../../widgets/menu.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { ScheduleDialog } from "./schedule-dialog.tsx";
import { type ShownSecret, ShownSecrets } from "./shown-secrets.tsx";
import { AddApi, SenderSecret, WebhookDialog } from "./trigger-dialogs.tsx";

type Trigger = Routine["triggers"][number];
type Kind = Trigger["kind"];

const displays: Readonly<Record<Kind, { readonly label: string; readonly icon: IconName }>> = {
  schedule: { label: "Schedule", icon: "calendar-clock" },
  webhook: { label: "Webhook", icon: "webhook" },
  api: { label: "API", icon: "terminal" },
};

const signingLabels: Readonly<Record<NonNullable<Trigger["signingMode"]>, string>> = {
  bearer: "bearer token",
  hmac_sha256: "HMAC-SHA256",
  github_sha256: "signed like GitHub",
  standard_webhooks: "signed by Standard Webhooks",
  gitlab_token: "GitLab secret token",
  stripe: "signed like Stripe",
};

/** The triggers of a routine. */
export const Triggers = ({
  routine,
  mayChange,
}: {
  readonly routine: Routine;
  readonly mayChange: boolean;
}) => {
  const [adding, setAdding] = useState<Kind | null>(null);
  const [secret, setSecret] = useState<ShownSecret | null>(null);
  const close = () => setAdding(null);
  return (
    <section aria-labelledby="routine-triggers" className="stack">
      <div className="row">
        <h2 id="routine-triggers" className="grow">
          Triggers
        </h2>
        {mayChange ? (
          <Menu
            button={
              <>
                <Icon name="plus" />
                <span>Add</span>
              </>
            }
            label="A trigger:"
            opensBy={{ keys: "t", does: "Add a trigger" }}
            className="button plain"
            align="end"
            items={(["schedule", "webhook", "api"] as const).map((kind) => ({
              label: displays[kind].label,
              icon: displays[kind].icon,
              run: () => setAdding(kind),
            }))}
          />
        ) : null}
      </div>
      {routine.triggers.length === 0 ? (
        <p className="muted">No triggers yet. Add a schedule or webhook, or run it manually.</p>
      ) : (
        <ul className="routine-triggers">
          {routine.triggers.map((trigger) => (
            <TriggerDetails
              key={trigger.id}
              routine={routine}
              trigger={trigger}
              mayChange={mayChange}
              onSecret={setSecret}
            />
          ))}
        </ul>
      )}
      {adding === "schedule" ? <ScheduleDialog routine={routine} begun={null} onClose={close} /> : null}
      {adding === "webhook" ? (
        <WebhookDialog routineId={routine.id} begun={null} onSecret={setSecret} onClose={close} />
      ) : null}
      {adding === "api" ? <AddApi routineId={routine.id} onClose={close} /> : null}
      {secret === null ? null : <ShownSecrets secrets={[secret]} onClose={() => setSecret(null)} />}
    </section>
  );
};

interface TriggerDetailsProps {
  readonly routine: Routine;
  readonly trigger: Trigger;
  readonly mayChange: boolean;
  readonly onSecret: (secret: ShownSecret) => void;
}

const TriggerDetails = ({ routine, trigger, mayChange, onSecret }: TriggerDetailsProps) => {
  const triggerId = trigger.id;
  const [opened, setOpened] = useState<"edit" | "rotate" | "delete" | null>(null);
  const close = () => setOpened(null);
  const update = useWrite("routines.updateTrigger");
  const { label, icon } = displays[trigger.kind];
  const name = trigger.label ?? label;
  return (
    <li className="routine-trigger">
      <div className="row">
        <Icon name={icon} />
        <strong className="cut">{name}</strong>
        {trigger.label === null ? null : <span className="muted routine-kind">{label}</span>}
        <span className="grow" />
        <Status of="other" status={trigger.enabled ? "active" : "disabled"} />
        {mayChange ? (
          <Menu
            button={<Icon name="ellipsis" />}
            label={`Change ${name}`}
            align="end"
            items={[
              ...(trigger.kind === "schedule" || trigger.kind === "webhook"
                ? [{ label: "Edit", icon: "pencil" as const, run: () => setOpened("edit") }]
                : []),
              ...(trigger.kind === "webhook"
                ? [{ label: "Rotate secret", icon: "refresh-cw" as const, run: () => setOpened("rotate") }]
                : []),
              trigger.enabled
                ? { label: "Disable", icon: "ban", run: () => update.run({ triggerId, enabled: false }) }
                : {
                    label: "Enable",
                    icon: "circle-check",
                    run: () => update.run({ triggerId, enabled: true }),
                  },
              { label: "Delete", icon: "trash", kind: "danger", run: () => setOpened("delete") },
            ]}
          />
        ) : null}
      </div>
      <TriggerFacts routineId={routine.id} trigger={trigger} />
      {update.error === null ? null : <Problem error={update.error} />}
      {opened !== "edit" ? null : trigger.kind === "webhook" ? (
        <WebhookDialog routineId={routine.id} begun={trigger} onSecret={onSecret} onClose={close} />
      ) : (
        <ScheduleDialog routine={routine} begun={trigger} onClose={close} />
      )}
      {opened === "rotate" ? (
        <RotateDialog triggerId={triggerId} name={name} onSecret={onSecret} onClose={close} />
      ) : null}
      {opened === "delete" ? <DeleteDialog trigger={trigger} name={name} onClose={close} /> : null}
    </li>
  );
};

/** How the trigger fires, and when. */
const TriggerFacts = ({ routineId, trigger }: { readonly routineId: string; readonly trigger: Trigger }) => (
  <>
    {trigger.kind === "schedule" ? (
      <div className="row-wrap">
        <code className="routine-cron">{trigger.cronExpression}</code>{" "}
        <CronDescription expression={trigger.cronExpression ?? ""} />
        <span className="muted">{trigger.timezone}</span>
      </div>
    ) : trigger.kind === "webhook" ? (
      <>
        <code className="routine-address">{`${baseUrl}/api/routine-triggers/public/${trigger.publicId}/fire`}</code>
        <div className="muted">{trigger.signingMode === null ? "" : signingLabels[trigger.signingMode]}</div>
      </>
    ) : (
      <code className="routine-address">{`POST ${baseUrl}/api/routines/${routineId}/run`}</code>
    )}
    <div className="muted">
      {trigger.nextFireAt === null ? null : (
        <>
          Next <Time at={trigger.nextFireAt} /> ·{" "}
        </>
      )}
      {trigger.lastFiredAt === null ? (
        "Never run"
      ) : (
        <>
          Last run <Time at={trigger.lastFiredAt} />
        </>
      )}
    </div>
  </>
);

interface DialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

const RotateDialog = ({
  triggerId,
  name,
  onSecret,
  onClose,
}: DialogProps & Pick<TriggerDetailsProps, "onSecret"> & { readonly triggerId: string }) => {
  const [senderSecret, setSenderSecret] = useState("");
  const rotate = useWrite("routines.rotateSecret", {
    onDone: ({ secret, webhookUrl }) => {
      onClose();
      if (secret !== null) onSecret({ secret, webhookUrl: webhookUrl ?? "" });
    },
  });
  return (
    <ConfirmDialog
      title={`Rotate the secret of ${name}?`}
      verb="Rotate secret"
      busy={rotate.busy}
      onConfirm={() => rotate.run({ triggerId, ...(senderSecret === "" ? {} : { secret: senderSecret }) })}
      onClose={onClose}
    >
      <div className="stack">
        <p>The current secret stops working immediately. You'll see the new one only once.</p>
        <SenderSecret value={senderSecret} onChange={setSenderSecret} />
        {rotate.error === null ? null : <Problem error={rotate.error} />}
      </div>
    </ConfirmDialog>
  );
};

const DeleteDialog = ({ trigger, name, onClose }: DialogProps & { readonly trigger: Trigger }) => {
  const say = useToasts();
  const remove = useWrite("routines.deleteTrigger", {
    onDone: () => {
      onClose();
      say.done("Trigger deleted. Restore an earlier revision to bring it back.");
    },
  });
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      verb="Delete"
      busy={remove.busy}
      onConfirm={() => remove.run({ triggerId: trigger.id })}
      onClose={onClose}
    >
      <div className="stack">
        <p>
          {trigger.kind === "webhook"
            ? "Its URL and secret stop working. Restoring an earlier revision brings back the URL with a new secret."
            : "It stops running. Restore an earlier revision to bring it back."}
        </p>
        {remove.error === null ? null : <Problem error={remove.error} />}
      </div>
    </ConfirmDialog>
  );
};
