import { useState } from "react";
import type { Agent } from "../../live/records.ts";
import { CheckField, SelectField, TextField } from "../../widgets/field.tsx";
import { numberOf, useTyped } from "../../widgets/typed.ts";
import { TimerNote } from "./timer-note.tsx";

type Heartbeat = NonNullable<Agent["runtimeConfig"]["heartbeat"]>;

const units = { minute: 60, hour: 3_600, day: 86_400 } as const;
type Unit = keyof typeof units;

const unitOf = (seconds: number): Unit =>
  seconds % units.day === 0 ? "day" : seconds % units.hour === 0 ? "hour" : "minute";

/** "every 15 minutes", "every day" */
export const everyText = (seconds: number): string => {
  if (seconds < 60) return `every ${seconds} seconds`;
  const unit = unitOf(seconds);
  const count = seconds / units[unit];
  return count === 1 ? `every ${unit}` : `every ${Number(count.toFixed(1))} ${unit}s`;
};

/** When an agent runs by itself, in words. */
export const timerText = ({ enabled = false, intervalSec, onlyWithWork = false }: Heartbeat = {}): string =>
  enabled && intervalSec !== undefined
    ? `${capital(everyText(intervalSec))}${onlyWithWork ? ", only while it has work" : ""}`
    : "On demand only";

const commonIntervals = [900, 1_800, units.hour, 4 * units.hour, units.day, 7 * units.day];

interface TimerFieldsProps {
  readonly companyId: string;
  /** null: it does not exist yet. */
  readonly agentId: string | null;
  readonly heartbeat: Heartbeat;
  readonly onChange: (heartbeat: Heartbeat) => void;
}

/** When an agent runs: chosen in words, with how many runs a day that is and what they cost. */
export const TimerFields = ({ companyId, agentId, heartbeat, onChange }: TimerFieldsProps) => {
  const { enabled = false, intervalSec, onlyWithWork = false, wakeOnDemand = true } = heartbeat;
  const isOn = enabled && intervalSec !== undefined;
  const [isOwn, setOwn] = useState(isOn && !commonIntervals.includes(intervalSec));
  const choice = isOwn ? "own" : isOn ? String(intervalSec) : "off";
  const choose = (chosen: string) => {
    setOwn(chosen === "own");
    if (chosen === "off") onChange({ ...heartbeat, enabled: false });
    else
      onChange({
        ...heartbeat,
        enabled: true,
        intervalSec: chosen === "own" ? (intervalSec ?? 600) : Number(chosen),
      });
  };
  return (
    <>
      <SelectField
        label="Schedule"
        name="runtimeConfig.heartbeat.enabled"
        hint="Issues, comments and people can also wake it at any time."
        options={[
          { value: "off", label: "Off (on demand only)" },
          ...commonIntervals.map((seconds) => ({
            value: String(seconds),
            label: capital(everyText(seconds)),
          })),
          { value: "own", label: "Every …" },
        ]}
        value={choice}
        onChange={choose}
      />
      {isOwn ? (
        <OwnInterval
          seconds={intervalSec ?? 600}
          onChange={(seconds) => onChange({ ...heartbeat, enabled: true, intervalSec: seconds })}
        />
      ) : null}
      {isOn ? (
        <>
          <CheckField
            label="Only when it has work"
            name="runtimeConfig.heartbeat.onlyWithWork"
            checked={onlyWithWork}
            onChange={(only) => onChange({ ...heartbeat, onlyWithWork: only })}
          />
          <TimerNote heartbeat={heartbeat} companyId={companyId} agentId={agentId} />
        </>
      ) : null}
      <CheckField
        label="Wake on issues, comments and mentions"
        name="runtimeConfig.heartbeat.wakeOnDemand"
        checked={wakeOnDemand}
        onChange={(wakes) => onChange({ ...heartbeat, wakeOnDemand: wakes })}
      />
    </>
  );
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const OwnInterval = ({
  seconds,
  onChange,
}: {
  readonly seconds: number;
  readonly onChange: (seconds: number) => void;
}) => {
  const [unit, setUnit] = useState<Unit>(unitOf(seconds));
  const [text, type] = useTyped<unknown>(
    seconds,
    (value) => onChange(typeof value === "number" ? value : Number.NaN),
    (value) => String(Number(value) / units[unit]),
    (typed) => {
      const count = numberOf(typed);
      return typeof count === "number" ? Math.round(count * units[unit]) : Number.NaN;
    },
  );
  return (
    <div className="row timer-own">
      <TextField
        label="Every"
        name="runtimeConfig.heartbeat.intervalSec"
        type="number"
        min="0.5"
        step="any"
        required
        value={text}
        onChange={type}
      />
      <SelectField
        label="Unit"
        name="unit of the interval"
        options={(["minute", "hour", "day"] as const).map((each) => ({ value: each, label: `${each}s` }))}
        value={unit}
        onChange={(next) => {
          setUnit(next);
          onChange((seconds / units[unit]) * units[next]);
        }}
      />
    </div>
  );
};
