import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, use, useEffect } from "react";
import { client, onSignedOut, setCsrfToken, setVerification } from "./client.ts";

setVerification(async () => (await import("./passkeys.ts")).verifyByPasskey());

export const sessionKey = ["session.current", {}] as const;

/** The person who is signed in; null where nobody is. Brings the token that changes must carry. */
const readSession = async () => {
  const session = await client.session.current();
  setCsrfToken(session?.csrfToken ?? null);
  return session;
};

export type Session = NonNullable<Awaited<ReturnType<typeof readSession>>>;

/** `enabled` is false while a link is being exchanged: until then nobody is signed in. */
export const useSessionQuery = (enabled = true) => {
  const queries = useQueryClient();
  useEffect(() => onSignedOut(() => queries.setQueryData(sessionKey, null)), [queries]);
  return useQuery({
    queryKey: sessionKey,
    queryFn: readSession,
    enabled,
    staleTime: 60_000,
    refetchOnWindowFocus: true,
  });
};

/** The session of the page; the shell gives it. */
export const SessionShown = createContext<Session | null>(null);

/** The person who is signed in. Only where somebody is: below the shell. */
export const useSession = (): Session => {
  const session = use(SessionShown);
  if (session === null) throw new Error("Nobody is signed in.");
  return session;
};
