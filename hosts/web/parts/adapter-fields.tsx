import type { ConfigSchema } from "../../../core/adapters/config-schema.ts";
import { useRead } from "../live/calls.ts";
import { SelectField, TextField } from "./field.tsx";
import { ModelField } from "./model-field.tsx";
import { wordsOfKey } from "./words-of-key.ts";

type Values = Readonly<Record<string, string>>;

/** The configuration that an adapter takes; the service tells it for adapters that it has loaded. */
export const useConfigSchema = (adapterType: string): ConfigSchema => {
  const { data } = useRead("adapters.get", { adapterType });
  return (data?.configSchema ?? {}) as ConfigSchema;
};

const isNumber = ({ type }: ConfigSchema): boolean => type === "number" || type === "integer";

/** The keys that have a field: those of one line. Lists and objects are JSON in the agent's configuration. */
const fieldsOf = ({ properties = {}, required = [] }: ConfigSchema) => {
  const fields = Object.entries(properties).flatMap(([key, schema]) =>
    schema.type === "string" || schema.type === "boolean" || isNumber(schema) ? [{ key, schema }] : [],
  );
  const isFirst = (key: string) => required.includes(key) || key === "model";
  return {
    first: fields.filter(({ key }) => isFirst(key)),
    more: fields.filter(({ key }) => !isFirst(key)),
  };
};

/** The configuration that was typed: empty fields are left out. */
export const configOf = ({ properties = {} }: ConfigSchema, values: Values): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, typed]): [string, unknown][] => {
      const value = typed.trim();
      const schema = properties[key];
      if (value === "" || schema === undefined) return [];
      if (schema.type === "boolean") return [[key, value === "true"]];
      return [[key, isNumber(schema) ? Number(value) : value]];
    }),
  );

interface AdapterFieldsProps {
  readonly companyId: string;
  readonly adapterType: string;
  readonly schema: ConfigSchema;
  readonly values: Values;
  readonly onChange: (values: Values) => void;
}

export const AdapterFields = ({ companyId, adapterType, schema, values, onChange }: AdapterFieldsProps) => {
  const { first, more } = fieldsOf(schema);
  const fieldOf = ({ key, schema: own }: (typeof first)[number]) => {
    const given = {
      required: schema.required?.includes(key) ?? false,
      value: values[key] ?? "",
      onChange: (value: string) => onChange({ ...values, [key]: value }),
    };
    return key === "model" && own.enum === undefined ? (
      <ModelField
        // A finding belongs to one adapter.
        key={`${adapterType} model`}
        companyId={companyId}
        adapterType={adapterType}
        label={own.title ?? "Model"}
        hint={own.description}
        {...given}
      />
    ) : (
      <ConfigField key={key} name={key} schema={own} {...given} />
    );
  };
  return (
    <>
      {first.map(fieldOf)}
      {more.length === 0 ? null : (
        <details>
          <summary>More settings of the adapter</summary>
          <div className="form">{more.map(fieldOf)}</div>
        </details>
      )}
    </>
  );
};

interface ConfigFieldProps {
  readonly name: string;
  readonly schema: ConfigSchema;
  readonly required: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const ConfigField = ({ name: key, schema, required, value, onChange }: ConfigFieldProps) => {
  const name = `adapterConfig.${key}`;
  const label = schema.title ?? wordsOfKey(key);
  const hint = schema.description;
  const choices = schema.type === "boolean" ? [true, false] : schema.enum;
  return choices === undefined ? (
    <TextField
      label={label}
      name={name}
      hint={hint}
      required={required}
      {...(isNumber(schema) ? { inputMode: "decimal" } : {})}
      value={value}
      onChange={onChange}
    />
  ) : (
    <SelectField
      label={label}
      name={name}
      hint={hint}
      options={[
        {
          value: "",
          label: schema.default === undefined ? "Not set" : `As usual (${wordOf(schema.default)})`,
        },
        ...choices.map((choice) => ({ value: String(choice), label: wordOf(choice) })),
      ]}
      value={value}
      onChange={onChange}
    />
  );
};

const wordOf = (value: unknown): string => (value === true ? "yes" : value === false ? "no" : String(value));
