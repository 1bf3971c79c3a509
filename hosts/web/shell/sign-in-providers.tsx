import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../live/client.ts";
import { signInByPasskey, worksHere } from "../live/passkeys.ts";
import { Button } from "../widgets/button.tsx";
import { Problem } from "../widgets/field.tsx";
import { beginAtProvider } from "./provider-sign-in.ts";

/** A button for passkeys where they work, and for each sign-in provider. */
export const SignInProviders = () => {
  const { data } = useQuery({ queryKey: ["session.methods", {}], queryFn: () => client.session.methods() });
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const begin = async (id: string) => {
    setBusy(true);
    setError(null);
    await beginAtProvider(id).catch((problem: unknown) => {
      setError(problem);
      setBusy(false);
    });
  };
  const byPasskey = async () => {
    setBusy(true);
    setError(null);
    try {
      await signInByPasskey();
      await queries.invalidateQueries();
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <>
      {error === null ? null : <Problem error={error} />}
      {worksHere(data?.passkeys?.origin) ? (
        <Button kind="main" busy={busy} onClick={() => void byPasskey()}>
          Sign in with a passkey
        </Button>
      ) : null}
      {data?.providers.map(({ id, name }) => (
        <Button key={id} kind="main" busy={busy} onClick={() => void begin(id)}>
          Continue with {name}
        </Button>
      ))}
    </>
  );
};
