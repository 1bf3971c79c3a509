import { useId } from "react";
import { TextField } from "../../widgets/field.tsx";

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

const cityOf = (zone: string): string => zone.slice(zone.lastIndexOf("/") + 1).replaceAll("_", " ");

/** The zone that is typed, by its name or its city: "london" is Europe/London. Any other text stays as it is. */
export const zoneNamed = (typed: string): string => {
  const name = typed.trim().toLowerCase();
  return (
    zones.find((zone) => zone.toLowerCase() === name) ??
    zones.find((zone) => cityOf(zone).toLowerCase() === name) ??
    typed
  );
};

export const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

interface ZoneFieldProps {
  readonly value: string;
  readonly onChange: (zone: string) => void;
}

/** A time zone by its name or its city, which leaving the field completes. */
export const ZoneField = ({ value, onChange }: ZoneFieldProps) => {
  const list = useId();
  return (
    <>
      <TextField
        label="Time zone"
        name="timezone"
        list={list}
        required
        value={value}
        onChange={onChange}
        onBlur={() => {
          if (zoneNamed(value) !== value) onChange(zoneNamed(value));
        }}
      />
      <datalist id={list}>
        {zones.map((zone) => (
          <option key={zone} value={zone} label={cityOf(zone)} />
        ))}
      </datalist>
    </>
  );
};
