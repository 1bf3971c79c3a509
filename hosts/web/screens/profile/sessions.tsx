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
  const end = useWrite("session.end", {
    onDone: () => {
      void sessions.refetch();
      say.done("Browser signed out");
    },
  });
  const endAll = useWrite("session.endAll", {
    onDone: () => {
      void sessions.refetch();
      say.done("Other browsers signed out");
    },
  });
  const error = sessions.error ?? end.error ?? endAll.error;
  const all = sessions.data ?? [];
  return (
    <Section title="Active sessions">
      {error === null ? null : <Problem error={error} />}
      <ul className="plain-list">
        {all.map(({ id, device, address, createdAt, lastUsedAt, expiresAt, current }) => (
          <li key={id} className="row list-row">
            <span className="grow">
              {device ?? "Unknown browser"}
              {current ? " (this browser)" : null}
              <span className="faint">
                {address === null ? null : ` · ${address}`}
                {" · last used "}
                <Time at={lastUsedAt} />
                {" · signed in "}
                <Time at={createdAt} />
                {" · ends "}
                <Time at={expiresAt} />
              </span>
            </span>
            {current ? null : (
              <Button small kind="danger" busy={end.busy} onClick={() => end.run({ sessionId: id })}>
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
      {all.some(({ current }) => !current) ? (
        <Button small kind="danger" busy={endAll.busy} onClick={() => endAll.run({})}>
          Sign out all other browsers
        </Button>
      ) : null}
    </Section>
  );
};
