import { useEffect, useState } from "react";
import { useRead, useWrite } from "../../live/calls.ts";
import type { Routine } from "../../live/records.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { CronDescription } from "../../nouns/routines/cron-description.tsx";
import { SchedulePicker } from "../../nouns/routines/schedule-picker.tsx";
import { ownZone, ZoneField, zoneNamed } from "../../nouns/routines/zone-field.tsx";
import { Button } from "../../widgets/button.tsx";
import { Dialog } from "../../widgets/dialog.tsx";
import { useDraft } from "../../widgets/drafts.ts";
import { Form, Problem, TextField } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { fireText } from "./next-fires.tsx";

type Trigger = Routine["triggers"][number];

interface ScheduleProps {
  readonly routine: Routine;
  /** The schedule that is changed; null adds one. */
  readonly begun: Trigger | null;
  readonly onClose: () => void;
}

/**
 * A schedule as somebody types it: the cron expression is sent and shown as it was typed, and nothing writes over it.
 * The dialog shows when it would fire; once it is saved, when it fires, and stays open to be put right.
 */
export const ScheduleDialog = ({ routine, begun, onClose }: ScheduleProps) => {
  const [draft, setDraft] = useDraft(`schedule ${begun?.id ?? `of ${routine.id}`}`);
  const [savedId, setSavedId] = useState(begun?.id ?? null);
  const [cronExpression, setCron] = useState(draft || (begun?.cronExpression ?? ""));
  const [timezone, setZone] = useState(begun?.timezone ?? ownZone);
  const [label, setLabel] = useState(begun?.label ?? "");
  const [isSaved, setSaved] = useState(false);
  const onDone = (answer: { readonly id: string }) => {
    setDraft("");
    setSavedId(answer.id);
    setSaved(true);
  };
  const add = useWrite("routines.addTrigger", { onDone });
  const change = useWrite("routines.updateTrigger", { onDone });
  const type = (set: () => void) => {
    set();
    setSaved(false);
  };
  const title = begun === null ? "Add schedule" : "Edit schedule";
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        label={title}
        error={add.error ?? change.error}
        onSubmit={() => {
          const fields = {
            cronExpression,
            timezone: zoneNamed(timezone),
            label: label === "" ? null : label,
          };
          if (savedId === null) add.run({ routineId: routine.id, kind: "schedule", ...fields });
          else change.run({ triggerId: savedId, ...fields });
        }}
      >
        <CronField
          value={cronExpression}
          onChange={(typed) =>
            type(() => {
              setCron(typed);
              setDraft(typed);
            })
          }
        />
        <ZoneField value={timezone} onChange={(typed) => type(() => setZone(typed))} />
        <TextField
          label="Label"
          name="label"
          value={label}
          onChange={(typed) => type(() => setLabel(typed))}
        />
        {isSaved && savedId !== null ? (
          <Preview routine={routine} triggerId={savedId} timezone={zoneNamed(timezone)} />
        ) : (
          <Unsaved cronExpression={cronExpression} timezone={zoneNamed(timezone)} />
        )}
        <div className="form-actions">
          <Button onClick={onClose}>{isSaved ? "Done" : "Cancel"}</Button>
          <Button type="submit" kind="main" busy={add.busy || change.busy} disabled={isSaved}>
            {savedId === null ? "Add schedule" : "Save"}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
};

interface CronFieldProps {
  readonly value: string;
  readonly onChange: (typed: string) => void;
}

/** The expression as it is chosen or typed, with its meaning in words. */
const CronField = ({ value, onChange }: CronFieldProps) => (
  <>
    <SchedulePicker value={value} onChange={onChange} />
    <TextField
      label="Cron expression"
      name="cronExpression"
      hint="Minute, hour, day of month, month, day of week: “0 9 * * mon-fri”. Or @hourly, @daily, @weekly, @monthly."
      className="input mono"
      required
      spellCheck={false}
      value={value}
      onChange={onChange}
    />
    <CronDescription expression={value} />
  </>
);

const typingMs = 300;

/** When a schedule would fire, while it is typed. */
const Unsaved = (typed: { readonly cronExpression: string; readonly timezone: string }) => {
  const { id: companyId } = useCompany();
  const [{ cronExpression, timezone }, setAsked] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(
      () => setAsked({ cronExpression: typed.cronExpression, timezone: typed.timezone }),
      typingMs,
    );
    return () => clearTimeout(timer);
  }, [typed.cronExpression, typed.timezone]);
  const { data, error } = useRead(
    "routines.previewFires",
    { companyId, cronExpression, timezone, count: 5 },
    { enabled: cronExpression.trim() !== "" && timezone !== "" },
  );
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return null;
  return (
    <div className="routine-preview" role="status">
      <p>Next runs</p>
      <ul className="routine-list">
        {data.map((at) => (
          <li key={at}>{fireText(at, timezone)}</li>
        ))}
      </ul>
    </div>
  );
};

/** When the saved schedule fires, as the service works it out. */
const Preview = ({
  routine,
  triggerId,
  timezone,
}: {
  readonly routine: Routine;
  readonly triggerId: string;
  readonly timezone: string;
}) => {
  const { data } = useRead("routines.nextFires", { routineId: routine.id, count: 100 });
  const isEnabled = routine.triggers.some(({ id, enabled }) => id === triggerId && enabled);
  const summary = !isEnabled
    ? "Saved. Enable it to start running."
    : routine.status === "active"
      ? "Saved. Next run"
      : "Saved. Once the routine is active, the next run is";
  const own = (data ?? []).filter((fire) => fire.triggerId === triggerId).slice(0, 5);
  return (
    <div className="routine-preview" role="status">
      <p className="row">
        <Icon name="check" /> {summary}
      </p>
      <ul className="routine-list">
        {own.map(({ scheduledFor }) => (
          <li key={scheduledFor}>{fireText(scheduledFor, timezone)}</li>
        ))}
      </ul>
    </div>
  );
};
