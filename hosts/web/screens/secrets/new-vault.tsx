import { useState } from "react";
import { useWrite } from "../../live/calls.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { providerOptions } from "../../nouns/secrets/secret-providers.ts";
import { CheckField, SelectField, TextArea, TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";

/** "region: eu-1" in lines, as fields; what is true or false is that. */
const fieldsOf = (text: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => {
        const at = line.indexOf(":");
        const name = at < 0 ? line : line.slice(0, at);
        const value = at < 0 ? "" : line.slice(at + 1).trim();
        return [name.trim(), value === "true" ? true : value === "false" ? false : value];
      }),
  );

export const NewVault = ({ onClose }: { readonly onClose: () => void }) => {
  const { id: companyId } = useCompany();
  const [provider, setProvider] = useState(providerOptions[0]!.value);
  const [displayName, setName] = useState("");
  const [config, setConfig] = useState("");
  const [isDefault, setDefault] = useState(false);
  const create = useWrite("vaults.create", { onDone: onClose });
  return (
    <FormDialog
      title="Add vault"
      verb="Add vault"
      write={create}
      onSubmit={() =>
        create.run({
          companyId,
          provider,
          displayName,
          isDefault,
          ...(config.trim() === "" ? {} : { config: fieldsOf(config) }),
        })
      }
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="displayName"
        required
        maxLength={120}
        value={displayName}
        onChange={setName}
      />
      <SelectField
        label="Provider"
        name="provider"
        options={providerOptions}
        value={provider}
        onChange={setProvider}
      />
      <TextArea
        label="Configuration"
        name="config"
        hint="One field per line, such as “region: eu-central-1”. Don't enter credentials; they come from the installation."
        className="input mono"
        value={config}
        onChange={setConfig}
      />
      <CheckField label="Make default" name="isDefault" checked={isDefault} onChange={setDefault} />
    </FormDialog>
  );
};
