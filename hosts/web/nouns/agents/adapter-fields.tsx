import type { ConfigSchema } from "../../../../core/model/adapters/config-schema.ts";
import { SelectField, TextArea, TextField } from "../../widgets/field.tsx";
import { numberOf, useTyped } from "../../widgets/typed.ts";
import { withCode } from "../../widgets/with-code.tsx";
import { MarkdownField } from "../markdown-field.tsx";
import { isNumber, type SettingGroup, settingsOf } from "./adapter-settings.ts";
import { isObject } from "./environment.ts";
import { ModelField } from "./model-field.tsx";

type Config = Readonly<Record<string, unknown>>;

interface AdapterFieldsProps {
  readonly companyId: string;
  readonly adapterType: string;
  readonly schema: ConfigSchema;
  readonly config: Config;
  readonly groups: readonly SettingGroup[];
  readonly onChange: (config: Config) => void;
}

/** The settings of an adapter, each with the field that its schema asks for. */
export const AdapterFields = ({
  companyId,
  adapterType,
  schema,
  config,
  groups,
  onChange,
}: AdapterFieldsProps) =>
  settingsOf(schema, config, groups).map(({ key, schema: own, label }) => {
    const set = (value: unknown) => {
      const { [key]: _, ...others } = config;
      onChange(value === undefined || value === "" ? others : { ...others, [key]: value });
    };
    const required = schema.required?.includes(key) ?? false;
    return key === "model" && own.enum === undefined ? (
      <ModelField
        // A finding belongs to one adapter.
        key={`${adapterType} ${String(config.agent)} model`}
        companyId={companyId}
        adapterType={adapterType}
        program={typeof config.agent === "string" ? config.agent : undefined}
        label={label}
        hint={own.description === undefined ? undefined : withCode(own.description)}
        required={required}
        value={String(config[key] ?? "")}
        onChange={set}
      />
    ) : (
      <SettingField
        key={`${adapterType} ${key}`}
        name={`adapterConfig.${key}`}
        label={label}
        schema={own}
        required={required}
        value={config[key]}
        onChange={set}
      />
    );
  });

interface SettingProps {
  readonly name: string;
  readonly label: string;
  readonly schema: ConfigSchema;
  readonly required: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

const SettingField = (setting: SettingProps) => {
  const { name, label, schema, required, value, onChange } = setting;
  const hint = schema.description === undefined ? {} : { hint: withCode(schema.description) };
  const given = { label, name, required, ...hint };
  if (schema.type === "boolean" || schema.enum !== undefined) return <ChoiceField {...setting} />;
  if (isNumber(schema) || schema.type === "array" || schema.type === "object")
    return <TypedField {...setting} />;
  const text = String(value ?? "");
  return schema.contentMediaType === "text/markdown" ? (
    <MarkdownField label={label} name={name} hint={schema.description} value={text} onChange={onChange} />
  ) : (
    <TextField {...given} value={text} onChange={onChange} />
  );
};

const choiceLabel = (value: unknown): string =>
  value === true ? "yes" : value === false ? "no" : String(value);

const ChoiceField = ({ name, label, schema, value, onChange }: SettingProps) => {
  const choices: readonly (string | number | boolean)[] =
    schema.type === "boolean" ? [true, false] : (schema.enum ?? []);
  return (
    <SelectField
      label={label}
      name={name}
      {...(schema.description === undefined ? {} : { hint: withCode(schema.description) })}
      options={[
        {
          value: "",
          label: schema.default === undefined ? "Not set" : `Default (${choiceLabel(schema.default)})`,
        },
        ...choices.map((choice) => ({ value: String(choice), label: choiceLabel(choice) })),
      ]}
      value={value === undefined || value === null ? "" : String(value)}
      onChange={(chosen) => onChange(choices.find((choice) => String(choice) === chosen))}
    />
  );
};

const isLine = (item: unknown): boolean =>
  typeof item === "number" || (typeof item === "string" && item.trim() !== "" && !/^\[|\n/.test(item));

/** A list as lines, or as JSON where an item has several lines. */
const listText = (value: unknown): string => {
  if (value === undefined || value === null) return "";
  return Array.isArray(value) && value.every(isLine) ? value.join("\n") : JSON.stringify(value, null, 2);
};

const listOf = (text: string): unknown => {
  if (text.trim() === "") return undefined;
  if (text.trimStart().startsWith("[")) return jsonOr(text);
  return text.split("\n").filter((line) => line.trim() !== "");
};

/** The value of a JSON text; a text that is none stays a text, which the service refuses by its own rule. */
const jsonOr = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const forms = {
  number: { textOf: (value: unknown) => String(value ?? ""), parse: numberOf, hint: "" },
  list: { textOf: listText, parse: listOf, hint: "One per line. Use a JSON array for multi-line values." },
  object: {
    textOf: (value: unknown) =>
      value === undefined ? "" : isObject(value) ? JSON.stringify(value, null, 2) : String(value),
    parse: (text: string) => (text.trim() === "" ? undefined : jsonOr(text)),
    hint: "A JSON object.",
  },
};

/** A value that is typed as a text and is none. */
const TypedField = ({ name, label, schema, required, value, onChange }: SettingProps) => {
  const form = schema.type === "array" ? forms.list : schema.type === "object" ? forms.object : forms.number;
  const [text, type] = useTyped(value, onChange, form.textOf, form.parse);
  const description = [schema.description ?? "", form.hint].filter((each) => each !== "").join(" ");
  const given = { label, name, required, value: text, onChange: type };
  const hint = description === "" ? {} : { hint: withCode(description) };
  return form === forms.number ? (
    <TextField {...given} {...hint} inputMode="decimal" />
  ) : (
    <TextArea {...given} {...hint} className="input mono" rows={2} spellCheck={false} />
  );
};
