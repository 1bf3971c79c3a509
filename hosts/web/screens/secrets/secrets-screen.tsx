import { useState } from "react";
import { useRead } from "../../live/calls.ts";
import { useCompany, useMayHere } from "../../nouns/companies/company.tsx";
import { NewSecret } from "../../nouns/secrets/new-secret.tsx";
import { Button } from "../../widgets/button.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { InOrder } from "../../widgets/in-order.tsx";
import { Page } from "../../widgets/page.tsx";
import { Unread } from "../../widgets/unread.tsx";
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
        <InOrder>
          {secrets.isPending || secrets.isError ? (
            <Unread read={secrets} />
          ) : isEmpty ? (
            <Empty icon="key-round" title="Add your first secret" action={mayChange ? newButton : undefined}>
              Encrypted at rest and passed to runs as environment variables.
            </Empty>
          ) : (
            <SecretTable secrets={secrets.data} mayChange={mayChange} />
          )}
          <Vaults mayChange={mayChange} />
          <ProviderHealth />
        </InOrder>
      </div>
      {isNew ? <NewSecret onClose={() => setNew(false)} /> : null}
    </Page>
  );
};
