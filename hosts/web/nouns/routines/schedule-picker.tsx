import { SelectField, TextField } from "../../widgets/field.tsx";

const weekdays = [
  ["mon", "Monday"],
  ["tue", "Tuesday"],
  ["wed", "Wednesday"],
  ["thu", "Thursday"],
  ["fri", "Friday"],
  ["sat", "Saturday"],
  ["sun", "Sunday"],
] as const;
type Weekday = (typeof weekdays)[number][0];

/** Sunday is 0 and 7. */
const numbered: readonly Weekday[] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun"];

const repeats = [
  ["hour", "Every hour"],
  ["day", "Every day"],
  ["week", "Every week"],
  ["weekdays", "Every weekday, Monday to Friday"],
  ["month", "Every month"],
] as const;
type Repeats = (typeof repeats)[number][0];

interface Choice {
  readonly repeats: Repeats;
  readonly minute: number;
  readonly hour: number;
  readonly weekday: Weekday;
  readonly day: number;
}

const defaultChoice: Choice = { repeats: "week", minute: 0, hour: 9, weekday: "mon", day: 1 };

const numberOf = (text: string | undefined, least: number, most: number): number | null =>
  text !== undefined && /^\d{1,2}$/.test(text) && Number(text) >= least && Number(text) <= most
    ? Number(text)
    : null;

/** An expression in the terms of the picker; null where it says more than they can. */
const choiceOf = (expression: string): Choice | null => {
  const [first, second, dayText, month, weekText, ...rest] = expression.trim().toLowerCase().split(/\s+/);
  const minute = numberOf(first, 0, 59);
  if (minute === null || month !== "*" || rest.length > 0) return null;
  if (second === "*" && dayText === "*" && weekText === "*")
    return { ...defaultChoice, repeats: "hour", minute };
  const hour = numberOf(second, 0, 23);
  if (hour === null) return null;
  const at = { ...defaultChoice, minute, hour };
  const day = numberOf(dayText, 1, 31);
  if (day !== null) return weekText === "*" ? { ...at, repeats: "month", day } : null;
  if (dayText !== "*") return null;
  if (weekText === "*") return { ...at, repeats: "day" };
  if (weekText === "mon-fri" || weekText === "1-5") return { ...at, repeats: "weekdays" };
  const number = numberOf(weekText, 0, 7);
  const weekday =
    number === null ? weekdays.find(([short]) => short === weekText)?.[0] : (numbered[number] as Weekday);
  return weekday === undefined ? null : { ...at, repeats: "week", weekday };
};

const expressionOf = ({ repeats, minute, hour, weekday, day }: Choice): string => {
  if (repeats === "hour") return `${minute} * * * *`;
  if (repeats === "month") return `${minute} ${hour} ${day} * *`;
  const on = { day: "*", weekdays: "mon-fri", week: weekday }[repeats];
  return `${minute} ${hour} * * ${on}`;
};

const twoDigits = (value: number): string => String(value).padStart(2, "0");

interface SchedulePickerProps {
  /** The cron expression, which only a choice writes. */
  readonly value: string;
  readonly onChange: (expression: string) => void;
  /** The choice of no schedule, where there may be none. */
  readonly none?: string;
}

/** Usual schedules by choosing: how often, on which day, at which time. */
export const SchedulePicker = ({ value, onChange, none }: SchedulePickerProps) => {
  const choice = choiceOf(value);
  const choose = (part: Partial<Choice>) => onChange(expressionOf({ ...defaultChoice, ...choice, ...part }));
  const isAtTime = choice !== null && choice.repeats !== "hour";
  return (
    <div className="routine-picker">
      <SelectField
        label="Repeats"
        name="repeats"
        value={choice?.repeats ?? ""}
        options={[
          ...(choice === null || none !== undefined
            ? [{ value: "" as const, label: none ?? (value.trim() === "" ? "Choose" : "Custom (cron)") }]
            : []),
          ...repeats.map(([name, label]) => ({ value: name, label })),
        ]}
        onChange={(name) => {
          if (name !== "") choose({ repeats: name });
          else if (none !== undefined) onChange("");
        }}
      />
      {choice?.repeats === "week" ? (
        <SelectField
          label="On"
          name="weekday"
          value={choice.weekday}
          options={weekdays.map(([short, label]) => ({ value: short, label }))}
          onChange={(weekday) => choose({ weekday })}
        />
      ) : null}
      {choice?.repeats === "month" ? (
        <SelectField
          label="On day"
          name="day"
          value={String(choice.day)}
          options={Array.from({ length: 31 }, (_, n) => ({ value: String(n + 1), label: String(n + 1) }))}
          onChange={(day) => choose({ day: Number(day) })}
        />
      ) : null}
      {isAtTime ? (
        <TextField
          label="At"
          name="time"
          type="time"
          value={`${twoDigits(choice.hour)}:${twoDigits(choice.minute)}`}
          onChange={(time) => {
            const [hour, minute] = time.split(":").map(Number);
            if (hour !== undefined && minute !== undefined) choose({ hour, minute });
          }}
        />
      ) : null}
    </div>
  );
};
