import {
  type ComponentProps,
  createContext,
  type ReactNode,
  use,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { BoardroomError } from "../../library/client-error.ts";
import { Icon } from "./icon.tsx";

/** The sentence of a refusal about one field. */
interface FieldProblem {
  /** The path of the field (`adapterConfig.command`) and the first name of it. */
  readonly names: readonly string[];
  readonly message: string;
}

const problemsOf = (error: unknown): readonly FieldProblem[] => {
  const details = error instanceof BoardroomError ? error.details : undefined;
  const list = Array.isArray(details) ? details : details === undefined || details === null ? [] : [details];
  return (list as { path?: unknown; message?: unknown }[]).flatMap(({ path, message }) =>
    Array.isArray(path) && path.length > 0
      ? [
          {
            names: [String(path[0]), path.join(".")],
            message: typeof message === "string" ? message : (error as BoardroomError).message,
          },
        ]
      : [],
  );
};

const Refused = createContext<readonly FieldProblem[]>([]);

interface FormProps {
  readonly onSubmit: () => void;
  /** The last refusal: fields that it names show it; the form does where it names none, or one that is not there. */
  readonly error?: unknown;
  readonly children: ReactNode;
  readonly label?: string;
}

/** A form whose refusals stand at their fields, in the service's words. Ctrl Enter sends it from any field. */
export const Form = ({ onSubmit, error = null, children, label }: FormProps) => {
  const form = useRef<HTMLFormElement>(null);
  const problems = useMemo(() => problemsOf(error), [error]);
  const [isShownByFields, setShownByFields] = useState(false);
  useLayoutEffect(() => {
    const shown = [...form.current!.querySelectorAll<HTMLElement>("[data-field]")].map(
      ({ dataset }) => dataset.field!,
    );
    const hasField = ({ names }: FieldProblem) => names.some((name) => shown.includes(name));
    setShownByFields(problems.length > 0 && problems.every(hasField));
  }, [problems]);
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [error]);
  return (
    <Refused value={problems}>
      <form
        ref={form}
        className="form"
        aria-label={label}
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          form.current?.requestSubmit();
        }}
      >
        {children}
        {error === null || isShownByFields ? null : <Problem error={error} />}
      </form>
    </Refused>
  );
};

/** A refusal where it arose, in the service's sentence. */
export const Problem = ({ error }: { readonly error: unknown }) => (
  <p className="problem" role="alert">
    <Icon name="circle-alert" />
    <span>{error instanceof Error ? error.message : String(error)}</span>
  </p>
);

interface FieldProps {
  readonly label: string;
  /** As the interface names it: refusals are found by it. */
  readonly name: string;
  readonly hint?: ReactNode;
  /** The label is read out and not shown. */
  readonly bare?: boolean;
  readonly children: (input: {
    readonly id: string;
    readonly name: string;
    readonly "aria-invalid": true | undefined;
    readonly "aria-describedby": string | undefined;
  }) => ReactNode;
}

/** A label, what is typed, a hint, and the refusal of what was typed. */
export const Field = ({ label, name, hint, bare = false, children }: FieldProps) => {
  const id = useId();
  const problem = use(Refused).find(({ names }) => names.includes(name))?.message;
  const described = [hint === undefined ? null : `${id}-hint`, problem === undefined ? null : `${id}-problem`]
    .filter((each) => each !== null)
    .join(" ");
  return (
    <div className="field" data-field={name}>
      <label htmlFor={id} className={bare ? "only-read" : undefined}>
        {label}
      </label>
      {children({
        id,
        name,
        "aria-invalid": problem === undefined ? undefined : true,
        "aria-describedby": described || undefined,
      })}
      {hint === undefined ? null : (
        <div className="field-hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {problem === undefined ? null : (
        <div className="field-problem" id={`${id}-problem`} role="alert">
          {problem}
        </div>
      )}
    </div>
  );
};

type Named = Omit<FieldProps, "children">;

/** The properties of a field; the rest goes to its element. */
type Given<Element extends "input" | "textarea" | "select", Value> = Named &
  Omit<ComponentProps<Element>, "name" | "value" | "onChange"> & {
    readonly value: Value;
    readonly onChange: (value: Value) => void;
  };

/**
 * `problem`: why a form cannot be sent with the present text, where no constraint of the browser says so. `focuses`: it
 * takes the focus when it appears; browsers heed `autofocus` only for the first element of a document that has it.
 */
export const TextField = ({
  label,
  name,
  hint,
  bare,
  problem = "",
  focuses = false,
  onChange,
  ...input
}: Given<"input", string> & { readonly problem?: string; readonly focuses?: boolean }) => {
  const element = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => element.current!.setCustomValidity(problem), [problem]);
  useLayoutEffect(() => {
    if (focuses) element.current!.focus();
  }, [focuses]);
  return (
    <Field label={label} name={name} hint={hint} bare={bare ?? false}>
      {(given) => (
        <input
          ref={element}
          className="input"
          autoComplete="off"
          onChange={(event) => onChange(event.target.value)}
          {...input}
          {...given}
        />
      )}
    </Field>
  );
};

/** Grows with its text. */
export const TextArea = ({ label, name, hint, bare, onChange, ...input }: Given<"textarea", string>) => (
  <Field label={label} name={name} hint={hint} bare={bare ?? false}>
    {(given) => (
      <textarea
        className="input"
        rows={3}
        onChange={(event) => onChange(event.target.value)}
        {...input}
        {...given}
      />
    )}
  </Field>
);

export const SelectField = <Value extends string>({
  label,
  name,
  hint,
  bare,
  options,
  onChange,
  ...input
}: Given<"select", Value> & {
  readonly options: readonly { readonly value: Value; readonly label: string }[];
}) => (
  <Field label={label} name={name} hint={hint} bare={bare ?? false}>
    {(given) => (
      <select
        className="input"
        // It has the values of the options alone.
        onChange={(event) => onChange(event.target.value as Value)}
        {...input}
        {...given}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    )}
  </Field>
);

export const CheckField = ({
  label,
  name,
  hint,
  onChange,
  ...input
}: Omit<Named, "bare"> &
  Omit<ComponentProps<"input">, "name" | "type" | "onChange"> & {
    readonly onChange: (isChecked: boolean) => void;
  }) => {
  const id = useId();
  return (
    <div className="check">
      <input
        type="checkbox"
        id={id}
        name={name}
        onChange={(event) => onChange(event.target.checked)}
        {...input}
      />
      <label htmlFor={id}>
        {label}
        {hint === undefined ? null : <span className="field-hint">{hint}</span>}
      </label>
    </div>
  );
};
