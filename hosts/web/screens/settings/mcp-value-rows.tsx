import { useRead } from "../../live/calls.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { Button, IconButton } from "../../widgets/button.tsx";
import { SelectField, TextField } from "../../widgets/field.tsx";

/** A header or variable as it is edited. */
export interface McpValueRow {
  readonly key: string;
  readonly name: string;
  /** Empty: the value is a text. */
  readonly secretId: string;
  readonly version: number | undefined;
  /** The text, or what stands before the secret. */
  readonly text: string;
}

interface McpValueRowsProps {
  /** header or variable. */
  readonly noun: string;
  /** The field of the body. */
  readonly field: "headers" | "env";
  readonly rows: readonly McpValueRow[];
  readonly onChange: (rows: readonly McpValueRow[]) => void;
}

/** The headers or variables of a server: each a secret by its name, or a text that members see. */
export const McpValueRows = ({ noun, field, rows, onChange }: McpValueRowsProps) => {
  const { id: companyId } = useCompany();
  const { data: secrets = [] } = useRead("secrets.list", { companyId });
  const options = [
    { value: "", label: "No secret: a text" },
    ...secrets.map(({ id, name }) => ({ value: id as string, label: name })),
  ];
  const isRepeated = ({ key, name }: McpValueRow) =>
    rows.findIndex((row) => row.name.trim().toLowerCase() === name.trim().toLowerCase()) !==
    rows.findIndex((row) => row.key === key);
  const change = (changed: McpValueRow) =>
    onChange(rows.map((row) => (row.key === changed.key ? changed : row)));
  return (
    <div className="stack">
      <ul className="plain-list">
        {rows.map((row, at) => (
          <li key={row.key} className="row-wrap">
            <TextField
              label={`Name of ${noun} ${at + 1}`}
              name={`${field}.${row.name}`}
              required
              problem={isRepeated(row) ? `Another ${noun} has this name.` : ""}
              value={row.name}
              onChange={(name) => change({ ...row, name })}
            />
            <SelectField
              label={`Secret of ${noun} ${at + 1}`}
              name={`${field}.${row.name}.secretId`}
              value={row.secretId}
              onChange={(secretId) => change({ ...row, secretId, version: undefined })}
              options={options}
            />
            <TextField
              label={row.secretId === "" ? `Text of ${noun} ${at + 1}` : `Prefix of ${noun} ${at + 1}`}
              name={`${field}.${row.name}.text`}
              placeholder={row.secretId !== "" && field === "headers" ? "Bearer " : ""}
              value={row.text}
              onChange={(text) => change({ ...row, text })}
            />
            <IconButton
              icon="x"
              label={`Remove ${noun} ${at + 1}`}
              onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
            />
          </li>
        ))}
      </ul>
      <Button
        small
        icon="plus"
        onClick={() =>
          onChange([
            ...rows,
            { key: crypto.randomUUID(), name: "", secretId: "", version: undefined, text: "" },
          ])
        }
      >
        Add a {noun}
      </Button>
    </div>
  );
};
