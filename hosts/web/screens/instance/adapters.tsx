import { useState } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { Button } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Problem, SelectField, TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

type Adapter = AnswerOf<"adapters.list">[number];

const displays = {
  loaded: { tone: "green", icon: "circle-check", label: "Loaded" },
  loading: { tone: "accent", icon: "loader-circle", label: "Loading" },
  failed: { tone: "red", icon: "circle-x", label: "Broken" },
} as const;

const sources = { builtin: "built in", package: "package", local: "folder" } as const;

/** The adapters that run agents' programs: each with its source and its faults. */
export const Adapters = () => {
  const [isInstalling, setInstalling] = useState(false);
  const [removing, setRemoving] = useState<string | null>(null);
  const say = useToasts();
  const adapters = useRead("adapters.list", {});
  const reload = useWrite("adapters.reload", {
    onDone: ({ type }) => say.done(`${type} reloaded`),
  });
  const remove = useWrite("adapters.remove", {
    onDone: () => setRemoving(null),
    onRefused: () => setRemoving(null),
  });
  const error = adapters.error ?? reload.error ?? remove.error;
  return (
    <section className="instance-section" aria-labelledby="instance-adapters">
      <header className="row">
        <h2 id="instance-adapters" className="grow">
          Adapters
        </h2>
        <Button small icon="plus" onClick={() => setInstalling(true)}>
          Install an adapter
        </Button>
      </header>
      {adapters.isPending ? <Skeleton rows={4} /> : null}
      {error === null ? null : <Problem error={error} />}
      <ul className="plain-list">
        {(adapters.data ?? []).map((adapter) => (
          <AdapterRow
            key={adapter.type ?? adapter.error}
            adapter={adapter}
            busy={reload.busy}
            onReload={(adapterType) => reload.run({ adapterType })}
            onRemove={setRemoving}
          />
        ))}
      </ul>
      {isInstalling ? <InstallDialog onClose={() => setInstalling(false)} /> : null}
      {removing === null ? null : (
        <ConfirmDialog
          title={`Remove ${removing}?`}
          verb="Remove"
          busy={remove.busy}
          onConfirm={() => remove.run({ adapterType: removing })}
          onClose={() => setRemoving(null)}
        >
          Runs in progress finish normally. Agents of this type wait until the adapter is installed again.
        </ConfirmDialog>
      )}
    </section>
  );
};

interface AdapterRowProps {
  readonly adapter: Adapter;
  readonly busy: boolean;
  readonly onReload: (type: string) => void;
  readonly onRemove: (type: string) => void;
}

const AdapterRow = ({ adapter, busy, onReload, onRemove }: AdapterRowProps) => {
  const { type, label, source, version, status, error, warnings, packageName, localPath } = adapter;
  const { tone, icon, label: statusLabel } = displays[status];
  return (
    <li className="instance-row">
      <span>{label === "" ? "Unknown" : label}</span>
      <span className="faint grow">
        {[
          type === label ? null : type,
          source === null ? null : sources[source],
          packageName ?? localPath,
          version,
        ]
          .filter((each) => each !== null)
          .join(" · ")}
      </span>
      <span className={`status ${tone}`}>
        <Icon name={icon} />
        <span>{statusLabel}</span>
      </span>
      {type === null || source === "builtin" ? null : (
        <>
          <Button small busy={busy} aria-label={`Reload ${type}`} onClick={() => onReload(type)}>
            Reload
          </Button>
          <Button small kind="danger" aria-label={`Remove ${type}`} onClick={() => onRemove(type)}>
            Remove
          </Button>
        </>
      )}
      {error === null ? null : <p className="instance-problem">{error}</p>}
      {warnings.map((warning) => (
        <p key={warning} className="instance-problem">
          {warning}
        </p>
      ))}
    </li>
  );
};

const InstallDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const [from, setFrom] = useState<"packageName" | "localPath">("packageName");
  const [named, setNamed] = useState("");
  const say = useToasts();
  const install = useWrite("adapters.install", {
    onDone: ({ type, version }) => {
      say.done(`${type} ${version} installed`);
      onClose();
    },
  });
  return (
    <FormDialog
      title="Install an adapter"
      verb="Install"
      write={install}
      onSubmit={() => install.run({ [from]: named.trim() })}
      onClose={onClose}
    >
      <SelectField
        label="From"
        name="from"
        value={from}
        onChange={setFrom}
        options={[
          { value: "packageName", label: "npm package" },
          { value: "localPath", label: "Folder on this machine" },
        ]}
      />
      <TextField
        label={from === "packageName" ? "Package" : "Path"}
        name={from}
        required
        hint={
          from === "packageName"
            ? "name or name@version. Its install scripts don't run."
            : "Linked. Use Reload to pick up changes."
        }
        value={named}
        onChange={setNamed}
      />
      <p className="muted">Adapters run code on this machine. Install only what you trust.</p>
    </FormDialog>
  );
};
