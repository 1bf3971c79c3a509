import { useRead, useWrite } from "../../live/calls.ts";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

/** The browsers in which the person is signed in. This one ends by signing out. */
export const Sessions = () => {
  const say = useToasts();
  const sessions = useRead("session.list", {});
  const end = useWrite("tokens.revoke", {
    onDone: () => {
      void sessions.refetch();
      say.done("Browser signed out");
    },
  });
  const error = sessions.error ?? end.error;
  return (
    <Section title="Active sessions">
      {error === null ? null : <Problem error={error} />}
      <ul className="plain-list">
        {(sessions.data ?? []).map(({ id, createdAt, lastUsedAt, expiresAt, current }) => (
          <li key={id} className="row list-row">
            <span className="grow">
              {current ? "This browser" : "Another browser"}
              <span className="faint">
                {" · since "}
                <Time at={createdAt} />
                {" · used "}
                <Time at={lastUsedAt} />
                {" · ends "}
                <Time at={expiresAt} />
              </span>
            </span>
            {current ? null : (
              <Button small kind="danger" busy={end.busy} onClick={() => end.run({ tokenId: id })}>
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
};
