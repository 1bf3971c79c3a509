import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../live/client.ts";
import { Button } from "../widgets/button.tsx";
import { Problem } from "../widgets/field.tsx";
import { beginAtProvider } from "./provider-sign-in.ts";

/** A button for each sign-in provider; nothing where the service has none. */
export const SignInProviders = () => {
  const { data } = useQuery({ queryKey: ["session.methods", {}], queryFn: () => client.session.methods() });
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
  return (
    <>
      {error === null ? null : <Problem error={error} />}
      {data?.providers.map(({ id, name }) => (
        <Button key={id} kind="main" busy={busy} onClick={() => void begin(id)}>
          Continue with {name}
        </Button>
      ))}
    </>
  );
};
