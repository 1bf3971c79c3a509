import { useState } from "react";
import { isClosedVault } from "../../../../core/vaults/vault-status.ts";
import { useRead, useWrite } from "../../live/calls.ts";
import { SelectField, TextField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { useCompany } from "../../shell/company.tsx";
import { providerNames } from "./providers.ts";
import { ValueField } from "./value-field.tsx";

/** Keeps a value, or links one that a vault's provider keeps. */
export const NewSecret = ({ onClose }: { readonly onClose: () => void }) => {
  const { id: companyId } = useCompany();
  const say = useToasts();
  const { data: all = [] } = useRead("vaults.list", { companyId });
  const vaults = all.filter(({ status }) => !isClosedVault(status));
  const linkable = vaults.filter(({ provider }) => provider !== "local_encrypted");
  const [mode, setMode] = useState<"service_managed" | "external_reference">("service_managed");
  const [name, setName] = useState("");
  const [key, setKey] = useState("");
  const [description, setDescription] = useState("");
  const [value, setValue] = useState("");
  const [externalRef, setRef] = useState("");
  const [vaultId, setVault] = useState("");
  const create = useWrite("secrets.create", {
    onDone: (secret) => {
      onClose();
      say.done(`${secret.name} is kept. Agents are bound to it in their configuration.`);
    },
  });
  const isLinked = mode === "external_reference";
  const offered = isLinked ? linkable : vaults;
  const chosen = offered.find(({ id }) => id === vaultId) ?? (isLinked ? offered[0] : undefined);
  return (
    <FormDialog
      title="New secret"
      verb="Keep secret"
      write={create}
      onSubmit={() =>
        create.run({
          companyId,
          name,
          ...(key === "" ? {} : { key }),
          ...(description === "" ? {} : { description }),
          ...(chosen === undefined ? {} : { provider: chosen.provider, providerConfigId: chosen.id }),
          ...(isLinked ? { managedMode: mode, externalRef } : { value }),
        })
      }
      onClose={onClose}
    >
      <TextField label="Name" name="name" required maxLength={200} value={name} onChange={setName} />
      <TextField
        label="Key"
        name="key"
        hint="One in the company. Made of the name where you leave it empty."
        className="input mono"
        value={key}
        onChange={setKey}
      />
      {linkable.length === 0 ? null : (
        <SelectField
          label="What is kept"
          name="managedMode"
          options={[
            { value: "service_managed", label: "A value that you type" },
            { value: "external_reference", label: "A link to what a vault holds already" },
          ]}
          value={mode}
          onChange={setMode}
        />
      )}
      {isLinked ? (
        <TextField
          label="Reference"
          name="externalRef"
          hint="As the provider names it."
          required
          className="input mono"
          value={externalRef}
          onChange={setRef}
        />
      ) : (
        <ValueField value={value} onChange={setValue} />
      )}
      {offered.length === 0 ? null : (
        <SelectField
          label="Vault"
          name="providerConfigId"
          options={[
            ...(isLinked ? [] : [{ value: "", label: "Where this installation keeps values" }]),
            ...offered.map(({ id, displayName, provider, isDefault }) => ({
              value: id,
              label: `${displayName} · ${providerNames[provider]}${isDefault ? " · default" : ""}`,
            })),
          ]}
          value={chosen?.id ?? ""}
          onChange={setVault}
        />
      )}
      <TextField
        label="Description"
        name="description"
        maxLength={500}
        value={description}
        onChange={setDescription}
      />
    </FormDialog>
  );
};
