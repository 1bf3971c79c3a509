import { useState } from "react";
import { useRead } from "../../live/calls.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { NewSecret } from "../../parts/new-secret.tsx";
import { Unread } from "../../parts/unread.tsx";
import { useCompany, useMayHere } from "../../shell/company.tsx";
import { Page } from "../../shell/page.tsx";
import { ProviderHealth } from "./provider-health.tsx";
import { SecretTable } from "./secret-table.tsx";
import { Vaults } from "./vaults.tsx";

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
        {secrets.isPending || secrets.isError ? (
          <Unread read={secrets} />
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
