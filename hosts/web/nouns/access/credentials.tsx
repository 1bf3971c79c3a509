import { type ReactNode, useState } from "react";
import { AddByName } from "../../widgets/add-by-name.tsx";
import { Button } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Problem } from "../../widgets/field.tsx";
import { OnceDialog } from "../../widgets/once-dialog.tsx";
import { Time } from "../../widgets/time.tsx";

interface Credential {
  readonly id: string;
  readonly name: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt?: string | null;
  readonly revokedAt: string | null;
}

interface Write {
  readonly busy: boolean;
  readonly error: unknown;
}

interface CredentialsProps {
  /** "key" or "token". */
  readonly noun: string;
  readonly credentials: readonly Credential[];
  readonly create: Write;
  /** Resolves with the text, which is shown once. */
  readonly onCreate: (name: string) => Promise<string>;
  readonly revoke: Write;
  readonly onRevoke: (id: string) => Promise<unknown>;
  /** The consequence of revoking one. */
  readonly loss: ReactNode;
}

/** Keys or tokens that are not revoked, each with its last use; a new one is shown once. */
export const Credentials = ({
  noun,
  credentials,
  create,
  onCreate,
  revoke,
  onRevoke,
  loss,
}: CredentialsProps) => {
  const [made, setMade] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<Credential | null>(null);
  return (
    <>
      {revoke.error === null ? null : <Problem error={revoke.error} />}
      <ul className="plain-list">
        {credentials
          .filter(({ revokedAt }) => revokedAt === null)
          .map((each) => (
            <CredentialRow key={each.id} noun={noun} credential={each} onRevoke={() => setRevoking(each)} />
          ))}
      </ul>
      <AddByName
        label={`Create a ${noun}`}
        field={`Name of a new ${noun}`}
        verb={`Create ${noun}`}
        write={create}
        onAdd={async (name) => setMade(await onCreate(name))}
      />
      {made === null ? null : (
        <OnceDialog
          title={`The new ${noun}`}
          values={[{ label: noun.charAt(0).toUpperCase() + noun.slice(1), value: made }]}
          onClose={() => setMade(null)}
        >
          Copy it now. You won't be able to see it again.
        </OnceDialog>
      )}
      {revoking === null ? null : (
        <ConfirmDialog
          title={`Revoke the ${noun} ${revoking.name}?`}
          verb="Revoke"
          busy={revoke.busy}
          onConfirm={() => {
            const close = () => setRevoking(null);
            onRevoke(revoking.id).then(close, close);
          }}
          onClose={() => setRevoking(null)}
        >
          {loss}
        </ConfirmDialog>
      )}
    </>
  );
};

interface CredentialRowProps {
  readonly noun: string;
  readonly credential: Credential;
  readonly onRevoke: () => void;
}

const CredentialRow = ({ noun, credential, onRevoke }: CredentialRowProps) => (
  <li className="row list-row">
    <span className="grow cut">
      {credential.name}
      <span className="faint">
        {credential.lastUsedAt === null ? (
          " · never used"
        ) : (
          <>
            {" · used "}
            <Time at={credential.lastUsedAt} />
          </>
        )}
        {credential.expiresAt == null ? null : (
          <>
            {" · ends "}
            <Time at={credential.expiresAt} />
          </>
        )}
      </span>
    </span>
    <Button small kind="danger" aria-label={`Revoke the ${noun} ${credential.name}`} onClick={onRevoke}>
      Revoke
    </Button>
  </li>
);
