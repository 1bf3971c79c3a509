import { useState } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { providerNames } from "../../nouns/secrets/secret-providers.ts";
import { Status } from "../../nouns/status.tsx";
import { IconButton } from "../../widgets/button.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { Menu } from "../../widgets/menu.tsx";
import { type Column, Table } from "../../widgets/table.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { DeleteSecret } from "./delete-secret.tsx";
import { EditSecret } from "./edit-secret.tsx";
import { RotateSecret } from "./rotate-secret.tsx";
import { SecretDetails } from "./secret-details.tsx";

type Secret = AnswerOf<"secrets.list">[number];
type Dialog = "details" | "edit" | "rotate" | "delete";

const counted = (count: number, one: string, many: string): string | null =>
  count === 0 ? null : `${count} ${count === 1 ? one : many}`;

interface SecretTableProps {
  readonly secrets: readonly Secret[];
  readonly mayChange: boolean;
}

export const SecretTable = ({ secrets, mayChange }: SecretTableProps) => {
  const { id: companyId } = useCompany();
  const { data: vaults = [] } = useRead("vaults.list", { companyId });
  const [opened, setOpened] = useState<{ readonly secretId: string; readonly as: Dialog } | null>(null);
  // As it is now: another may change it while a dialog is open.
  const secret = secrets.find(({ id }) => id === opened?.secretId);
  const close = () => setOpened(null);
  const open = ({ id: secretId }: Secret, as: Dialog) => setOpened({ secretId, as });
  const storedIn = ({ provider, providerConfigId }: Secret) =>
    vaults.find(({ id }) => id === providerConfigId)?.displayName ?? providerNames[provider];
  const columns: readonly Column<Secret>[] = [
    {
      key: "name",
      title: "Name",
      grows: true,
      cell: (secret) => <SecretName secret={secret} onOpen={() => open(secret, "details")} />,
    },
    { key: "status", title: "Status", cell: ({ status }) => <Status of="other" status={status} /> },
    {
      key: "kept",
      title: "Stored in",
      wideOnly: true,
      isLong: true,
      cell: storedIn,
    },
    ...uses,
    {
      key: "do",
      title: "Actions",
      align: "end",
      cell: (secret) =>
        mayChange ? (
          <SecretMenu secret={secret} onOpen={(as) => open(secret, as)} />
        ) : (
          <IconButton
            icon="info"
            label={`Details of ${secret.name}`}
            onClick={() => open(secret, "details")}
          />
        ),
    },
  ];
  return (
    <>
      <Table label="Secrets" columns={columns} rows={secrets} rowKey={({ id }) => id} />
      {opened === null || secret === undefined ? null : opened.as === "details" ? (
        <SecretDetails
          secret={secret}
          storedIn={storedIn(secret)}
          mayChange={mayChange}
          onEdit={() => open(secret, "edit")}
          onClose={close}
        />
      ) : opened.as === "edit" ? (
        <EditSecret secret={secret} onClose={close} />
      ) : opened.as === "rotate" ? (
        <RotateSecret secret={secret} onClose={close} />
      ) : (
        <DeleteSecret secret={secret} onClose={close} />
      )}
    </>
  );
};

const uses: readonly Column<Secret>[] = [
  {
    key: "version",
    title: "Version",
    align: "end",
    wideOnly: true,
    cell: ({ latestVersion }) => latestVersion,
  },
  {
    key: "usage",
    title: "Used by",
    align: "end",
    wideOnly: true,
    cell: ({ referenceCount, repositoryCount, mcpServerCount }) => {
      const users = [
        counted(referenceCount, "binding", "bindings"),
        counted(repositoryCount, "repository", "repositories"),
        counted(mcpServerCount, "MCP server", "MCP servers"),
      ].filter((text) => text !== null);
      return users.length === 0 ? <span className="faint">nothing</span> : users.join(", ");
    },
  },
  {
    key: "resolved",
    title: "Last used",
    align: "end",
    wideOnly: true,
    cell: ({ lastResolvedAt }) =>
      lastResolvedAt === null ? <span className="faint">never</span> : <Time at={lastResolvedAt} />,
  },
];

interface SecretNameProps {
  readonly secret: Secret;
  readonly onOpen: () => void;
}

const SecretName = ({ secret, onOpen }: SecretNameProps) => (
  <div className="secrets-name">
    <button type="button" className="secrets-open" onClick={onOpen}>
      {secret.name}
    </button>
    <code className="faint cut">{secret.key}</code>
    {secret.masked === false ? (
      <span
        className="status amber"
        title="The value has fewer than 6 characters, so it isn't masked in run output."
      >
        <Icon name="triangle-alert" />
        Not masked
      </span>
    ) : null}
  </div>
);

interface SecretMenuProps {
  readonly secret: Secret;
  readonly onOpen: (dialog: Dialog) => void;
}

const SecretMenu = ({ secret, onOpen }: SecretMenuProps) => {
  const say = useToasts();
  const update = useWrite("secrets.update", { onRefused: say.refused });
  const enable = () => update.run({ secretId: secret.id, status: "active" });
  const disable = () =>
    update.run(
      { secretId: secret.id, status: "disabled" },
      { onSuccess: () => say.done(`${secret.name} disabled`, enable) },
    );
  return (
    <Menu
      button={<Icon name="ellipsis" />}
      label={`Change ${secret.name}`}
      align="end"
      items={[
        { label: "Details", icon: "info", run: () => onOpen("details") },
        { label: "Edit", icon: "pencil", run: () => onOpen("edit") },
        ...(secret.managedMode === "service_managed"
          ? [
              {
                label: "Rotate",
                icon: "refresh-cw" as const,
                disabled: secret.status === "disabled",
                run: () => onOpen("rotate"),
              },
            ]
          : []),
        secret.status === "active"
          ? { label: "Disable", icon: "ban", run: disable }
          : { label: "Enable", icon: "circle-check", run: enable },
        { label: "Delete", icon: "trash", kind: "danger", run: () => onOpen("delete") },
      ]}
    />
  );
};
