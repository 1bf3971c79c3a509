import { useState } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { makePasskey, worksHere } from "../../live/passkeys.ts";
import { AddByName } from "../../widgets/add-by-name.tsx";
import { Button } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

type Passkey = AnswerOf<"passkeys.list">[number];

/** The person's passkeys: one for each device or password manager. */
export const Passkeys = () => {
  const say = useToasts();
  const methods = useRead("session.methods", {});
  const passkeys = useRead("passkeys.list", {});
  const [removing, setRemoving] = useState<Passkey | null>(null);
  const remove = useWrite("passkeys.delete", { onDone: () => say.done("Passkey removed") });
  const error = passkeys.error ?? methods.error ?? remove.error;
  const origin = methods.data?.passkeys?.origin;
  return (
    <Section title="Passkeys">
      <p className="muted">
        Sign in with your fingerprint, face or screen lock. You're asked for it again before actions that
        can't be undone or that let somebody in.
      </p>
      {error === null ? null : <Problem error={error} />}
      <ul className="plain-list">
        {passkeys.data?.map((each) => (
          <li key={each.id} className="row list-row">
            <span className="grow cut">
              {each.name}
              <span className="faint">
                {" · added "}
                <Time at={each.createdAt} />
                {each.lastUsedAt === null ? (
                  " · never used"
                ) : (
                  <>
                    {" · used "}
                    <Time at={each.lastUsedAt} />
                  </>
                )}
              </span>
            </span>
            <Button small kind="danger" aria-label={`Remove ${each.name}`} onClick={() => setRemoving(each)}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {methods.data === undefined ? null : worksHere(origin) ? (
        <AddPasskey />
      ) : (
        <p className="muted">{unavailable(origin)}</p>
      )}
      {removing === null ? null : (
        <ConfirmDialog
          title={`Remove the passkey ${removing.name}?`}
          verb="Remove"
          busy={remove.busy}
          onConfirm={() => {
            const close = () => setRemoving(null);
            remove.runAndWait({ passkeyId: removing.id }).then(close, close);
          }}
          onClose={() => setRemoving(null)}
        >
          You can't sign in with it anymore. Other browsers that signed in with it are signed out.
        </ConfirmDialog>
      )}
    </Section>
  );
};

const unavailable = (origin: string | undefined): string => {
  if (origin === undefined)
    return "Passkeys need an https address. Ask your admin to set SERVICE_PUBLIC_URL.";
  return origin === location.origin
    ? "This browser doesn't support passkeys."
    : `To add a passkey, open this page at ${origin}.`;
};

const AddPasskey = () => {
  const say = useToasts();
  const [isMaking, setIsMaking] = useState(false);
  const [refusal, setRefusal] = useState<unknown>(null);
  const create = useWrite("passkeys.create", { onDone: () => say.done("Passkey added") });
  const add = async (name: string) => {
    setIsMaking(true);
    setRefusal(null);
    try {
      const { flow, response } = await makePasskey();
      await create.runAndWait({ name, flow, response });
    } catch (problem) {
      setRefusal(problem);
      throw problem;
    } finally {
      setIsMaking(false);
    }
  };
  return (
    <AddByName
      label="Add a passkey"
      field="Name of a new passkey"
      maxLength={100}
      verb="Add passkey"
      write={{ busy: isMaking, error: refusal }}
      onAdd={add}
    />
  );
};
