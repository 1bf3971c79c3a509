import { useRead, useWrite } from "../../live/calls.ts";
import { Credentials } from "../../nouns/access/credentials.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";

/** One's own board tokens, for the command line and programs. */
export const Tokens = () => {
  const tokens = useRead("tokens.list", {});
  const create = useWrite("tokens.create");
  const revoke = useWrite("tokens.revoke");
  return (
    <Section title="Your tokens">
      <p className="muted">For the command line and your programs. Tokens have the same access as you.</p>
      {tokens.error === null ? null : <Problem error={tokens.error} />}
      <Credentials
        noun="token"
        credentials={tokens.data ?? []}
        create={create}
        onCreate={async (name) => (await create.runAndWait({ name })).token}
        revoke={revoke}
        onRevoke={(tokenId) => revoke.runAndWait({ tokenId })}
        loss="Programs using this token stop working immediately. Web sessions that started with it end, possibly including this one."
      />
    </Section>
  );
};
