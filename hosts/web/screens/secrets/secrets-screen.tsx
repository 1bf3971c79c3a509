import { useState } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ErrorView } from "../../parts/error-view.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Status } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { useCompany, useMayHere } from "../../shell/company.tsx";
import { Page } from "../../shell/page.tsx";
import { DeleteSecret } from "./delete-secret.tsx";
import { NewSecret } from "./new-secret.tsx";
import { ProviderHealth } from "./provider-health.tsx";
import { providerNames } from "./providers.ts";
import { RotateSecret } from "./rotate-secret.tsx";
import { SecretDetails } from "./secret-details.tsx";
import { Vaults } from "./vaults.tsx";

type Secret = AnswerOf<"secrets.list">[number];

type Opened = { readonly secret: Secret; readonly as: "details" | "rotate" | "delete" };

/** The secrets of a company, none with its value, and the vaults that keep them. */
export const SecretsScreen = () => {
  const { id: companyId } = useCompany();
  const mayChange = useMayHere("manageSecrets");
  const secrets = useRead("secrets.list", { companyId });
  const [isNew, setNew] = useState(false);
  const newButton = (
    <Button kind="main" icon="plus" onClick={() => setNew(true)}>
      New secret
    </Button>
  );
  const isEmpty = secrets.data?.length === 0;
  return (
    <Page title="Secrets" actions={mayChange && !isEmpty ? newButton : undefined}>
      <div className="secrets">
        {secrets.isPending ? (
          <Skeleton />
        ) : secrets.isError ? (
          <ErrorView error={secrets.error} retry={() => void secrets.refetch()} />
        ) : isEmpty ? (
          <Empty
            icon="key-round"
            title="Keep what agents must know and nobody should read"
            action={mayChange ? newButton : undefined}
          >
            Values are kept encrypted and given to runs alone, as variables of their environment.
          </Empty>
        ) : (
          <SecretTable secrets={secrets.data} mayChange={mayChange} />
        )}
        <Vaults mayChange={mayChange} />
        <ProviderHealth />
      </div>
      {isNew ? <NewSecret onClose={() => setNew(false)} /> : null}
    </Page>
  );
};

const SecretTable = ({
  secrets,
  mayChange,
}: {
  readonly secrets: readonly Secret[];
  readonly mayChange: boolean;
}) => {
  const { id: companyId } = useCompany();
  const { data: vaults = [] } = useRead("vaults.list", { companyId });
  const say = useToasts();
  const [opened, setOpened] = useState<Opened | null>(null);
  const update = useWrite("secrets.update", { onRefused: say.refused });
  const close = () => setOpened(null);
  const move = (secret: Secret, status: Secret["status"]) => {
    const onSuccess = () =>
      say.done(`${secret.name} is given to no run.`, () =>
        update.run({ secretId: secret.id, status: "active" }),
      );
    update.run({ secretId: secret.id, status }, status === "disabled" ? { onSuccess } : {});
  };
  const columns: readonly Column<Secret>[] = [
    {
      key: "name",
      title: "Name",
      grows: true,
      cell: (secret) => (
        <div className="secrets-name">
          <button type="button" className="secrets-open" onClick={() => setOpened({ secret, as: "details" })}>
            {secret.name}
          </button>
          <code className="faint cut">{secret.key}</code>
          {secret.masked === false ? (
            <span
              className="status amber"
              title="The value has fewer than 6 characters: it is not masked in what runs say."
            >
              <Icon name="triangle-alert" />
              Not masked
            </span>
          ) : null}
        </div>
      ),
    },
    { key: "status", title: "Status", cell: ({ status }) => <Status of="other" status={status} /> },
    {
      key: "kept",
      title: "Stored in",
      wideOnly: true,
      cell: ({ provider, providerConfigId }) =>
        vaults.find(({ id }) => id === providerConfigId)?.displayName ?? providerNames[provider],
    },
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
      cell: ({ referenceCount }) =>
        referenceCount === 0 ? (
          <span className="faint">no agent</span>
        ) : (
          `${referenceCount} ${referenceCount === 1 ? "binding" : "bindings"}`
        ),
    },
    {
      key: "resolved",
      title: "Last used",
      align: "end",
      wideOnly: true,
      cell: ({ lastResolvedAt }) =>
        lastResolvedAt === null ? <span className="faint">never</span> : <Time at={lastResolvedAt} />,
    },
    {
      key: "do",
      title: "Actions",
      align: "end",
      cell: (secret) =>
        mayChange ? (
          <Menu
            button={<Icon name="ellipsis" />}
            label={`Change ${secret.name}`}
            align="end"
            items={[
              { label: "Details", icon: "info", run: () => setOpened({ secret, as: "details" }) },
              ...(secret.managedMode === "service_managed"
                ? [
                    {
                      label: "Rotate",
                      icon: "refresh-cw" as const,
                      disabled: secret.status === "disabled",
                      run: () => setOpened({ secret, as: "rotate" }),
                    },
                  ]
                : []),
              secret.status === "active"
                ? { label: "Disable", icon: "ban", run: () => move(secret, "disabled") }
                : { label: "Enable", icon: "circle-check", run: () => move(secret, "active") },
              {
                label: "Delete",
                icon: "trash",
                kind: "danger",
                run: () => setOpened({ secret, as: "delete" }),
              },
            ]}
          />
        ) : (
          <IconButton
            icon="info"
            label={`Details of ${secret.name}`}
            onClick={() => setOpened({ secret, as: "details" })}
          />
        ),
    },
  ];
  return (
    <>
      <Table label="Secrets" columns={columns} rows={secrets} rowKey={({ id }) => id} />
      {opened === null ? null : opened.as === "details" ? (
        <SecretDetails secret={opened.secret} mayChange={mayChange} onClose={close} />
      ) : opened.as === "rotate" ? (
        <RotateSecret secret={opened.secret} onClose={close} />
      ) : (
        <DeleteSecret secret={opened.secret} onClose={close} />
      )}
    </>
  );
};
