import { useState } from "react";
import { listsSecrets } from "../../../../core/model/vaults/provider.ts";
import { isClosedVault, isImportable } from "../../../../core/model/vaults/vault-status.ts";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { providerNames } from "../../nouns/secrets/secret-providers.ts";
import { Status } from "../../nouns/status.tsx";
import { Button } from "../../widgets/button.tsx";
import { Problem, TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { Menu } from "../../widgets/menu.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { ImportSecrets } from "./import-secrets.tsx";
import { NewVault } from "./new-vault.tsx";

type Vault = AnswerOf<"vaults.list">[number];

/** Where secrets may be kept, and whether each works. */
export const Vaults = ({ mayChange }: { readonly mayChange: boolean }) => {
  const { id: companyId } = useCompany();
  const { data: vaults, error } = useRead("vaults.list", { companyId });
  const [isNew, setNew] = useState(false);
  if (vaults === undefined) return error === null ? null : <Problem error={error} />;
  return (
    <section className="secrets-section" aria-labelledby="secrets-vaults">
      <div className="row">
        <h2 id="secrets-vaults" className="grow">
          Vaults
        </h2>
        {mayChange ? (
          <Button icon="plus" onClick={() => setNew(true)}>
            Add vault
          </Button>
        ) : null}
      </div>
      {vaults.length === 0 ? (
        <p className="muted">Secrets are stored in this installation. Add a vault to use another provider.</p>
      ) : (
        <ul className="secrets-vault-list">
          {vaults.map((vault) => (
            <VaultDetails key={vault.id} vault={vault} mayChange={mayChange} />
          ))}
        </ul>
      )}
      {isNew ? <NewVault onClose={() => setNew(false)} /> : null}
    </section>
  );
};

/** Providers without a runtime in every installation: their vaults are enabled as drafts. */
const isClosedProvider = (provider: Vault["provider"]): boolean =>
  provider === "cloud_b_secret_manager" || provider === "external_vault";

/** The changes that the menu of a vault offers, and the refusal of the last. */
const useVaultChanges = (vault: Vault) => {
  const vaultId = vault.id;
  const say = useToasts();
  const enable = useWrite("vaults.update", { onRefused: say.refused });
  const disable = useWrite("vaults.disable");
  // The service makes it ready where it has the provider's runtime.
  const status = isClosedProvider(vault.provider) ? "coming_soon" : "ready";
  const disableWithUndo = () => {
    const onSuccess = ({ secrets }: AnswerOf<"vaults.disable">) =>
      say.done(
        secrets.length === 0
          ? `${vault.displayName} disabled`
          : `${vault.displayName} accepts no new values. Runs still read ${secrets.map(({ name }) => name).join(", ")} from it.`,
        () => enable.run({ vaultId, status }),
      );
    disable.run({ vaultId }, { onSuccess });
  };
  const makeDefault = useWrite("vaults.setDefault", {
    onDone: () => say.done(`${vault.displayName} is now the default`),
  });
  return {
    enable: () => enable.run({ vaultId, status }),
    disable: disableWithUndo,
    makeDefault: () => makeDefault.run({ vaultId }),
    error: makeDefault.error ?? disable.error,
  };
};

interface VaultMenuProps {
  readonly vault: Vault;
  readonly changes: ReturnType<typeof useVaultChanges>;
  readonly onOpen: (dialog: "import" | "rename") => void;
}

const VaultMenu = ({ vault, changes, onOpen }: VaultMenuProps) => (
  <Menu
    button={<Icon name="ellipsis" />}
    label={`Change ${vault.displayName}`}
    align="end"
    items={[
      { label: "Rename", icon: "pencil" as const, run: () => onOpen("rename") },
      ...(isClosedVault(vault.status) || vault.isDefault
        ? []
        : [
            {
              label: "Make default",
              icon: "check" as const,
              run: changes.makeDefault,
            },
          ]),
      ...(listsSecrets(vault.provider) && isImportable(vault.status)
        ? [{ label: "Import secrets", icon: "download" as const, run: () => onOpen("import") }]
        : []),
      vault.status === "disabled"
        ? {
            label: "Enable",
            icon: "circle-check" as const,
            run: changes.enable,
          }
        : { label: "Disable", icon: "ban" as const, run: changes.disable },
    ]}
  />
);

const VaultDetails = ({ vault, mayChange }: { readonly vault: Vault; readonly mayChange: boolean }) => {
  const vaultId = vault.id;
  const changes = useVaultChanges(vault);
  const [opened, setOpened] = useState<"import" | "rename" | null>(null);
  const check = useWrite("vaults.checkHealth");
  const isClosed = isClosedVault(vault.status);
  const error = check.error ?? changes.error;
  return (
    <li className="secrets-vault">
      <div className="row">
        <strong className="cut">{vault.displayName}</strong>
        {vault.isDefault ? <span className="tag">Default</span> : null}
        <span className="grow" />
        {mayChange ? <VaultMenu vault={vault} changes={changes} onOpen={setOpened} /> : null}
      </div>
      <div className="muted">{providerNames[vault.provider]}</div>
      <div className="row-wrap">
        <Status of="other" status={vault.status} />
        <span className="muted">
          {vault.healthCheckedAt === null ? (
            "not checked yet"
          ) : (
            <>
              checked <Time at={vault.healthCheckedAt} />
            </>
          )}
        </span>
        {mayChange && !isClosed ? (
          <Button small icon="shield-check" busy={check.busy} onClick={() => check.run({ vaultId })}>
            Check
          </Button>
        ) : null}
      </div>
      <VaultHealth vault={vault} />
      {error === null ? null : <Problem error={error} />}
      {opened === "rename" ? <RenameVault vault={vault} onClose={() => setOpened(null)} /> : null}
      {opened === "import" ? <ImportSecrets vault={vault} onClose={() => setOpened(null)} /> : null}
    </li>
  );
};

/** The message of the last check, and what the provider needs. */
const VaultHealth = ({ vault }: { readonly vault: Vault }) => (
  <>
    {vault.healthMessage === null ? null : <p>{vault.healthMessage}</p>}
    {vault.healthDetails === null || vault.healthDetails.guidance.length === 0 ? null : (
      <details>
        <summary className="muted">Requirements</summary>{" "}
        <ul className="secrets-list muted">
          {vault.healthDetails.guidance.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      </details>
    )}
  </>
);

const RenameVault = ({ vault, onClose }: { readonly vault: Vault; readonly onClose: () => void }) => {
  const [displayName, setName] = useState(vault.displayName);
  const save = useWrite("vaults.update", { onDone: onClose });
  return (
    <FormDialog
      title={`Rename ${vault.displayName}`}
      verb="Rename"
      write={save}
      disabled={displayName.trim() === ""}
      onSubmit={() => save.run({ vaultId: vault.id, displayName })}
      onClose={onClose}
    >
      <TextField label="Name" name="displayName" required value={displayName} onChange={setName} />
    </FormDialog>
  );
};
