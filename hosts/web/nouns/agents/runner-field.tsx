import { useRead } from "../../live/calls.ts";
import { useSession } from "../../live/session.ts";
import { SelectField } from "../../widgets/field.tsx";

interface RunnerFieldProps {
  readonly name: string;
  /** The choice of no runner. */
  readonly nothing: string;
  /** Empty: none is chosen. */
  readonly value: string;
  readonly onChange: (runner: string) => void;
  readonly disabled?: boolean;
  /** Left out where there is one runner, and none is chosen. */
  readonly onlyOfSeveral?: boolean;
}

/** Chooses the runner of agents' programs, for those who see which there are. */
export const RunnerField = ({ nothing, value, onlyOfSeveral = false, ...field }: RunnerFieldProps) => {
  const { callerMay } = useSession();
  const runners = useRead("runners.list", {}, { enabled: callerMay.inspect.allowed });
  const known = (runners.data ?? []).map((runner) => runner.name);
  const offered = value === "" || known.includes(value) ? known : [...known, value];
  if (offered.length < (onlyOfSeveral && value === "" ? 2 : 1)) return null;
  return (
    <SelectField
      {...field}
      label="Runner"
      options={[
        { value: "", label: nothing },
        ...offered.map((runner) => ({ value: runner, label: runner })),
      ]}
      value={value}
    />
  );
};
