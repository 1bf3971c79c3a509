import { useState } from "react";
import { isClosedVault } from "../../../../core/model/vaults/vault-status.ts";
import { useRead, useWrite } from "../../live/calls.ts";
import { boundTo } from "../../widgets/bound.ts";
import { SelectField, TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { useCompany } from "../companies/company.tsx";
import { SecretNameFields, SecretNotesField } from "./secret-facts.tsx";
import { providerNames } from "./secret-providers.ts";
import { ValueField } from "./secret-value-field.tsx";

interface NewSecretProps {
  /** The name that it begins with. */
  readonly name?: string;
  readonly onMade?: (secretId: string) => void;
  readonly onClose: () => void;
}

/** The fields of the form, and the call that makes the secret. */
const useNewSecret = ({ name: begun = "", onMade, onClose }: NewSecretProps) => {
  const { id: companyId } = useCompany();
  const say = useToasts();
  const { data: all = [] } = useRead("vaults.list", { companyId });
  const vaults = all.filter(({ status }) => !isClosedVault(status));
  const linkable = vaults.filter(({ provider }) => provider !== "local_encrypted");
  const [fields, setFields] = useState({
    mode: "service_managed" as "service_managed" | "external_reference",
    name: begun,
    key: "",
    description: "",
    value: "",
    externalRef: "",
    vaultId: "",
  });
  const { mode, name, key, description, value, externalRef, vaultId } = fields;
  const create = useWrite("secrets.create", {
    onDone: (secret) => {
      onClose();
      onMade?.(secret.id);
      say.done(
        onMade === undefined
          ? `${secret.name} saved. Add it to an agent's environment to use it.`
          : `${secret.name} saved`,
      );
    },
  });
  const isLinked = mode === "external_reference";
  const offered = isLinked ? linkable : vaults;
  const chosen = offered.find(({ id }) => id === vaultId) ?? (isLinked ? offered[0] : undefined);
  const keep = () =>
    create.run({
      companyId,
      name,
      ...(key === "" ? {} : { key }),
      ...(description === "" ? {} : { description }),
      ...(chosen === undefined ? {} : { provider: chosen.provider, providerConfigId: chosen.id }),
      ...(isLinked ? { managedMode: mode, externalRef } : { value }),
    });
  return {
    fields,
    set: (changed: Partial<typeof fields>) => setFields((before) => ({ ...before, ...changed })),
    isLinked,
    isLinkable: linkable.length > 0,
    offered,
    chosen,
    create,
    keep,
  };
};

/** Keeps a value, or links one that a vault's provider keeps. */
export const NewSecret = (props: NewSecretProps) => {
  const { fields, set, isLinked, isLinkable, offered, chosen, create, keep } = useNewSecret(props);
  return (
    <FormDialog title="New secret" verb="Save secret" write={create} onSubmit={keep} onClose={props.onClose}>
      <SecretNameFields value={fields} onChange={set} isNew />
      {isLinkable ? (
        <SelectField
          label="Type"
          name="managedMode"
          options={[
            { value: "service_managed", label: "Enter a value" },
            { value: "external_reference", label: "Reference to a vault" },
          ]}
          value={fields.mode}
          onChange={(mode) => set({ mode })}
        />
      ) : null}
      {isLinked ? (
        <TextField
          label="Reference"
          hint="The name or path the provider uses."
          required
          className="input mono"
          {...boundTo(fields, set).value("externalRef")}
        />
      ) : (
        <ValueField value={fields.value} onChange={(value) => set({ value })} />
      )}
      {offered.length === 0 ? null : (
        <SelectField
          label="Vault"
          name="providerConfigId"
          options={[
            ...(isLinked ? [] : [{ value: "", label: "This installation" }]),
            ...offered.map(({ id, displayName, provider, isDefault }) => ({
              value: id,
              label: `${displayName} · ${providerNames[provider]}${isDefault ? " · default" : ""}`,
            })),
          ]}
          value={chosen?.id ?? ""}
          onChange={(vaultId) => set({ vaultId })}
        />
      )}
      <SecretNotesField value={fields} onChange={set} />
    </FormDialog>
  );
};
