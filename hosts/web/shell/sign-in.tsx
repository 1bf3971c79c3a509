import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { client, signInByToken } from "../live/client.ts";
import { Button } from "../widgets/button.tsx";
import { Form, Problem, TextField } from "../widgets/field.tsx";

const SignInProviders = lazy(() =>
  import("./sign-in-providers.tsx").then((loaded) => ({ default: loaded.SignInProviders })),
);

/** Takes a board token where no link was opened, and says how to come by one. */
export const SignIn = ({ refusal }: { readonly refusal: unknown }) => {
  const queries = useQueryClient();
  const methods = useQuery({ queryKey: ["session.methods", {}], queryFn: () => client.session.methods() });
  const takesToken = methods.data?.boardToken ?? true;
  const [token, setToken] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const signIn = async () => {
    setBusy(true);
    setError(null);
    try {
      await signInByToken(token.trim());
      await queries.invalidateQueries();
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <main className="sign-in">
      <h1>Boardroom</h1>
      {refusal === null ? null : <Problem error={refusal} />}
      <Suspense fallback={null}>
        <SignInProviders />
      </Suspense>
      <p className="muted">
        On the service's own machine, <code>boardroom open</code> signs you in. Elsewhere, open the link of
        your invitation{takesToken ? ", or give a board token" : ""}.
      </p>
      {takesToken ? (
        <Form onSubmit={() => void signIn()} error={error} label="Sign in">
          <TextField
            label="Board token"
            name="token"
            type="password"
            required
            autoComplete="current-password"
            placeholder="brd_…"
            value={token}
            onChange={setToken}
          />
          <Button type="submit" kind="main" busy={busy}>
            Sign in
          </Button>
        </Form>
      ) : null}
    </main>
  );
};
